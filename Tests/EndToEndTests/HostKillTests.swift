import DocumentStorage
import DocumentTestSupport
import Foundation
import Testing

/// The host is killed at every journaled step of every action; the next start leaves a state of the design's section 6,
/// with nothing lost, nothing torn, and no provider left behind.
@Suite(.serialized) struct HostKillTests {
    private static let alpha = "alpha, as the remote has it\n"
    private static let edited = "edited here\n"

    @Test(
        "A host that is killed at any journaled step loses nothing and leaves no provider",
        arguments: TestShare.of(JournalStep.allCases))
    func killedAtEveryStep(step: JournalStep) throws {
        try Machine.with { machine in
            try machine.write(Self.alpha, to: machine.remote + "/a.txt")
            try machine.write("local\n", to: machine.folder + "/work/local.txt")
            if [.editPackage, .drop].contains(step.action) {
                try FileManager.default.createDirectory(
                    atPath: machine.remote + "/p.rtfd", withIntermediateDirectories: true)
                try machine.write(Self.alpha, to: machine.remote + "/p.rtfd/old.txt")
            }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            if step.action == .clear { try makeContainer(on: machine) }
            if [.evict, .rename, .relocate, .remove, .leave].contains(step.action) {
                try machine.succeed("open", "d:/a.txt")
            }
            // Only what is known of a folder lets something be moved in it without a question.
            if step.action == .relocate { try machine.succeed("ls", "d:/") }
            try machine.succeed("host", "stop")
            #expect(Machine.eventually { machine.daemon == nil }, "the daemon did not stop")

            let kill = ["DOCENT_TEST_KILL_AT_STEP": step.rawValue]
            let result = try perform(step.action, on: machine, environment: kill)
            #expect(
                Machine.eventually { machine.daemon == nil }, "the daemon was not killed at \(step): \(machine.logTail)"
            )
            #expect(
                Machine.eventually { machine.providers.isEmpty }, "providers outlive the host: \(machine.providers)")
            if result.status != 0 {
                #expect(result.errors.hasPrefix("docent: "), "no clear sentence: \(result.errors)")
            }
            if [.move, .arrive, .leave].contains(step.action) {
                // What is done again without a look fails, or moves something else.
                #expect(result.errors.contains("before you try again: docent ls d:/"), "\(result.errors)")
            }

            try check(step, machine)
        }
    }

    @Test(
        "CONT-5: a host that is killed between two parts of a container's data removes the rest after its next start",
        arguments: [JournalStep.removeBegan, .removeAnswered, .removeRecorded, .removeFinished])
    func killedWithinClearing(step: JournalStep) throws {
        try Machine.with { machine in
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try makeContainer(on: machine)
            try machine.succeed("host", "stop")
            #expect(Machine.eventually { machine.daemon == nil }, "the daemon did not stop")
            let result = try perform(.clear, on: machine, environment: ["DOCENT_TEST_KILL_AT_STEP": step.rawValue])
            #expect(result.status != 0 && Machine.eventually { machine.daemon == nil }, "\(result)")
            try check(.clearBegan, machine)
        }
    }

    private static let container = "ABCDE12345.org.example.notes"

    private func makeContainer(on machine: Machine) throws {
        let folder = machine.remote + "/Containers/" + Self.container
        for inner in ["Documents", "deep"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + inner, withIntermediateDirectories: true)
            try machine.write("x", to: folder + "/" + inner + "/z.txt")
        }
        try machine.write("x", to: folder + "/a.db")
        try machine.succeed("refresh", "d:/")
        try machine.succeed("container", "place", "d:/Containers")
    }

    private func perform(
        _ action: JournalAction, on machine: Machine, environment: [String: String]
    ) throws -> Machine.Result {
        let local = machine.folder + "/work/local.txt"
        return switch action {
        case .materialise: try machine.docent("open", "d:/a.txt", environment: environment)
        case .recordChange, .send:
            try machine.docent(
                "edit", "--no-wait", "d:/a.txt", "--with", "sh", "-c", "printf '\(Self.edited.dropLast())\\n' > \"$0\"",
                environment: environment)
        case .export: try machine.docent("export", local, "d:/new.txt", environment: environment)
        case .move: try machine.docent("move", local, "d:/new.txt", environment: environment)
        case .arrive: try machine.docent("move", "--no-wait", local, "d:/new.txt", environment: environment)
        case .make:
            try machine.docent(
                "edit", "--no-wait", "d:/new.txt", "--with", "sh", "-c",
                "printf '\(Self.edited.dropLast())\\n' > \"$0\"", environment: environment)
        case .editPackage, .drop:
            try machine.docent(
                "edit", "--no-wait", "d:/p.rtfd", "--with", "sh", "-c",
                "printf '\(Self.edited.dropLast())\\n' > \"$0/new.txt\" && rm \"$0/old.txt\"", environment: environment)
        case .leave: try machine.docent("move", "d:/a.txt", machine.folder + "/work/out.txt", environment: environment)
        case .clear: try machine.docent("container", "remove-data", Self.container, environment: environment)
        case .evict: try machine.docent("evict", "d:/a.txt", environment: environment)
        case .rename: try machine.docent("rename", "d:/a.txt", "d:/b.txt", environment: environment)
        case .relocate: try machine.docent("rename", "--no-wait", "d:/a.txt", "d:/b.txt", environment: environment)
        case .remove: try machine.docent("rm", "d:/a.txt", environment: environment)
        }
    }

    private func check(_ step: JournalStep, _ machine: Machine) throws {
        let local = machine.folder + "/work/local.txt"
        switch step.action {
        case .materialise, .evict:
            #expect(try machine.succeed("cat", "d:/a.txt") == Self.alpha)
            #expect(machine.read(machine.remote + "/a.txt") == Self.alpha)
        case .recordChange, .send:
            // Killed when the write was only expected, the tool may or may not have written.
            let here = try machine.succeed("cat", "d:/a.txt")
            #expect(step == .changeExpected ? [Self.alpha, Self.edited].contains(here) : here == Self.edited)
            #expect(
                Machine.eventually { machine.read(machine.remote + "/a.txt") == here },
                "the edit was not sent: \(machine.logTail)")
        case .export:
            #expect(machine.read(local) == "local\n")
            let there = try machine.docent("cat", "d:/new.txt")
            #expect(there.status != 0 || there.output == "local\n")
        case .move:
            let there = try machine.docent("cat", "d:/new.txt")
            #expect(there.status != 0 || there.output == "local\n")
            let isMade = ![.moveBegan, .moveStaged].contains(step)
            #expect((there.status == 0) == isMade, "\(there.errors)")
            // What the provider had is moved to the end; what it had not stays as it was.
            #expect(Machine.eventually(within: 60) { (machine.read(local) == nil) == isMade }, "\(machine.logTail)")
        case .arrive:
            let there = try machine.docent("cat", "d:/new.txt")
            #expect(there.status != 0 || there.output == "local\n")
            // Moved in from the moment when it was at its place; before, it never happened.
            let isMoved = ![.arriveBegan, .arriveStaged].contains(step)
            #expect((there.status == 0) == isMoved)
            // The start waits for no old place to be emptied.
            #expect(
                Machine.eventually { (machine.read(local) == nil) == isMoved },
                "the document is on both sides, or on none: \(machine.logTail)")
            guard isMoved else { break }
            #expect(
                Machine.eventually { machine.read(machine.remote + "/new.txt") == "local\n" },
                "it was not sent: \(machine.logTail)")
        case .make:
            let there = try machine.docent("cat", "d:/new.txt")
            // Killed when it was only expected, the tool has not got the place.
            #expect((there.status == 0) == (step != .makeExpected), "\(there) \(machine.logTail)")
            guard there.status == 0 else { break }
            #expect(there.output == Self.edited)
            #expect(
                Machine.eventually(within: 60) { machine.read(machine.remote + "/new.txt") == Self.edited },
                "it was not sent: \(machine.logTail)")
        case .editPackage, .drop:
            let package = machine.remote + "/p.rtfd"
            guard step != .editsExpected else {
                // Killed when the write was only expected, the tool has not got the package, or was not heard to its end.
                #expect(try machine.succeed("cat", "d:/p.rtfd/old.txt") == Self.alpha)
                break
            }
            try machine.succeed("ls", "d:/")
            #expect(
                Machine.eventually(within: 60) {
                    machine.read(package + "/new.txt") == Self.edited && machine.read(package + "/old.txt") == nil
                }, "the package was not sent: \(machine.logTail)")
            #expect(try machine.docent("cat", "d:/p.rtfd/old.txt").status != 0)
        case .leave:
            // The copy was whole before anything was written down.
            #expect(machine.read(machine.folder + "/work/out.txt") == Self.alpha)
            #expect(
                try Machine.eventually {
                    try machine.docent("stat", "d:/a.txt").status != 0 && machine.read(machine.remote + "/a.txt") == nil
                }, "it was not removed: \(machine.logTail)")
        case .relocate:
            // It was so here when it was written down, and its provider hears of it by itself.
            try machine.succeed("stat", "d:/b.txt")
            #expect(
                Machine.eventually(within: 60) {
                    machine.read(machine.remote + "/b.txt") == Self.alpha
                        && machine.read(machine.remote + "/a.txt") == nil
                }, "its provider has not heard of it: \(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/b.txt") == Self.alpha)
        case .clear:
            // Once it is written down, all of it goes.
            try machine.succeed("ls", "d:/")
            let folder = machine.remote + "/Containers/" + Self.container
            #expect(
                Machine.eventually(within: 60) {
                    !FileManager.default.fileExists(atPath: folder + "/a.db")
                        && !FileManager.default.fileExists(atPath: folder + "/deep")
                }, "a part of the data stays: \(machine.logTail)")
            #expect(machine.read(folder + "/Documents/z.txt") == "x")
        case .rename:
            try machine.succeed("refresh", "d:/")
            let places = try ["d:/a.txt", "d:/b.txt"].filter { try machine.docent("stat", $0).status == 0 }
            #expect(places.count == 1, "the document is at \(places)")
            #expect(try places.first.map { try machine.succeed("cat", $0) } == Self.alpha)
        case .remove:
            let there = try machine.docent("cat", "d:/a.txt")
            #expect(there.status != 0 || there.output == Self.alpha)
            #expect((machine.read(machine.remote + "/a.txt") != nil) == (there.status == 0))
        }
        try checkStates(machine)
        // And it works on.
        try machine.write("again\n", to: machine.folder + "/work/again.txt")
        try machine.succeed("export", machine.folder + "/work/again.txt", "d:/again.txt")
        #expect(machine.read(machine.remote + "/again.txt") == "again\n")
    }

    /// Everything settles to placeholder or materialised, and each document that is here is whole.
    private func checkStates(_ machine: Machine) throws {
        let settled = try Machine.eventually {
            let items = try states(machine)
            return items.values.allSatisfy { ["placeholder", "materialised"].contains($0) }
        }
        let now = try states(machine)
        #expect(settled, "unsettled: \(now)\n\(machine.logTail)")
        for (name, state) in now {
            let path = machine.root + "/documents/d/" + name
            #expect(FileManager.default.fileExists(atPath: path) == (state == "materialised"), "\(name) is \(state)")
            if state == "materialised" { #expect(machine.read(path) == machine.read(machine.remote + "/" + name)) }
        }
    }

    private func states(_ machine: Machine) throws -> [String: String] {
        let listing = try machine.json("ls", "d:/")
        let items = (listing as? [[String: Any]]) ?? ((listing as? [String: Any])?["items"] as? [[String: Any]]) ?? []
        return Dictionary(
            uniqueKeysWithValues: items.compactMap { item in
                guard let name = item["name"] as? String, let state = item["state"] as? String,
                    item["kind"] as? String == "document"
                else { return nil }
                return (name, state)
            })
    }
}
