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
