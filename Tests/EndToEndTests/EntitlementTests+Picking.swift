import DocumentClient
import DocumentModel
import Foundation
import SystemPackage
import Testing

extension EntitlementTests {
    @Test(
        "PICK-10, PICK-20, CONT-2, CONT-4: a registered tool's picker shows the domains and all the containers that its manifest names, takes nothing else, and what is chosen may be used"
    )
    func picking() async throws {
        try await withDomains { machine async throws in
            let place = machine.remote + "/store/Containers"
            for file in ["\(Self.notes)/Documents/note.txt", "0123456789.else/Documents/hidden.txt"] {
                let path = place + "/" + file
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try machine.write("x", to: path)
            }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            try register(
                "domains = [\"work\"]\nread-domains = [\"home\"]\ncontainers = [\"\(Self.notes)\"]", on: machine)
            let original = machine.folder + "/tool.toml"
            try await machine.client { client async throws in
                func entries(_ session: PickerSession, _ folder: PickerEntryID) async throws -> [String: PickerEntry] {
                    var listing = try await session.listing(of: folder)
                    while listing.isLoading {
                        try await Task.sleep(for: .milliseconds(20))
                        listing = try await session.listing(of: folder)
                    }
                    #expect(listing.parent == nil || listing.folder.status.location.components.count != 2)
                    return Dictionary(
                        uniqueKeysWithValues: listing.entries.map { ($0.status.item.name?.rawValue ?? "", $0) })
                }
                let open = try PickerRequest(.open, types: [.content])
                let note = try await client.withPickerSession(open) { session in
                    #expect(session.roots.map(\.domain.rawValue) == ["home", "store", "work"])
                    let container = session.roots[1]
                    #expect(
                        container.providerName == Self.notes && container.actions == [.create, .search, .thumbnail])
                    let documents = try #require(try await entries(session, container.id)["Documents"])
                    let found = try #require(try await entries(session, documents.id)["note.txt"])
                    #expect(found.actions == [.write, .copy, .rename, .move, .delete, .thumbnail])
                    let home = try #require(try await entries(session, session.roots[0].id)["a.txt"])
                    #expect(
                        home.actions == [.copy, .thumbnail] && session.roots[0].actions == [.search, .thumbnail],
                        "to be read only")
                    for (name, count) in [("note", 1), ("hidden", 0), ("a.txt", 0)] {
                        let search = try await session.search(for: try PickerQuery(name), below: container.id)
                        #expect(search.entries.count == count, "\(name)")
                    }
                    for outside in ["store/a.txt", "store/Containers/0123456789.else/Documents/hidden.txt"] {
                        #expect(
                            await code {
                                try await session.open(path: FilePath(machine.root + "/documents/" + outside))
                            }
                                == .notPermitted)
                    }
                    return try await session.open(found.id).location
                }
                #expect(note.description == "store:/Containers/\(Self.notes)/Documents/note.txt")
                try await client.coordinate(writingItemAt: note) { path, _ in try machine.write("y", to: path.string) }
                _ = try await client.bookmark(of: note)

                let export = try PickerRequest(.export, originalPath: original)
                try await client.withPickerSession(export) { session in
                    #expect(session.roots.map(\.domain.rawValue) == ["store", "work"])
                    let folder = try await session.makeFolder(named: ItemName("New"), in: session.roots[0].id)
                    _ = try await session.put(as: ItemName("sent.txt"), in: folder.id)
                }
                #expect(machine.read(place + "/\(Self.notes)/New/sent.txt") == machine.read(original))
                let readOnly = try PickerRequest(.export, originalPath: original, domain: DomainName("home"))
                #expect(await code { try await client.withPickerSession(readOnly) { _ in } } == .notPermitted)
                let store = try PickerRequest(.open, types: [.content], domain: DomainName("store"))
                #expect(try await client.withPickerSession(store) { $0.roots.count } == 1)
            }
            // Without a container, the domain that it is in is one of those that the tool may not know.
            try register("domains = [\"work\"]", on: machine)
            try await machine.client { client async throws in
                let store = try PickerRequest(.open, types: [.content], domain: DomainName("store"))
                #expect(await code { try await client.withPickerSession(store) { _ in } } == .notPermitted)
                let all = try PickerRequest(.open, types: [.content])
                #expect(try await client.withPickerSession(all) { $0.roots.map(\.domain.rawValue) } == ["work"])
            }
        }
    }
}
