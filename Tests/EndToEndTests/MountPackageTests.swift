import Foundation
import Glibc
import Testing

/// Programs save packages in a mounted tree: they remove parts, and make them anew.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountPackageTests {
    private static let parts = ["TXT.rtf", "a.png", "b.png"]

    /// Packages with three parts each, and a document beside them. From three on, deletions ask.
    private func withPackages(_ packages: [String] = ["note.rtfd"], _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for package in packages {
                let folder = machine.remote + "/" + package
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                for part in Self.parts { try machine.write("of \(part)\n", to: folder + "/" + part) }
            }
            try machine.write("other\n", to: machine.remote + "/other.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("domain", "set", "work", "--ask-from", "3", "--ask-from-percent", "10")
            try machine.mounted {
                try machine.sh("cat work/*.rtfd/* work/other.txt")
                try body(machine)
            }
        }
    }

    private func isSent(_ text: String, _ place: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 30) { machine.read(machine.remote + "/" + place) == text }
    }

    private func isGone(_ place: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 30) { !FileManager.default.fileExists(atPath: machine.remote + "/" + place) }
    }

    private func held(_ machine: Machine) throws -> Int {
        (try machine.json("domain", "deletions", "work") as? [[String: Any]])?.count ?? 0
    }

    @Test(
        "CONT-13: a package whose parts are removed and made anew with each save needs no yes, however often it is saved",
        arguments: [false, true])
    func savedOften(allAtOnce: Bool) throws {
        try withPackages { machine in
            for number in 1...4 {
                let parts = allAtOnce ? Self.parts : Array(Self.parts.dropFirst())
                let removal = "cd work/note.rtfd; rm \(parts.joined(separator: " "))"
                let making = parts.map { "echo \(number) > \($0)" }.joined(separator: "; ")
                // What has all of its parts removed is as good as gone, and asks where that alone is so much.
                if allAtOnce { try machine.succeed("domain", "set", "work", "--ask-from", "4") }
                try machine.sh("\(removal); \(making)")
                for part in parts { #expect(isSent("\(number)\n", "note.rtfd/\(part)", machine), "\(machine.logTail)") }
            }
            #expect(try held(machine) == 0)
        }
    }

    @Test("CONT-13: parts that are removed from a package that goes on existing are no deletions of documents")
    func shrunk() throws {
        try withPackages(["one.rtfd", "two.rtfd"]) { machine in
            try machine.sh("rm work/one.rtfd/a.png work/one.rtfd/b.png work/two.rtfd/a.png work/two.rtfd/b.png")
            for package in ["one.rtfd", "two.rtfd"] { #expect(isGone(package + "/b.png", machine)) }
            #expect(try held(machine) == 0)
            // With what is left of it goes all that was removed before.
            #expect(try machine.shell("rm -r work/one.rtfd").status != 0)
            #expect(machine.read(machine.remote + "/one.rtfd/TXT.rtf") == "of TXT.rtf\n")
            #expect(try held(machine) == 1)
        }
    }

    @Test("CONT-13: documents that are removed and made anew under their names need no yes")
    func documentsMadeAnew() throws {
        try withPackages { machine in
            for number in 1...5 {
                try machine.sh("rm work/other.txt; echo \(number) > work/other.txt")
                #expect(isSent("\(number)\n", "other.txt", machine), "\(machine.logTail)")
            }
            #expect(try held(machine) == 0)
        }
    }

    @Test("CONT-13: packages that are removed part by part are as much as removed at once")
    func removedPartByPart() throws {
        let packages = (1...4).map { "p\($0).rtfd" }
        try withPackages(packages) { machine in
            let removed = try machine.shell("rm -rf work/*.rtfd")
            #expect(removed.status != 0)
            #expect(try held(machine) == 1)
            sleep(3)
            let whole = packages.filter { package in
                Self.parts.allSatisfy { machine.read(machine.remote + "/\(package)/\($0)") == "of \($0)\n" }
            }
            #expect(whole.count == packages.count - 1, "\(whole)")
            try machine.succeed("domain", "deletions", "work", "--no")
        }
    }

    /// What a program has done with a part before it removes it.
    enum Before: CaseIterable, Sendable {
        case nothing, made, madeAndFlushed
    }

    @Test(
        "COORD-21: a part that was removed stays so when the host is killed before its provider has heard of it",
        arguments: Before.allCases)
    func killed(before: Before) throws {
        try withPackages { machine in
            rename(machine.remote, machine.remote + "-away")
            let part = "note.rtfd/" + (before == .nothing ? "a.png" : "new.png")
            let flush = before == .madeAndFlushed ? "sync work/\(part);" : ""
            let change = before == .nothing ? "" : "echo more > work/\(part); \(flush)"
            try machine.sh("set -e; \(change) rm work/\(part); echo more > work/note.rtfd/TXT.rtf", timeout: 20)
            let daemon = try #require(machine.daemon)
            kill(daemon, SIGKILL)
            #expect(Machine.eventually { machine.daemon == nil && machine.providers.isEmpty })
            rename(machine.remote + "-away", machine.remote)
            try machine.succeed("host", "start")
            #expect(isSent("more\n", "note.rtfd/TXT.rtf", machine), "\(machine.logTail)")
            #expect(isGone(part, machine), "\(machine.logTail)")
            try machine.succeed("refresh", "work:/note.rtfd")
            #expect(try machine.docent("stat", "work:/\(part)").status != 0)
            #expect(try machine.shell("cat work/\(part)").status != 0)
        }
    }
}
