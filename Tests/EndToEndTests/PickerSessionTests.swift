import DocumentClient
import DocumentModel
import Foundation
import SystemPackage
import Testing

/// Picker sessions from a tool's side, with real providers.
@Suite(.serialized) struct PickerSessionTests: PickerSuite {
    @Test(
        "PICK-2, PICK-14, PICK-17: open shows what there is, lets one choose what fits, and grants the path below the root"
    )
    func open() async throws {
        try await withDomains { machine, client in
            let request = try PickerRequest(.open, types: [.text])
            let path = try await client.withPickerSession(request) { session in
                #expect(session.roots.map(\.domain.rawValue) == ["book", "work"], "a drop box is for export only")
                let top = try root(session, "work")
                let all = try await entries(session, top)
                let one = try #require(all["one.txt"])
                #expect(one.status.item.size == 4 && one.status.item.contentType == .plainText && one.isSelectable)
                #expect(one.status.state == .placeholder && one.status.item.modified != .zero)
                #expect(one.status.item.created != .zero, "PICK-17: also when it was made")
                #expect(all["Letters"]?.status.item.kind == .folder && all["Letters"]?.isSelectable == false)
                let photo = try #require(all["photo.png"])
                #expect(!photo.isSelectable)
                #expect(await code { try await session.open(photo.id) } == .typeNotAccepted)
                #expect(await code { try await session.open(try #require(all["Letters"]).id) } == .typeNotAccepted)
                // The session is still open.
                let picked = try await session.open(one.id)
                #expect(picked.location.description == "work:/one.txt")
                return try #require(picked.path)
            }
            #expect(path.string == machine.root + "/documents/work/one.txt")
            #expect(machine.read(path.string) == nil, "nothing need exist there yet")
            let text = try await client.coordinate(readingItemAt: try Location("work:/one.txt")) { path, _ in
                machine.read(path.string)
            }
            #expect(text == "one\n")
        }
    }

    @Test("PICK-15: open takes what lies strictly below one of its domains, wherever a path seems to lead")
    func paths() async throws {
        try await withDomains { machine, client in
            let documents = machine.root + "/documents"
            let request = try PickerRequest(.open, types: [.content], domain: try DomainName("work"))
            try await client.withPickerSession(request) { session in
                _ = try await session.listing(of: try root(session, "work"))
                try FileManager.default.createDirectory(
                    atPath: documents + "/work", withIntermediateDirectories: true)
                symlink("/etc/passwd", documents + "/work/link")
                symlink("/etc", documents + "/work/folder")
                defer {
                    unlink(documents + "/work/link")
                    unlink(documents + "/work/folder")
                }
                for outside in [
                    documents + "/work", documents, machine.root, "/etc/passwd", documents + "/work/../../..",
                    documents + "/work/../book/Welcome.md", documents + "/work/link", documents + "/work/folder/passwd",
                    documents + "/book/Welcome.md", documents + "/work/missing/../../x",
                ] {
                    #expect(
                        await code { try await session.open(path: FilePath(outside)) } == .outsideStorageRoot,
                        "\(outside)")
                }
                let top = try root(session, "work")
                #expect(await code { try await session.open(top) } == .outsideStorageRoot)
                let foreign = try PickerEntryID(Array("book\0Welcome.md".utf8))
                #expect(await code { try await session.open(foreign) } == .invalidArgument)
                let garbage = try PickerEntryID([1, 2, 3])
                #expect(await code { try await session.open(garbage) } == .invalidArgument)
                let picked = try await session.open(path: FilePath(documents + "/work/Letters/two.txt"))
                #expect(picked.location.description == "work:/Letters/two.txt")
            }
        }
    }

    @Test("PICK-1, PICK-5: import has the contents provided, and makes a copy of one's own")
    func importing() async throws {
        try await withDomains { machine, client in
            let copy = FilePath(machine.folder + "/work/copy.txt")
            let request = try PickerRequest(.import, types: [.text])
            try await client.withPickerSession(request) { session in
                let one = try #require(try await entries(session, try root(session, "work"))["one.txt"])
                let picked = try await session.importDocument(one.id, to: copy)
                #expect(picked.path == copy && machine.read(copy.string) == "one\n")
                #expect(await code { try await session.importDocument(one.id, to: "again.txt") } == .invalidArgument)
            }
            try machine.write("mine\n", to: copy.string)
            #expect(try await client.item(at: try Location("work:/one.txt")).state == .materialised)
            #expect(machine.read(machine.remote + "/one.txt") == "one\n", "edits never reach the provider")
            #expect(try await client.hostStatus().claims == 0)
        }
    }

    @Test("PICK-3, PICK-17, PICK-19: export copies to a chosen folder, replaces when told to, and grants nothing")
    func exporting() async throws {
        try await withDomains { machine, client in
            let original = machine.folder + "/work/report.txt"
            for (replacing, folderName) in [(false, "New"), (true, "")] {
                let request = try PickerRequest(.export, originalPath: original, domain: try DomainName("work"))
                try await client.withPickerSession(request) { session in
                    let top = try root(session, "work")
                    let name = try ItemName(replacing ? "one.txt" : "report.txt")
                    var folder = top
                    if !replacing {
                        #expect(
                            await code { try await session.makeFolder(named: try ItemName("Letters"), in: top) }
                                == .destinationExists)
                        let made = try await session.makeFolder(named: try ItemName(folderName), in: top)
                        #expect(made.isSelectable && made.status.location.description == "work:/New")
                        folder = made.id
                    } else {
                        #expect(await code { try await session.put(as: name, in: top) } == .destinationExists)
                        let letters = try ItemName("Letters")
                        #expect(
                            await code { try await session.put(as: letters, in: top, replacing: true) }
                                == .destinationExists, "a folder is never replaced")
                    }
                    let picked = try await session.put(as: name, in: folder, replacing: replacing)
                    #expect(picked.path == nil, "a sign of success only")
                    #expect(await code { try await session.put(as: name, in: folder) } == .invalidArgument)
                }
            }
            #expect(machine.read(machine.remote + "/New/report.txt") == "a report")
            #expect(machine.read(machine.remote + "/one.txt") == "a report")
            #expect(machine.read(original) == "a report", "the original stays")
        }
    }

    @Test("PICK-4, PICK-6: move takes the original away when it is done; when it fails everything is as it was")
    func moving() async throws {
        try await withDomains { machine, client in
            let original = machine.folder + "/work/report.txt"
            let request = try PickerRequest(.move, originalPath: original)
            let path = try await client.withPickerSession(request) { session in
                try await session.put(as: try ItemName("moved.txt"), in: try root(session, "work")).path
            }
            #expect(path?.string == machine.root + "/documents/work/moved.txt")
            #expect(machine.read(original) == nil && machine.read(machine.remote + "/moved.txt") == "a report")

            try machine.write("another", to: original)
            _ = try machine.succeed("host", "status")
            let failed = await code {
                try await client.withPickerSession(request) { session in
                    let top = try root(session, "work")
                    _ = try await session.listing(of: top)
                    chmod(machine.remote, 0o500)
                    defer { chmod(machine.remote, 0o700) }
                    // For root no folder is read-only; then the folder itself goes away.
                    rename(machine.remote, machine.remote + "-away")
                    defer { rename(machine.remote + "-away", machine.remote) }
                    return try await session.put(as: try ItemName("x.txt"), in: top)
                }
            }
            #expect(failed != nil && machine.read(original) == "another")
        }
    }

    @Test("PICK-6: when the transfer fails the tool gets the error and no path, and the session is over")
    func failingTransfer() async throws {
        try await withDomains(settings: ["broken=yes"]) { machine, client in
            let request = try PickerRequest(.import, types: [.text], domain: try DomainName("book"))
            try await client.withPickerSession(request) { session in
                let book = try root(session, "book")
                let day = try #require(try await entries(session, book)["First day"])
                let list = try #require(try await entries(session, day.id)["Checklist.txt"])
                let copy = FilePath(machine.folder + "/work/list.txt")
                #expect(await code { try await session.importDocument(list.id, to: copy) } == .serverUnreachable)
                #expect(machine.read(copy.string) == nil)
                #expect(await code { try await session.listing(of: book) } == .invalidArgument)
            }
            #expect(try await client.hostStatus().claims == 0)
        }
    }

    @Test("PICK-7, PICK-18: the provider is prepared first and once, asked about the choice, and told the end once")
    func lifeCycle() async throws {
        try await withDomains { machine, client in
            let before = machine.calls(of: "book").count
            let request = try PickerRequest(.open, types: [.content])
            try await client.withPickerSession(request) { session in
                let book = try root(session, "book")
                let listing = try await session.listing(of: book)
                #expect(listing.shape.message == "Choose wisely." && listing.shape.columns == [.type])
                #expect(listing.shape.places.map(\.title) == ["Your first day"])
                let day = try await entries(session, listing.shape.places[0].id)
                let welcome = try #require(try await entries(session, book)["Welcome.md"])
                do {
                    _ = try await session.open(welcome.id)
                    Issue.record("the provider's refusal was not heard")
                } catch let error as DocumentError {
                    #expect(error.code == .notPermitted && error.message.contains("The welcome is not for you"))
                }
                let picked = try await session.open(try #require(day["Checklist.txt"]).id)
                #expect(picked.location.description == "book:/First day/Checklist.txt")
                #expect(await code { try await session.listing(of: book) } == .invalidArgument)
                #expect(await code { try await session.open(welcome.id) } == .invalidArgument)
                #expect(await code { try await session.cancel() } == .invalidArgument)
            }
            let ended = Machine.eventually { machine.calls(of: "book").contains { $0.hasPrefix("end_picker") } }
            #expect(ended)
            let calls = machine.calls(of: "book").dropFirst(before)
            let pickers = calls.filter { !$0.hasPrefix("enumerate") && !$0.hasPrefix("start_providing") }
            let session = calls.first?.split(separator: " ").last.map(String.init) ?? ""
            #expect(calls.first == "prepare_picker \(session)", "before any other call: \(calls)")
            #expect(
                pickers
                    == ["prepare_picker", "validate_choice", "validate_choice", "end_picker"].map { "\($0) \(session)" }
            )
        }
    }

    @Test("PICK-16: a cancelled session transfers and grants nothing, and is over; so is one whose tool has gone")
    func cancelling() async throws {
        try await withDomains { machine, client in
            let request = try PickerRequest(.open, types: [.content])
            try await client.withPickerSession(request) { session in
                let book = try root(session, "book")
                let welcome = try await session.listing(of: book)
                try await session.cancel()
                #expect(await code { try await session.listing(of: book) } == .invalidArgument)
                #expect(await code { try await session.open(welcome.folder.id) } == .invalidArgument)
                #expect(await code { try await session.cancel() } == .invalidArgument)
            }
            func ends() -> Int { machine.calls(of: "book").count { $0.hasPrefix("end_picker") } }
            let first = Machine.eventually { ends() == 1 }
            #expect(first)
            // Without a word: the connection's end is the session's.
            struct Gone: Error {}
            try? await machine.client { other in
                try await other.withPickerSession(request) { session in
                    _ = try await session.listing(of: try root(session, "book"))
                    throw Gone()
                }
            }
            let second = Machine.eventually { ends() == 2 }
            #expect(second)
            #expect(!machine.calls(of: "book").contains { $0.hasPrefix("start_providing") })
        }
    }

    @Test(
        "PICK-9, PICK-10, PICK-12, PICK-13: who does not offer the mode is refused, also by name; a drop box takes and tells nothing"
    )
    func offers() async throws {
        try await withDomains { machine, client in
            let drop = try DomainName("drop")
            for mode in [PickerMode.import, .open] {
                let request = try PickerRequest(mode, types: [.content], domain: drop)
                #expect(await code { try await client.withPickerSession(request) { _ in } } == .notPermitted)
            }
            let original = machine.folder + "/work/report.txt"
            let move = try PickerRequest(.move, originalPath: original, domain: drop)
            #expect(await code { try await client.withPickerSession(move) { _ in } } == .notPermitted)
            let missing = try PickerRequest(.export, originalPath: original + "-missing")
            #expect(await code { try await client.withPickerSession(missing) { _ in } } == .noSuchItem)

            let export = try PickerRequest(.export, originalPath: original)
            try await client.withPickerSession(export) { session in
                let box = try #require(session.roots.first { $0.domain == drop })
                #expect(box.isDropBox && session.roots.count == 3 && box.actions == [.create])
                let listing = try await session.listing(of: box.id)
                #expect(listing.entries.isEmpty && listing.next == nil && listing.folder.isSelectable)
                #expect(
                    await code { try await session.makeFolder(named: try ItemName("x"), in: box.id) } == .notPermitted)
                let found = try await session.search(for: try PickerQuery("report"), below: box.id)
                #expect(found == PickerFindings(entries: []), "of a drop box nothing is told")
                let picked = try await session.put(as: try ItemName("report.txt"), in: box.id)
                #expect(picked.path == nil)
            }
            let location = try Location("drop:/report.txt")
            #expect(await code { try await client.item(at: location) } == .notPermitted)
            #expect(await code { try await client.coordinate(readingItemAt: location) { _, _ in } } == .notPermitted)
            #expect(await code { try await client.itemPage(in: try Location("drop:/")) } == .notPermitted)
            #expect(await code { try await client.download(location) } == .notPermitted)
            #expect(machine.calls(of: "drop").contains { $0.hasPrefix("create") })
        }
    }

    @Test("PICK-21: several items in one session, and a folder as a whole, when they were asked for")
    func severalAndFolders() async throws {
        try await withDomains { machine, client in
            let one = try PickerRequest(.open, types: [.content], domain: try DomainName("work"))
            let request = try PickerRequest(
                .open, types: [.content, .folder], domain: try DomainName("work"), allowsSeveral: true)
            for (request, isAllowed) in [(one, false), (request, true)] {
                try await client.withPickerSession(request) { session in
                    let all = try await entries(session, try root(session, "work"))
                    let chosen = try ["one.txt", isAllowed ? "Letters" : "photo.png"].map { try #require(all[$0]).id }
                    guard isAllowed else {
                        #expect(await code { try await session.open(chosen) } == .invalidArgument)
                        return
                    }
                    let picked = try await session.open(chosen)
                    #expect(picked.map(\.location.description) == ["work:/one.txt", "work:/Letters"])
                    #expect(picked[1].path?.string == machine.root + "/documents/work/Letters")
                }
            }
        }
    }
}
