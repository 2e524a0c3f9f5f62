import DocumentClient
import DocumentModel
import Foundation
import SystemPackage
import Testing

/// What a host tool can do with coordinators and presenters beyond plain reading and writing, through the daemon: this
/// process is two tools, on two connections.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CoordinationOptionsTests {
    private func withTwo(_ body: (Machine, DocumentClient, DocumentClient) async throws -> Void) async throws {
        try await Machine.with { machine in
            for name in ["a.txt", "b.txt"] { try machine.write("from \(name)", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await machine.client { one in
                try await machine.client { other in try await body(machine, one, other) }
            }
        }
    }

    private func place(_ name: String) throws -> Location { try Location("d:/" + name) }

    private func code(_ body: () async throws -> Void) async -> DocumentError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    /// Until `docent status` says so.
    private func says(_ words: String, _ machine: Machine) async throws -> Bool {
        for _ in 0..<600 {
            if try machine.succeed("status", "--plain").contains(words) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    // MARK: Coordinators

    @Test("COORD-14: a descriptor that is opened inside, and what is moved away inside, outlive the snapshot")
    func snapshotSurvives() async throws {
        try await withTwo { machine, client, _ in
            let moved = machine.folder + "/work/moved.txt"
            let coordinator = FileCoordinator(client)
            var paths: [String] = []
            let file = try await coordinator.coordinate(readingItemAt: place("a.txt"), options: .forUploading) {
                path, _ in
                paths.append(path.string)
                return try FileDescriptor.open(path, .readOnly)
            }
            try await coordinator.coordinate(readingItemAt: place("b.txt"), options: .forUploading) { path, _ in
                paths.append(path.string)
                try FileManager.default.moveItem(atPath: path.string, toPath: moved)
            }
            #expect(paths.allSatisfy { !FileManager.default.fileExists(atPath: $0) }, "snapshots go with their access")
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = try file.closeAfter { try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }
            #expect(bytes.prefix(count).elementsEqual("from a.txt".utf8))
            #expect(machine.read(moved) == "from b.txt")
            #expect(try machine.succeed("cat", "d:/b.txt") == "from b.txt", "the document itself is where it was")
        }
    }

    @Test(
        "COORD-12: resolvesSymbolicLink reads as plain reading does, since no item is a link; in a preparation it is refused"
    )
    func links() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            let editor = Editor(a, one, unsaved: "saved first")
            try await one.addPresenter(editor)
            let coordinator = FileCoordinator(other)
            let read = try await coordinator.coordinate(readingItemAt: a, options: .resolvesSymbolicLink) {
                path, item in
                #expect(item.location == a)
                return machine.read(path.string)
            }
            #expect(read == "saved first" && editor.heard.contains("save"))
            #expect(
                await code {
                    try await coordinator.prepare(for: [.reading(a, .resolvesSymbolicLink)]) {}
                } == .invalidArgument)
        }
    }

    @Test("COORD-35: a preparation has presenters of all documents save, at once, and gives no access")
    func preparation() async throws {
        try await withTwo { machine, one, other in
            let (a, b) = (try place("a.txt"), try place("b.txt"))
            let editors = [Editor(a, one, unsaved: "of a"), Editor(b, one, unsaved: "of b")]
            for editor in editors { try await one.addPresenter(editor) }
            let coordinator = FileCoordinator(other)
            let read = try await coordinator.prepare(for: [.reading(a), .reading(b)]) {
                #expect(editors.map { $0.heard.contains("save") } == [true, true])
                var read: [String?] = []
                for location in [a, b] {
                    read.append(
                        try await coordinator.coordinate(readingItemAt: location) { path, _ in machine.read(path.string)
                        })
                }
                return read
            }
            #expect(read == ["of a", "of b"])
            #expect(await editors[0].hears("reacquire"))
        }
    }

    @Test("COORD-37: cancelling refuses what waits, lets what runs go on, and refuses what comes later")
    func cancelling() async throws {
        try await withTwo { machine, one, other in
            let (a, b) = (try place("a.txt"), try place("b.txt"))
            let coordinator = FileCoordinator(one)
            let isHeld = Gate()
            async let holder: Void = other.coordinate(writingItemAt: a) { _, _ in await isHeld.wait() }
            #expect(try await says("writes d:/a.txt", machine))
            let waiting = Task { await code { try await coordinator.coordinate(readingItemAt: a) { _, _ in } } }
            #expect(try await says("waits to read d:/a.txt", machine))
            let running = try await coordinator.coordinate(writingItemAt: b) { path, _ in
                coordinator.cancel()
                let refusal = await waiting.value
                #expect(refusal == .cancelled)
                try machine.write("to its end", to: path.string)
                return "done"
            }
            #expect(running == "done")
            #expect(await code { try await coordinator.coordinate(readingItemAt: b) { _, _ in } } == .cancelled)
            isHeld.open()
            try await holder
            try await one.waitUntilSent(b)
            #expect(machine.read(machine.remote + "/b.txt") == "to its end")
        }
    }

    @Test("COORD-6, COORD-36: with one purpose nobody waits for the other, also of another connection; it is set once")
    func purpose() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            let (mine, same, unlike) = (FileCoordinator(one), FileCoordinator(other), FileCoordinator(other))
            try mine.setPurposeIdentifier("org.example.sync")
            try same.setPurposeIdentifier("org.example.sync")
            let again = #expect(throws: DocumentError.self) { try mine.setPurposeIdentifier("org.example.other") }
            #expect(again?.code == .invalidArgument)
            #expect(again?.message.contains("org.example.sync") == true)
            #expect(throws: DocumentError.self) { try unlike.setPurposeIdentifier("") }
            let ofPresenter = FileCoordinator(one, presenter: Editor(a, one, unsaved: nil))
            let refused = #expect(throws: DocumentError.self) { try ofPresenter.setPurposeIdentifier("org.example.x") }
            #expect(refused?.code == .invalidArgument)
            #expect(refused?.message.contains("made with a presenter and has that one's purpose") == true)
            try await mine.coordinate(writingItemAt: a) { _, _ in
                let read = try await same.coordinate(readingItemAt: a) { path, _ in machine.read(path.string) }
                #expect(read == "from a.txt")
                let waiting = Task { await code { try await unlike.coordinate(readingItemAt: a) { _, _ in } } }
                #expect(try await says("waits to read d:/a.txt", machine), "another purpose waits")
                unlike.cancel()
                let refusal = await waiting.value
                #expect(refusal == .cancelled)
            }
        }
    }

    @Test("COORD-29: who presents what he has just made hears of what those do who waited for it")
    func madeAndPresented() async throws {
        try await withTwo { machine, one, other in
            let place = try place("new.txt")
            let author = Author()
            try await one.addPresenter(author)
            let second = try await FileCoordinator(one, presenter: author).coordinate(writingItemAt: place) { path, _ in
                try machine.write("first", to: path.string)
                let second = Task.detached {
                    try await FileCoordinator(other).coordinate(writingItemAt: place) { path, _ in
                        try machine.write("second", to: path.string)
                    }
                }
                #expect(try await says("waits to write d:/new.txt", machine))
                author.present(place)
                return second
            }
            try await second.value
            #expect(await author.hears("changed"))
            #expect(author.heard == ["changed"])
        }
    }

    @Test(
        "COORD-7, PICK-19: what is exported over a document that is renamed meanwhile comes to its place, and leaves it alone",
        arguments: [true, false])
    func exportOverWhatMoves(isHere: Bool) async throws {
        try await withTwo { machine, one, other in
            let (a, c) = (try place("a.txt"), try place("c.txt"))
            let source = machine.folder + "/source.txt"
            try machine.write("exported", to: source)
            if isHere { try await one.download(a) }
            // What it has is brought before it is replaced, to be kept.
            let wait = isHere ? "waits to replace d:/a.txt" : "waits to read d:/a.txt"
            let exporting = try await FileCoordinator(one).coordinate(writingItemAt: a, for: .forMoving) { _, _ in
                let exporting = Task {
                    try await other.exportDocument(FilePath(source), to: a, replacing: true)
                }
                #expect(try await says(wait, machine))
                _ = try await one.rename(itemAt: a, to: c)
                return exporting
            }
            _ = try await exporting.value
            #expect(machine.read(machine.remote + "/a.txt") == "exported")
            #expect(machine.read(machine.remote + "/c.txt") == "from a.txt")
        }
    }

    @Test("COORD-13: metadata that is available at once is read without the contents, and without the provider")
    func metadataOnly() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            _ = try await one.items(in: Location("d:/")).first { _ in true }
            // With its provider unable to bring anything.
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            let state = try await FileCoordinator(one).coordinate(
                readingItemAt: a, options: .immediatelyAvailableMetadataOnly
            ) { _, item in item.state }
            #expect(state == .placeholder)
            let size = try await other.coordinate(readingItemAt: a, options: AccessOptions(metadataOnly: true)) {
                _, item in
                item.item.size
            }
            #expect(size == 10)
            #expect(await code { try await other.coordinate(readingItemAt: a) { _, _ in } } == .serverUnreachable)
        }
    }

    // MARK: Presenters

    @Test(
        "COORD-41, XFER-10: what is presented stays here, unless its presenter can do without the contents, and is asked"
    )
    func eviction() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            try await one.download(a)
            let editor = Editor(a, one)
            try await one.addPresenter(editor)
            let refusal = await code { try await other.evict(a) }
            #expect(refusal != nil, "it is presented by one that cannot")
            #expect(try await other.item(at: a).state == .materialised)
            try await one.removePresenter(editor)
            let viewer = Viewer(a)
            try await one.addPresenter(viewer)
            try await other.evict(a)
            #expect(viewer.heard == ["evict"])
            #expect(try await other.item(at: a).state == .placeholder)
        }
    }

    @Test("COORD-16, COORD-23: who presents what is to be deleted closes it first; an error of it refuses the deletion")
    func deletion() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            let viewer = Viewer(a)
            try await one.addPresenter(viewer)
            viewer.refuse(DocumentError(.notPermitted, "A print job still reads it."))
            let error = await #expect(throws: DocumentError.self) {
                try await other.coordinate(writingItemAt: a, for: .forDeleting) { _, _ in
                    Issue.record("the closure runs")
                }
            }
            #expect(error?.message.contains("A print job still reads it.") == true, "\(String(describing: error))")
            viewer.refuse(nil)
            try await other.coordinate(writingItemAt: a, for: .forDeleting) { _, _ in
                #expect(viewer.heard.last == "delete", "before the closure runs")
                try await other.remove(itemAt: a)
            }
            #expect(machine.read(machine.remote + "/a.txt") == nil)
        }
    }

    @Test("COORD-25: what a presenter throws while it saves is the reader's error, in another process too")
    func throwing() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            let editor = Editor(a, one, unsaved: "text")
            editor.refuse(DocumentError(.insufficientQuota, "The disk of the editor is full."))
            try await one.addPresenter(editor)
            let error = await #expect(throws: DocumentError.self) {
                try await other.coordinate(readingItemAt: a) { _, _ in Issue.record("the closure runs") }
            }
            #expect(error?.message.contains("The disk of the editor is full.") == true, "\(String(describing: error))")
            // Without a wish for what is unsaved it is not asked.
            let read = try await FileCoordinator(other).coordinate(readingItemAt: a, options: .withoutChanges) {
                path, _ in
                machine.read(path.string)
            }
            #expect(read == "from a.txt")
        }
    }

    @Test("COORD-31: who is added inside of a coordinated read hears of the write that waited for that read")
    func added() async throws {
        try await withTwo { machine, one, other in
            let a = try place("a.txt")
            let editor = Editor(a, one)
            let coordinator = FileCoordinator(other)
            let write = try await one.coordinate(readingItemAt: a) { _, _ in
                let write = Task {
                    try await coordinator.coordinate(writingItemAt: a) { path, _ in
                        try machine.write("changed", to: path.string)
                    }
                }
                #expect(try await says("waits to write d:/a.txt", machine))
                try await one.addPresenter(editor)
                return write
            }
            try await write.value
            #expect(await editor.hears("changed"))
        }
    }

    @Test(
        "COORD-28, COORD-40: what a plain program writes is told to who presents the document, and the folder around it"
    )
    func plainProgram() async throws {
        try await withTwo { machine, one, _ in
            let a = try place("a.txt")
            try await one.download(a)
            let (editor, folder) = (Editor(a, one), FolderWatcher(try Location("d:/")))
            try await one.addPresenter(editor)
            try await one.addPresenter(folder)
            try machine.write("by a plain program", to: machine.root + "/documents/d/a.txt")
            #expect(await editor.hears("changed"), "\(machine.logTail)")
            #expect(await folder.hears("changed d:/a.txt"))
        }
    }
}
