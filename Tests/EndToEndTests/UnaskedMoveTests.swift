import DocumentClient
import DocumentModel
import Foundation
import Glibc
import Synchronization
import Testing

/// Programs rename, move away and remove the files of documents, and no command of Docent's follows.
@Suite(.serialized) struct UnaskedMoveTests: UnaskedChangeSuite {
    @Test("COORD-40: a removed file makes its document a placeholder, and what comes back later can be opened")
    func removed() throws {
        try withDocument { machine, path in
            unlink(path)
            #expect(try Machine.eventually { try state(machine) == "placeholder" })
            #expect(try machine.succeed("cat", "d:/a.txt") == "first\n")
            try machine.write("second\n", to: path)
            #expect(arrives("second\n", machine))
        }
    }

    @Test(
        "DOWN-3: what is moved away and put back is the document's again, and what was changed of it meanwhile is sent")
    func awayAndBack() throws {
        try withDocument { machine, path in
            try shell(machine, "mv '\(path)' away")
            #expect(try Machine.eventually { try state(machine) == "placeholder" })
            try shell(machine, "mv away '\(path)'")
            #expect(try Machine.eventually { try state(machine) == "materialised" }, "\(machine.logTail)")
            try shell(machine, "mv '\(path)' away")
            #expect(try Machine.eventually { try state(machine) == "placeholder" })
            try shell(machine, "echo more >> away; mv away '\(path)'")
            #expect(arrives("first\nmore\n", machine, within: 10), "\(machine.logTail)")
        }
    }

    @Test("DOWN-3: a document whose file a program renames gets the new name, and keeps what was not sent of it")
    func renamed() throws {
        try withDocument { machine, path in
            let folder = machine.root + "/documents/d"
            let id = (try machine.json("stat", "d:/a.txt") as? [String: Any])?["identifier"] as? String
            try shell(machine, "cd '\(folder)'; mv a.txt b.txt")
            #expect(
                Machine.eventually(within: 15) { machine.read(machine.remote + "/b.txt") == "first\n" },
                "\(machine.logTail)")
            #expect(machine.read(machine.remote + "/a.txt") == nil)
            let status = try machine.json("stat", "d:/b.txt") as? [String: Any]
            #expect(status?["identifier"] as? String == id && id != nil)
            #expect(status?["state"] as? String == "materialised")

            // While its provider hangs.
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            try shell(machine, "cd '\(folder)'; echo more >> b.txt; sleep 1; mv b.txt c.txt; sleep 4")
            kill(provider, SIGCONT)
            #expect(
                Machine.eventually(within: 60) { machine.read(machine.remote + "/c.txt") == "first\nmore\n" },
                "\(machine.logTail)")
            #expect(machine.read(machine.remote + "/b.txt") == nil)
            #expect(try machine.succeed("status").contains("in sync"))
        }
    }

    private final class Notes: FilePresenter {
        let presentedItemLocation: Location?
        private let told = Mutex<[String]>([])

        init(_ location: Location) { presentedItemLocation = location }

        var all: [String] { told.withLock { $0 } }

        func presentedItemDidMove(to location: Location) async { told.withLock { $0.append("\(location)") } }
    }

    @Test("COORD-28: who presents a document hears that a plain program has given its file another name")
    func presented() async throws {
        try await Machine.with { machine async throws in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("cat", "d:/a.txt")
            try await machine.client { client async throws in
                let notes = Notes(try Location("d:/a.txt"))
                try await client.addPresenter(notes)
                try shell(machine, "cd '\(machine.root)/documents/d'; mv a.txt b.txt")
                #expect(Machine.eventually(within: 30) { notes.all == ["d:/b.txt"] }, "\(notes.all) \(machine.logTail)")
                try await client.removePresenter(notes)
            }
        }
    }

    @Test(
        "COORD-40: a new document whose file is removed before it was sent is gone, also for a host that was not there",
        arguments: [true, false])
    func removedBeforeItWasSent(whileRunning: Bool) async throws {
        try await Machine.with { machine async throws in
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("pause", "d:/")
            try await machine.client { client async throws in
                for name in ["d:/new.txt", "d:/other.txt"] {
                    try await FileCoordinator(client).coordinate(creatingItemAt: try Location(name)) { path, _ in
                        try machine.write("new\n", to: path.string)
                    }
                }
            }
            #expect(try machine.succeed("ls", "d:/").contains("new.txt"))
            if !whileRunning { try machine.succeed("host", "stop") }
            try shell(machine, "rm '\(machine.root)/documents/d/new.txt'")
            #expect(try Machine.eventually(within: 20) { try !machine.succeed("ls", "d:/").contains("new.txt") })
            #expect(try !machine.succeed("status", "d:/").contains("new.txt"))
            try machine.succeed("resume", "d:/")
            #expect(Machine.eventually(within: 20) { machine.read(machine.remote + "/other.txt") == "new\n" })
            #expect(machine.read(machine.remote + "/new.txt") == nil)
        }
    }
}
