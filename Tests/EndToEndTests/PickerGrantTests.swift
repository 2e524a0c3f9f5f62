import DocumentModel
import DocumentWire
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import DocumentClient

/// What a picker session gives, and what it does not.
@Suite(.serialized) struct PickerGrantTests: PickerSuite {
    @Test(
        "PICK-3, BOOK-4: an export gives no access: no reading, writing or bookmark, until the document is chosen to be opened"
    )
    func exportGrantsNothing() async throws {
        try await withDomains { machine, client in
            let work = try DomainName("work")
            let export = try PickerRequest(.export, originalPath: machine.folder + "/work/report.txt", domain: work)
            let location = try await client.withPickerSession(export) { session in
                let picked = try await session.put(as: try ItemName("sent.txt"), in: try root(session, "work"))
                #expect(picked.path == nil && picked.status.path.isEmpty)
                return picked.location
            }
            #expect(await code { try await client.coordinate(readingItemAt: location) { _, _ in } } == .notPermitted)
            #expect(await code { try await client.coordinate(writingItemAt: location) { _, _ in } } == .notPermitted)
            let copy = FilePath(machine.folder + "/work/again.txt")
            #expect(await code { try await client.importDocument(at: location, to: copy) } == .notPermitted)
            #expect(await code { try await client.bookmark(of: location) } == .notPermitted)
            // Where it is by then makes no difference.
            let renamed = try Location("work:/renamed.txt")
            _ = try await client.rename(itemAt: location, to: renamed)
            #expect(await code { try await client.coordinate(readingItemAt: renamed) { _, _ in } } == .notPermitted)
            // It is this tool's sign: others have their own rights, and choosing gives them anew.
            try machine.succeed("cat", renamed.description)
            let open = try PickerRequest(.open, types: [.content], domain: work)
            try await client.withPickerSession(open) { session in
                let all = try await entries(session, try root(session, "work"))
                _ = try await session.open(try #require(all["renamed.txt"]).id)
            }
            let text = try await client.coordinate(readingItemAt: renamed) { path, _ in machine.read(path.string) }
            #expect(text == "a report")
        }
    }

    @Test("PICK-1, COORD-21: a package is imported as one document: when nobody writes it, with all that is in it")
    func importedPackage() async throws {
        try await withDomains { machine, client in
            let remote = machine.remote + "/note.rtfd"
            try FileManager.default.createDirectory(atPath: remote + "/inner", withIntermediateDirectories: true)
            try machine.write("text", to: remote + "/TXT.rtf")
            try machine.write("inside", to: remote + "/inner/b.txt")
            try machine.succeed("refresh", "work:/")
            let text = try Location("work:/note.rtfd/TXT.rtf")
            let isWriting = AsyncStream<Void>.makeStream()
            let mayEnd = AsyncStream<Void>.makeStream()
            let writing = Task {
                try await client.coordinate(writingItemAt: text) { path, _ in
                    try machine.write("half", to: path.string)
                    isWriting.continuation.finish()
                    for await _ in mayEnd.stream {}
                    try machine.write("whole", to: path.string)
                }
            }
            for await _ in isWriting.stream {}
            let copy = machine.folder + "/work/copy.rtfd"
            let importing = Task {
                try await client.withPickerSession(
                    try PickerRequest(.import, types: [.content], domain: DomainName("work"))
                ) { session in
                    let note = try #require(try await entries(session, try root(session, "work"))["note.rtfd"])
                    #expect(note.isSelectable)
                    return try await session.importDocument(note.id, to: FilePath(copy)).path
                }
            }
            var waits = false
            for _ in 0..<200 where !waits {
                waits = try machine.succeed("status").contains("waits to read work:/note.rtfd")
                if !waits { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(waits)
            mayEnd.continuation.finish()
            try await writing.value
            #expect(try await importing.value == FilePath(copy))
            #expect(machine.read(copy + "/TXT.rtf") == "whole" && machine.read(copy + "/inner/b.txt") == "inside")
            #expect(try FileManager.default.contentsOfDirectory(atPath: copy).sorted() == ["TXT.rtf", "inner"])
        }
    }

    @Test("COORD-39: a picker session that waits for a provider says so")
    func waitingForProvider() async throws {
        try await withDomains { machine, client in
            try machine.succeed("ls", "book:/")
            let book = try DomainName("book")
            let providers = machine.processes(named: "recording-provider")
            try #require(!providers.isEmpty)
            for provider in providers { kill(provider, SIGSTOP) }
            defer { for provider in providers { kill(provider, SIGCONT) } }
            let looking = Task {
                try await client.withPickerSession(try PickerRequest(.open, types: [.content], domain: book)) {
                    session in
                    try await entries(session, try root(session, "book")).count
                }
            }
            var waits = false
            for _ in 0..<200 where !waits {
                waits = try machine.succeed("status").contains("waits to choose in book until its provider is ready")
                if !waits { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(waits)
            for provider in providers { kill(provider, SIGCONT) }
            #expect(try await looking.value > 0)
            #expect(try !machine.succeed("status").contains("waits to choose"))
        }
    }

    @Test("PICK-4: a moved document may be used in its new place at once")
    func moveGrants() async throws {
        try await withDomains { machine, client in
            let request = try PickerRequest(.move, originalPath: machine.folder + "/work/report.txt")
            let location = try await client.withPickerSession(request) { session in
                try await session.put(as: try ItemName("moved.txt"), in: try root(session, "work")).location
            }
            try await client.coordinate(writingItemAt: location) { path, _ in
                try machine.write("edited", to: path.string)
            }
            try await client.waitUntilSent(location)
            #expect(machine.read(machine.remote + "/moved.txt") == "edited")
        }
    }

    @Test(
        "PICK-6, COORD-8: what lies in the storage root is not taken away by a move, also when the way to it leads through a link"
    )
    func linkedOriginal() async throws {
        try await withDomains { machine, client in
            let document = try Location("work:/one.txt")
            try await client.coordinate(readingItemAt: document) { _, _ in }
            let link = machine.folder + "/work/link"
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: machine.root + "/documents/work")
            let request = try PickerRequest(.move, originalPath: link + "/one.txt")
            let refusal = await failure {
                try await client.withPickerSession(request) { session in
                    try await session.put(as: try ItemName("elsewhere.txt"), in: try root(session, "work"))
                }
            }
            #expect(refusal?.code == .invalidArgument, "\(refusal as Any)")
            #expect(refusal?.message.contains("rename or move the item itself instead") == true)
            #expect(machine.read(machine.root + "/documents/work/one.txt") == "one\n")
        }
    }

    @Test("PICK-3, COORD-1: an original that is a provided document is exported as it is when nobody writes it")
    func providedOriginal() async throws {
        try await withDomains { machine, client in
            let document = try Location("work:/one.txt")
            let path = try await client.coordinate(readingItemAt: document) { path, _ in path.string }
            let isWriting = AsyncStream<Void>.makeStream()
            let mayEnd = AsyncStream<Void>.makeStream()
            let writing = Task {
                try await client.coordinate(writingItemAt: document) { path, _ in
                    try machine.write("half", to: path.string)
                    isWriting.continuation.finish()
                    for await _ in mayEnd.stream {}
                    try machine.write("whole\n", to: path.string)
                }
            }
            for await _ in isWriting.stream {}
            let choosing = Task {
                try await client.withPickerSession(try PickerRequest(.export, originalPath: path)) { session in
                    try await session.put(as: try ItemName("copy.txt"), in: try root(session, "work")).location
                }
            }
            var waits = false
            for _ in 0..<200 where !waits {
                waits = try machine.succeed("status").contains("waits to read work:/one.txt")
                if !waits { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(waits)
            mayEnd.continuation.finish()
            try await writing.value
            _ = try await choosing.value
            #expect(machine.read(machine.remote + "/copy.txt") == "whole\n")
        }
    }

    @Test("PICK-5: an original that is a provided document, and not here, is brought; a folder is refused")
    func evictedOriginal() async throws {
        try await withDomains { machine, client in
            let path = machine.root + "/documents/work/one.txt"
            #expect(try machine.succeed("cat", "work:/one.txt") == "one\n")
            try machine.succeed("evict", "work:/one.txt")
            #expect(machine.read(path) == nil)
            // As a tool in another language may ask, that does not look for itself.
            _ = try await client.ask(
                .exportDocument(sourcePath: path, destination: try Location("work:/copy.txt"), replace: false))
            #expect(machine.read(machine.remote + "/copy.txt") == "one\n")
            try machine.succeed("mkdir", "work:/folder")
            let refusal = await failure {
                try await client.ask(
                    .exportDocument(
                        sourcePath: machine.root + "/documents/work/folder", destination: try Location("work:/copy"),
                        replace: false))
            }
            #expect(refusal?.message.contains("name a document") == true, "\(refusal as Any)")
        }
    }

    @Test("PICK-12: without a file half import and export work fully, and open and move are refused, also by name")
    func withoutFileHalf() async throws {
        try await withDomains { machine, client in
            try machine.succeed("domain", "add", "clip", "--provider", "org.example.clippings")
            let clip = try DomainName("clip")
            let original = machine.folder + "/work/report.txt"
            let open = try PickerRequest(.open, types: [.content], domain: clip)
            #expect(await code { try await client.withPickerSession(open) { _ in } } == .notPermitted)
            let move = try PickerRequest(.move, originalPath: original, domain: clip)
            #expect(await code { try await client.withPickerSession(move) { _ in } } == .notPermitted)
            let anywhere = try PickerRequest(.open, types: [.content])
            try await client.withPickerSession(anywhere) { session in
                #expect(!session.roots.contains { $0.domain == clip })
            }
            let export = try PickerRequest(.export, originalPath: original, domain: clip)
            try await client.withPickerSession(export) { session in
                _ = try await session.put(as: try ItemName("cut.txt"), in: try root(session, "clip"))
            }
            let copy = FilePath(machine.folder + "/work/copy.txt")
            let request = try PickerRequest(.import, types: [.text], domain: clip)
            try await client.withPickerSession(request) { session in
                let all = try await entries(session, try root(session, "clip"))
                _ = try await session.importDocument(try #require(all["cut.txt"]).id, to: copy)
            }
            #expect(machine.read(copy.string) == "a report")
        }
    }

    @Test("PICK-13: no call tells anything of what is in a drop box: what is there answers like what is not")
    func dropBox() async throws {
        try await withDomains { machine, client in
            let export = try PickerRequest(
                .export, originalPath: machine.folder + "/work/report.txt", domain: try DomainName("drop"))
            for _ in 0..<2 {
                // Also when the name is taken: then it goes beside what is there.
                try await client.withPickerSession(export) { session in
                    let picked = try await session.put(as: try ItemName("report.txt"), in: session.roots[0].id)
                    #expect(picked.location.description == "drop:/report.txt" && picked.status.item.size == 8)
                }
            }
            #expect(machine.calls(of: "drop").count { $0.hasPrefix("create") } >= 2)
            let (top, there, missing) = (
                try Location("drop:/"), try Location("drop:/report.txt"), try Location("drop:/missing.txt")
            )
            let copy = FilePath(machine.folder + "/work/copy.txt")
            let calls: [(String, (Location) async throws -> Void)] = [
                ("list", { _ = try await client.itemPage(in: $0) }),
                ("stat", { _ = try await client.item(at: $0) }),
                ("make a folder", { _ = try await client.makeFolder(at: $0) }),
                ("rename", { _ = try await client.rename(itemAt: $0, to: try Location("drop:/other.txt")) }),
                ("remove", { try await client.remove(itemAt: $0) }),
                ("refresh", { try await client.refresh($0) }),
                ("read", { try await client.coordinate(readingItemAt: $0) { _, _ in } }),
                ("write", { try await client.coordinate(writingItemAt: $0) { _, _ in } }),
                ("import", { _ = try await client.importDocument(at: $0, to: copy) }),
                (
                    "replace",
                    {
                        _ = try await client.exportDocument(
                            FilePath(machine.folder + "/work/report.txt"), to: $0, replacing: true)
                    }
                ),
                ("download", { try await client.download($0) }),
                ("evict", { _ = try await client.evict($0) }),
                ("resolve", { try await client.resolveConflict(at: $0, keeping: .local) }),
                ("bookmark", { _ = try await client.bookmark(of: $0) }),
                ("versions", { _ = try await client.versions(of: $0) }),
                ("keep", { try await client.keep($0, as: .pinned) }),
                ("pause", { try await client.pauseTransfers(at: $0) }),
                ("preview", { _ = try await client.preview(below: $0) }),
                ("move out", { _ = try await client.moveOut($0, to: copy) }),
            ]
            for (name, call) in calls {
                let errors = await [there, missing].asyncMap { place in await failure { try await call(place) } }
                #expect(errors.allSatisfy { $0?.code == .notPermitted }, "\(name): \(errors)")
                let told = errors.map { $0?.message.replacing("missing", with: "report") }
                #expect(told[0] == told[1], "\(name)")
                if !["make a folder", "rename", "remove", "replace", "resolve"].contains(name) {
                    #expect(await code { try await call(top) } == .notPermitted, "\(name) of the top folder")
                }
            }
            let status = try await client.status()
            #expect(!status.items.contains { $0.location.domain.rawValue == "drop" })
            let box = try #require(status.domains.first { $0.domain.name.rawValue == "drop" })
            #expect(box.items == 0 && box.materialised == 0)
            #expect(machine.read(machine.root + "/documents/drop/report.txt") == nil, "no copy stays here")
            #expect(machine.read(copy.string) == nil)
        }
    }

    @Test("PICK-20: an entry's id is good for its session, and none can be made up or changed")
    func sealedIDs() async throws {
        try await withDomains { machine, client in
            let request = try PickerRequest(.open, types: [.content], domain: try DomainName("work"))
            try await client.withPickerSession(request) { session in
                let one = try #require(try await entries(session, try root(session, "work"))["one.txt"])
                for index in one.id.bytes.indices {
                    var bytes = one.id.bytes
                    bytes[index] ^= 1
                    let changed = try PickerEntryID(bytes)
                    #expect(await code { try await session.open(changed) } == .invalidArgument, "byte \(index)")
                    #expect(await code { try await session.listing(of: changed) } == .invalidArgument, "byte \(index)")
                }
                try await client.withPickerSession(request) { other in
                    #expect(await code { try await other.open(one.id) } == .invalidArgument)
                }
                #expect(try await session.open(one.id).location.description == "work:/one.txt")
            }
        }
    }

    @Test("PICK-20: each entry and each domain says what can be done with it")
    func capabilities() async throws {
        try await withDomains { machine, client in
            let request = try PickerRequest(.open, types: [.content])
            try await client.withPickerSession(request) { session in
                let work = try #require(session.roots.first { $0.domain.rawValue == "work" })
                #expect(work.capabilities == .all)
                let one = try #require(try await entries(session, work.id)["one.txt"])
                #expect(one.status.item.capabilities == .all)
                let welcome = try #require(try await entries(session, try root(session, "book"))["Welcome.md"])
                #expect(welcome.status.item.capabilities == [.read, .write, .delete])
            }
        }
    }

    @Test("PICK-21: several documents are imported in one session, each under its own name, or none")
    func importingSeveral() async throws {
        try await withDomains { machine, client in
            let request = try PickerRequest(
                .import, types: [.text], domain: try DomainName("work"), allowsSeveral: true)
            let folder = FilePath(machine.folder + "/work")
            try await client.withPickerSession(request) { session in
                let top = try root(session, "work")
                let one = try #require(try await entries(session, top)["one.txt"])
                let letters = try #require(try await entries(session, top)["Letters"])
                let two = try #require(try await entries(session, letters.id)["two.txt"])
                let same = folder.appending("same.txt")
                #expect(
                    await code { try await session.importDocuments([(one.id, same), (two.id, same)]) }
                        == .destinationExists)
                #expect(
                    await code {
                        try await session.importDocuments([
                            (one.id, folder.appending("a.txt")), (two.id, folder.appending("report.txt")),
                        ])
                    } == .destinationExists)
                #expect(machine.read(folder.appending("a.txt").string) == nil, "nothing was copied")
                let picked = try await session.importDocuments([
                    (one.id, folder.appending("a.txt")), (two.id, folder.appending("b.txt")),
                ])
                #expect(picked.compactMap { $0.path?.lastComponent?.string } == ["a.txt", "b.txt"])
            }
            #expect(machine.read(folder.appending("a.txt").string) == "one\n")
            #expect(machine.read(folder.appending("b.txt").string) == "two\n")
            #expect(try await client.hostStatus().claims == 0)
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async -> Value) async -> [Value] {
        var values: [Value] = []
        for element in self { values.append(await transform(element)) }
        return values
    }
}
