import Foundation
import Glibc
import Testing

/// A document with contents that nobody else has is moved here to a place that the remote does not have any more, or has something
/// else at.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MovedIntoGoneFolderTests {
    enum Remote: CaseIterable { case folder, server }

    /// A document that the remote has, in a tree that is mounted, and a folder beside it.
    private func withTree(on remote: Remote, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/d", withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/.tmp")
            try machine.write("beside\n", to: machine.remote + "/d/beside.txt")
            func use() throws {
                try machine.mounted {
                    try machine.sh("ls web/d; cat web/.tmp")
                    try body(machine)
                }
            }
            switch remote {
            case .folder:
                try machine.succeed(
                    "domain", "add", "web", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
                try use()
            case .server:
                try WebDAVServer.with(machine, password: "s3cret") { server in
                    try server.addDomain()
                    try use()
                }
            }
        }
    }

    /// A provider that is told of changes tells of these only afterwards.
    private func untold(_ machine: Machine, _ body: () throws -> Void) throws {
        let providers = machine.providers
        for provider in providers { kill(provider, SIGSTOP) }
        defer { for provider in providers { kill(provider, SIGCONT) } }
        try body()
    }

    private func contents(_ machine: Machine, within folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: folder)
        return (files?.allObjects as? [String] ?? []).compactMap { machine.read(folder + "/" + $0) }
    }

    @Test(
        "VER-15: what was saved and moved into a folder that is gone on the remote stays there, and is not written over by the next save",
        arguments: Remote.allCases)
    func folderIsGone(on remote: Remote) throws {
        try withTree(on: remote) { (machine) throws in
            try untold(machine) {
                try FileManager.default.removeItem(atPath: machine.remote + "/d")
                try machine.sh("echo saved > web/.tmp; sync web/.tmp; mv web/.tmp web/d/saved.txt")
            }
            // A program saves its next document by the same temporary name.
            try machine.sh("sleep 0.3; echo next > web/.tmp; sync web/.tmp; mv web/.tmp web/next.txt")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(machine.remote + "/d/saved.txt") == "saved\n"
                        && machine.read(machine.remote + "/next.txt") == "next\n"
                }, "\(contents(machine, within: machine.remote)) \(machine.logTail)")
            #expect(try machine.sh("cat web/d/saved.txt web/next.txt") == "saved\nnext\n")
        }
    }

    @Test("VER-15: nor when it was being sent while it was moved, and is sent by the time that the move is told")
    func sentMeanwhile() throws {
        try withTree(on: .folder) { (machine) throws in
            try untold(machine) {
                try FileManager.default.removeItem(atPath: machine.remote + "/d")
                try machine.sh("echo saved > web/.tmp; sync web/.tmp")
                #expect(try Machine.eventually { try machine.state("web:/.tmp") == "sending" })
                try machine.sh("mv web/.tmp web/d/saved.txt")
            }
            try machine.sh("sleep 0.3; echo next > web/.tmp; sync web/.tmp; mv web/.tmp web/next.txt")
            #expect(
                Machine.eventually(within: 30) {
                    Set(contents(machine, within: machine.remote)) == ["saved\n", "next\n"]
                }, "\(contents(machine, within: machine.remote)) \(machine.logTail)")
        }
    }

    @Test("VER-15: what has left the folder again does not bring it back")
    func movedOn() throws {
        try withTree(on: .folder) { (machine) throws in
            try untold(machine) {
                try FileManager.default.removeItem(atPath: machine.remote + "/d")
                try machine.sh(
                    "echo saved > web/.tmp; sync web/.tmp; mv web/.tmp web/d/saved.txt; mv web/d/saved.txt web/final.txt"
                )
            }
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/final.txt") == "saved\n" },
                "\(machine.logTail)")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/d"))
        }
    }

    @Test("VER-15: nor is it when something else of the document was changed on the remote")
    func retouched() throws {
        try withTree(on: .folder) { (machine) throws in
            try untold(machine) {
                try machine.write("theirs\n", to: machine.remote + "/d/saved.txt")
                try machine.sh("chmod 640 '\(machine.remote)/.tmp'")
                try machine.sh("echo saved > web/.tmp; sync web/.tmp; mv web/.tmp web/d/saved.txt")
            }
            try machine.sh("sleep 0.3; echo next > web/.tmp; sync web/.tmp; mv web/.tmp web/next.txt")
            #expect(
                Machine.eventually(within: 30) {
                    Set(contents(machine, within: machine.remote)) == ["saved\n", "theirs\n", "next\n", "beside\n"]
                }, "\(contents(machine, within: machine.remote)) \(machine.logTail)")
        }
    }

    @Test("VER-15: nor is it lost when the folder goes just then, whatever is told first")
    func folderGoesMeanwhile() throws {
        try withTree(on: .folder) { (machine) throws in
            var saved: Set<String> = []
            for round in 0..<16 {
                let folder = machine.remote + "/d\(round)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                #expect(Machine.eventually { (try? machine.sh("ls web/d\(round)")) != nil })
                let removal = "(sleep 0.0\(round % 8); rmdir '\(folder)') & "
                let save =
                    "echo \(round) > web/.tmp; sync web/.tmp; mv web/.tmp web/d\(round)/saved.txt; s=$?; wait; exit $s"
                // Where it is gone already, that is said.
                if try machine.shell(removal + save).status == 0 { saved.insert("\(round)\n") }
                try machine.sh("sleep 0.3; echo next > web/.tmp; sync web/.tmp")
            }
            #expect(!saved.isEmpty)
            #expect(
                Machine.eventually(within: 30) {
                    saved.isSubset(of: contents(machine, within: machine.remote))
                },
                "\(saved.subtracting(contents(machine, within: machine.remote))) is nowhere: \(machine.logTail)")
        }
    }

    @Test(
        "VER-15: what was saved and moved to a name that something else has on the remote by now gets a name beside that",
        arguments: Remote.allCases)
    func nameIsTaken(on remote: Remote) throws {
        try withTree(on: remote) { (machine) throws in
            try untold(machine) {
                try machine.write("theirs\n", to: machine.remote + "/d/saved.txt")
                try machine.sh("echo saved > web/.tmp; sync web/.tmp; mv web/.tmp web/d/saved.txt")
            }
            try machine.sh("sleep 0.3; echo next > web/.tmp; sync web/.tmp; mv web/.tmp web/next.txt")
            #expect(
                Machine.eventually(within: 30) {
                    Set(contents(machine, within: machine.remote)) == ["saved\n", "theirs\n", "next\n", "beside\n"]
                }, "\(contents(machine, within: machine.remote)) \(machine.logTail)")
            #expect(machine.read(machine.remote + "/d/saved.txt") == "theirs\n")
            try machine.succeed("refresh", "web:/d")
            #expect(
                Machine.eventually(within: 30) {
                    (try? machine.sh("cat web/d/saved*"))?.split(separator: "\n").sorted() == ["saved", "theirs"]
                }, "\(machine.logTail)")
        }
    }
}
