import DocumentClient
import DocumentModel
import DocumentWire
import Synchronization
import SystemPackage
import Testing

/// Coordinated access, seen from a host tool: what is asked of the host, and when.
struct AccessTests {
    private let location: Location

    init() throws {
        location = try Location("work:/a.txt")
    }

    /// Grants every access, with numbers from 1 on.
    private static func granting() -> FakeHost.Answer {
        let counter = Atomic<UInt64>(0)
        return { call in
            switch call {
            case .beginAccess(let request):
                let number = counter.add(1, ordering: .relaxed).newValue
                let item = try someItem(request.location.description)
                return .beginAccess(access: number, path: item.path, item: item)
            case .endAccess: return .done
            default: throw DocumentError(.unimplemented, "Not for this test.")
            }
        }
    }

    private struct Boom: Error {}

    @Test("COORD-8: the access ends when the closure has returned")
    func endsAfterReturn() async throws {
        try await FakeHost.serving(Self.granting()) { host in
            let size = try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                try await client.coordinate(readingItemAt: location) { path, item in
                    #expect(path == "/root/documents/a.txt")
                    #expect(host.calls == [.beginAccess(AccessRequest(location: location, intent: .reading))])
                    return item.item.size
                }
            }
            #expect(size == 1)
            #expect(
                host.calls == [
                    .beginAccess(AccessRequest(location: location, intent: .reading)), .endAccess(1),
                ])
            #expect(host.tools == ["test"])
        }
    }

    @Test("COORD-8: the access ends when the closure throws, and the caller gets that error")
    func endsAfterThrow() async throws {
        try await FakeHost.serving(Self.granting()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                await #expect(throws: Boom.self) {
                    try await client.coordinate(writingItemAt: location, for: .forMerging) { _, _ in throw Boom() }
                }
                #expect(host.calls.last == .endAccess(1))
            }
        }
    }

    @Test("COORD-8: the access ends when the task is cancelled")
    func endsAfterCancel() async throws {
        try await FakeHost.serving(Self.granting()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let (isInside, inside) = AsyncStream.makeStream(of: Void.self)
                let task = Task { [location] in
                    try await client.coordinate(writingItemAt: location) { _, _ in
                        inside.finish()
                        try await Task.sleep(for: .seconds(3_600))
                    }
                }
                for await _ in isInside {}
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(host.calls.last == .endAccess(1))
            }
        }
    }

    @Test("COORD-8: when the waiting fails, the closure is not run")
    func notRunAfterRefusal() async throws {
        let refusal = DocumentError(.deadlock, "Both wait.", causes: ["Each for the other."])
        try await FakeHost.serving({ _ in throw refusal }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let error = await #expect(throws: DocumentError.self) {
                    try await client.coordinate(readingItemAt: location) { _, _ in Issue.record("It was run") }
                }
                #expect(error == refusal)
                #expect(host.calls.count == 1)
            }
        }
    }

    @Test("COORD-8: the host hears of a read's end though nothing is asked after it")
    func readEndIsTold() async throws {
        let (ends, told) = AsyncStream.makeStream(of: UInt64.self)
        let answer = Self.granting()
        try await FakeHost.serving({ call in
            if case .endAccess(let access) = call { told.yield(access) }
            return try await answer(call)
        }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                try await client.coordinate(readingItemAt: location) { _, _ in }
                for await access in ends {
                    #expect(access == 1)
                    break
                }
                // From another thread than the client's own, too.
                try await Task.detached { [location] in
                    try await client.coordinate(readingItemAt: location) { _, _ in }
                }.value
                for await access in ends {
                    #expect(access == 2)
                    break
                }
            }
        }
    }

    @Test("COORD-8: what is asked after a read, other than to read, comes to the host after the read's end")
    func readEndComesFirst() async throws {
        try await FakeHost.serving(Self.granting()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                for _ in 0..<3 { try await client.coordinate(readingItemAt: location) { _, _ in } }
                try await client.coordinate(writingItemAt: location) { _, _ in }
                try await client.coordinate(readingItemAt: location) { _, _ in }
                try? await client.remove(itemAt: location)
            }
            let order = host.calls.map { call in
                switch call {
                case .beginAccess(let request): request.intent == .writing ? "write" : "read"
                case .endAccess(let access): "end \(access)"
                default: "other"
                }
            }
            let write = try #require(order.firstIndex(of: "write"))
            let other = try #require(order.firstIndex(of: "other"))
            #expect(Set(order[..<write]) == ["read", "end 1", "end 2", "end 3"])
            #expect(order[write...] == ["write", "end 4", "read", "end 5", "other"])
            #expect(order.count == other + 1, "each ends once")
        }
    }

    @Test("COORD-7: what is known from the last time is used only when the host says the same again")
    func rememberedGrants() async throws {
        let renamed = Atomic<Bool>(false)
        try await FakeHost.serving({ call in
            guard case .beginAccess = call else { return .done }
            let item = try someItem(renamed.load(ordering: .relaxed) ? "work:/b.txt" : "work:/a.txt")
            return .beginAccess(access: 1, path: item.path, item: item)
        }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                for _ in 0..<2 {
                    try await client.coordinate(readingItemAt: location) { path, item in
                        #expect(path == "/root/documents/a.txt" && item == (try? someItem("work:/a.txt")))
                    }
                }
                renamed.store(true, ordering: .relaxed)
                try await client.coordinate(readingItemAt: location) { path, item in
                    #expect(path == "/root/documents/b.txt" && item == (try? someItem("work:/b.txt")))
                }
            }
        }
    }

    @Test("COORD-39: a nested access names the ones that it is inside of, also from a child task")
    func nesting() async throws {
        try await FakeHost.serving(Self.granting()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                try await client.coordinate(readingItemAt: location) { _, _ in
                    async let child: Void = client.coordinate(readingItemAt: location) { _, _ in
                        try await client.coordinate(readingItemAt: location) { _, _ in }
                    }
                    try await child
                }
                try await client.coordinate(readingItemAt: location) { _, _ in
                    // The accesses of another connection are none of this one's.
                    try await withDocumentClient(tool: "other", address: host.address, start: .never) { other in
                        try await other.coordinate(readingItemAt: location) { _, _ in }
                    }
                }
            }
            let nesting = host.calls.compactMap { call -> [UInt64]? in
                if case .beginAccess(let request) = call { request.nestedIn } else { nil }
            }
            #expect(nesting == [[], [1], [1, 2], [], []])
        }
    }
}
