import DocumentClient
import DocumentModel
import DocumentWire
import Synchronization
import Testing

/// Picker sessions, as far as the client has to do with them.
@Suite struct PickerSessionTests {
    private struct Stop: Error {}

    private static let root: PickerRoot? = try? PickerRoot(
        id: PickerEntryID([1]), domain: DomainName("work"), providerName: "Folder")

    private func serving(
        choice: @escaping @Sendable () throws -> [PickedItem] = { [] },
        _ body: (FakeHost, DocumentClient) async throws -> Void
    ) async throws {
        try await FakeHost.serving { call in
            switch call {
            case .beginPicker: .beginPicker(7, roots: [Self.root].compactMap { $0 })
            case .choosePicker: .choosePicker(try choice())
            default: .done
            }
        } _: { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                try await body(host, client)
            }
        }
    }

    @Test("PICK-16: a session ends with its closure, also when that throws")
    func endings() async throws {
        try await serving { host, client in
            let request = try PickerRequest(.open, types: [.content])
            let count = try await client.withPickerSession(request) { $0.roots.count }
            #expect(count == 1)
            await #expect(throws: Stop.self) { try await client.withPickerSession(request) { _ in throw Stop() } }
            #expect(host.calls == [.beginPicker(request), .cancelPicker(7), .beginPicker(request), .cancelPicker(7)])
        }
    }

    @Test("PICK-17, PICK-20: thumbnails are asked for 32 at a time, and those that had no room in an answer again")
    func thumbnails() async throws {
        let rooms = [32, 3, 32, 1]
        let asked = Mutex<[Int]>([])
        try await FakeHost.serving { call in
            guard case .thumbnails(.items(let locations, size: 64)) = call else { return .done }
            let turn = asked.withLock { asked in
                asked.append(locations.count)
                return asked.count - 1
            }
            // None at all, in the end: a host that does not do what it is asked.
            return .thumbnails(locations.prefix(turn < rooms.count ? rooms[turn] : 0).map { _ in .missing })
        } _: { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let locations = try (0..<68).map { try Location("work:/\($0)") }
                #expect(try await client.thumbnails(of: locations, size: 64).count == 68)
                #expect(asked.withLock { $0 } == [32, 32, 32, 1])
                #expect(try await client.thumbnails(of: [], size: 64).isEmpty)
                await #expect(throws: DocumentError.self) { try await client.thumbnails(of: locations, size: 64) }
            }
        }
    }

    @Test("PICK-1: an import whose copy cannot be made ends its access; one that cannot begin chooses nothing")
    func failingImport() async throws {
        try await serving(choice: { [PickedItem(status: try someItem("work:/a.txt"), access: 9)] }) { host, client in
            let request = try PickerRequest(.import, types: [.content])
            let entry = try PickerEntryID([2])
            await #expect(throws: DocumentError.self) {
                try await client.withPickerSession(request) { session in
                    try await session.importDocument(entry, to: "/nonexistent/folder/copy.txt")
                }
            }
            #expect(!host.calls.contains { if case .choosePicker = $0 { true } else { false } })
            // What is to be copied is not there.
            await #expect(throws: DocumentError.self) {
                try await client.withPickerSession(request) { session in
                    try await session.importDocument(entry, to: host.folder.appending("file"))
                }
            }
            #expect(host.calls.contains(.choosePicker(7, .entries([entry]))) && host.calls.contains(.endAccess(9)))
        }
    }

    @Test("PICK-3: an export grants no path")
    func export() async throws {
        let choice: @Sendable () throws -> [PickedItem] = {
            var status = try someItem("work:/a.txt")
            status.path = ""
            return [PickedItem(status: status)]
        }
        try await serving(choice: choice) { host, client in
            let request = try PickerRequest(.export, originalPath: "/home/ada/a.txt")
            let picked = try await client.withPickerSession(request) { session in
                try await session.put(as: try ItemName("a.txt"), in: try PickerEntryID([1]))
            }
            #expect(picked.path == nil && picked.mode == .export && picked.location.description == "work:/a.txt")
        }
    }

    @Test("PICK-9: what another mode is for is refused before the host is asked")
    func modes() async throws {
        try await serving { host, client in
            let request = try PickerRequest(.import, types: [.content])
            _ = try await client.withPickerSession(request) { session in
                await #expect(throws: DocumentError.self) { try await session.open(try PickerEntryID([1])) }
            }
            #expect(host.calls == [.beginPicker(request), .cancelPicker(7)])
        }
    }
}
