import DocumentModel
import Foundation
import Testing

/// What the host makes itself, at places where tools are writing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PlaceClaimTests {
    /// What can be asked of the host that makes something at `d:/new.txt`, and what is left of it when that is taken.
    enum Maker: String, CaseIterable, Sendable {
        case export, move, makeFolder, rename, moveFolder, renameUnsent

        func words(_ machine: Machine) -> [String] {
            switch self {
            case .export: ["export", machine.folder + "/source.txt", "d:/new.txt"]
            case .move: ["move", machine.folder + "/source.txt", "d:/new.txt"]
            case .makeFolder: ["mkdir", "d:/new.txt"]
            case .rename: ["rename", "d:/a.txt", "new.txt"]
            case .moveFolder: ["rename", "d:/f", "new.txt"]
            case .renameUnsent: ["rename", "d:/local", "new.txt"]
            }
        }
    }

    fileprivate func withDomain(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            mkdir(machine.remote + "/f", 0o700)
            try machine.write("from a", to: machine.remote + "/a.txt")
            try machine.write("of its own", to: machine.folder + "/source.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            _ = try machine.succeed("ls", "d:/")
            try body(machine)
        }
    }

    fileprivate func remote(_ machine: Machine) -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: machine.remote)) ?? []
        return Set(names.filter { !$0.hasPrefix(".") })
    }

    /// A command that goes on by itself.
    private func begin(_ machine: Machine, _ maker: Maker) throws -> Command {
        try Command(machine, maker.words(machine))
    }

    @Test(
        "COORD-19, PICK-2: what the host makes itself waits for the tool that writes at the place, and then finds it taken",
        arguments: Maker.allCases)
    func waits(maker: Maker) throws {
        try withDomain { machine in
            if maker == .renameUnsent {
                // It is not sent while its provider cannot reach the remote.
                try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
                let made = try Peer(machine, "mkdir", "d:/local")
                #expect(made.says("done"), "\(made.lines) \(machine.logTail)")
            }
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "put", "d:/new.txt", "the tool's", gate)
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            let command = try begin(machine, maker)
            #expect(
                try Machine.eventually(within: 30) {
                    let status = try machine.succeed("status")
                    return status.contains("waits to") && status.contains("d:/new.txt")
                }, "\(command.errors) \(machine.logTail)")
            #expect(command.isRunning)
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(command.ends(), "\(machine.logTail)")
            #expect(command.status != 0)
            #expect(command.errors.contains("already"), "\(command.errors)")
            if maker == .renameUnsent {
                try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            }
            #expect(
                Machine.eventually(within: 60) { machine.read(machine.remote + "/new.txt") == "the tool's" },
                "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/new.txt") == "the tool's")
            let left: Set = ["a.txt", "f", "new.txt"]
            let expected = maker == .renameUnsent ? left.union(["local"]) : left
            #expect(Machine.eventually(within: 60) { remote(machine) == expected }, "\(remote(machine))")
            #expect(machine.read(machine.folder + "/source.txt") == "of its own")
            #expect(try !machine.succeed("status").contains("In use:"))
        }
    }

    @Test(
        "COORD-19: where the tool has written nothing, the host makes it when the tool has ended",
        arguments: Maker.allCases.filter { $0 != .renameUnsent })
    func goesOn(maker: Maker) throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "put", "d:/new.txt", "-", gate)
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            let command = try begin(machine, maker)
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("waits to") })
            // Who comes later waits for that, and finds what was made.
            let later = try Peer(machine, "put", "d:/new.txt", "-", gate)
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(command.ends(), "\(machine.logTail)")
            #expect(command.status == 0, "\(command.errors)")
            #expect(later.says("done"), "\(later.lines) \(machine.logTail)")
            #expect(remote(machine).contains("new.txt"))
            #expect(remote(machine).filter { $0.hasPrefix("new") } == ["new.txt"], "nothing is doubled")
            #expect(try Machine.eventually(within: 30) { try !machine.succeed("status").contains("In use:") })
        }
    }

    @Test("COORD-19, PICK-19: an export that replaces what is there replaces what the tool has written there meanwhile")
    func replaces() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "put", "d:/new.txt", "the tool's", gate)
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            let command = try Command(machine, ["export", "--force", machine.folder + "/source.txt", "d:/new.txt"])
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("waits to") })
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(command.ends())
            // What was not sent yet is not replaced: one of the two is on the remote, and nothing else.
            let expected = command.status == 0 ? "of its own" : "the tool's"
            #expect(command.status == 0 || command.errors.contains("not sent"), "\(command.errors)")
            #expect(
                Machine.eventually(within: 60) { machine.read(machine.remote + "/new.txt") == expected },
                "\(machine.logTail)")
            #expect(remote(machine) == ["a.txt", "f", "new.txt"])
        }
    }
}

extension PlaceClaimTests {
    @Test(
        "COORD-19, VER-5: the copy that ends a conflict waits for the tool that writes where it is to be, and then finds it taken"
    )
    func resolves() throws {
        try withDomain { machine in
            let (first, gate) = (machine.folder + "/first", machine.folder + "/gate")
            let holder = try Peer(machine, "hold", "write", "d:/a.txt", first)
            try #require(holder.says("granted", within: 40), "\(holder.lines) \(machine.logTail)")
            try machine.write("ours", to: machine.root + "/documents/d/a.txt")
            try machine.write("theirs, and longer", to: machine.remote + "/a.txt")
            try machine.write("", to: first)
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("stat", "d:/a.txt").contains("conflict") },
                "\(machine.logTail)")
            let writer = try Peer(machine, "put", "d:/mine.txt", "the tool's", gate)
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            let command = try Command(machine, ["resolve", "d:/a.txt", "--as", "mine.txt"])
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("waits to replace") })
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(command.ends(), "\(machine.logTail)")
            #expect(command.status != 0)
            #expect(command.errors.contains("already"), "\(command.errors)")
            #expect(Machine.eventually(within: 60) { machine.read(machine.remote + "/mine.txt") == "the tool's" })
            #expect(machine.read(machine.root + "/documents/d/a.txt") == "ours", "it is in conflict as before")
            try machine.succeed("resolve", "d:/a.txt", "--as", "other.txt")
            #expect(machine.read(machine.remote + "/other.txt") == "ours")
            #expect(remote(machine) == ["a.txt", "f", "mine.txt", "other.txt"])
        }
    }
}

/// A `docent` that goes on by itself.
final class Command {
    private let process = Process()
    private let output: String

    init(_ machine: Machine, _ words: [String]) throws {
        output = machine.folder + "/command-\(UInt64.random(in: 0 ... .max))"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.executableURL = URL(fileURLWithPath: machine.folder + "/bin/docent")
        process.arguments = words
        process.environment = machine.environment
        process.currentDirectoryURL = URL(fileURLWithPath: machine.folder + "/work")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let file = FileHandle(forWritingAtPath: output)
        process.standardError = file
        try process.run()
        try file?.close()
    }

    deinit { if process.isRunning { process.terminate() } }

    var isRunning: Bool { process.isRunning }

    var status: Int32 { process.terminationStatus }

    var errors: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    func ends(within seconds: Double = 60) -> Bool {
        Machine.eventually(within: seconds) { !process.isRunning }
    }
}
