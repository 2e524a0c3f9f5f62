import DocumentModel
import DocumentSimulator
import DocumentSync
import Foundation
import Testing

/// What lets a run of the simulators be repeated: the sync engine comes to everything but its own values through what it is given,
/// and all that a host does runs where the host was told to run it.
@Suite struct DeterminismTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardized

    /// Lines of a target's code, but for those that say something about it.
    private static func lines(of target: String) throws -> [(file: String, line: String)] {
        let folder = sources.appending(path: target)
        let files = try #require(FileManager.default.subpaths(atPath: folder.path)).filter { $0.hasSuffix(".swift") }
        try #require(files.count > 3)
        return try files.sorted().flatMap { file in
            try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n")
                .filter { !$0.contains("//") }.map { (file, String($0)) }
        }
    }

    @Test("SIM-1: the sync engine imports the model alone, and has neither clock, chance, files nor network of its own")
    func nothingOfItsOwn() throws {
        let lines = try Self.lines(of: "DocumentSync")
        let outside = [
            "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator", "Date(", ".random(", "shuffled",
        ]
        for (file, line) in lines {
            #expect(!line.contains("import ") || line.hasSuffix("import DocumentModel"), "\(file): \(line)")
            #expect(!outside.contains { line.contains($0) }, "\(file): \(line)")
        }
    }

    @Test(
        "SIM-2: what a host does in tasks of their own runs on the executor that it was given, and nothing on another one",
        arguments: ["DocumentSync", "FileCoordination", "DocumentStorage", "DocumentHost", "DocumentTransport"])
    func executors(target: String) throws {
        let elsewhere = ["Task.detached", "@MainActor", "DispatchQueue"]
        for (file, line) in try Self.lines(of: target) {
            #expect(!elsewhere.contains { line.contains($0) }, "\(file): \(line)")
            let isOwn = line.contains(" Task {") || line.contains(" Task(")
            #expect(!isOwn || line.contains("executorPreference:"), "\(file): \(line)")
        }
    }

    @Test("SIM-3: no hash decides anything: trees that came together in another order have the same plan")
    func order() {
        for seed in 0..<UInt64(300) {
            let trees = PlannerCase(seed: seed).trees
            // Other capacities have other orders.
            var others = SyncTrees(root: trees.root)
            others.remote.reserveCapacity(1_000)
            others.local.reserveCapacity(300)
            for id in trees.remote.keys.sorted(by: >) { others.remote[id] = trees.remote[id] }
            for id in trees.local.keys.sorted(by: >) { others.local[id] = trees.local[id] }
            for id in trees.synced.keys.sorted(by: >) { others.synced[id] = trees.synced[id] }
            #expect(SyncPlanner.plan(trees) == SyncPlanner.plan(others), "case \(seed)")
        }
    }

    @Test("SIM-5: each fault is in some runs without each of the others")
    func faults() {
        let faults: [(name: String, isIn: (Scenario) -> Bool)] = [
            ("lost request", { $0.faults.lostRequest > 0 }), ("lost reply", { $0.faults.lostReply > 0 }),
            ("doubled", { $0.faults.doubled > 0 }), ("late and overtaken", { $0.faults.slow > 0 }),
            ("crash", { $0.faults.crash > 0 }), ("crash between two steps", { $0.faults.crashBetween > 0 }),
            ("passing failure", { $0.faults.transient > 0 }), ("flipped bits", { $0.faults.flippedBits > 0 }),
            ("expired anchor", { $0.faults.expiredAnchor > 0 }), ("full disk", { $0.faults.fullDisk != nil }),
            ("unreachable", { $0.faults.outage != nil && !$0.faults.isQuota }),
            ("no room there", { $0.faults.outage != nil && $0.faults.isQuota }),
            ("clock", { $0.steps.contains { $0.kind == .jumpClock } }),
            ("lost index", { $0.steps.contains { $0.kind == .loseIndex } }),
        ]
        let scenarios = (0..<UInt64(600)).map { Scenario(seed: $0) }
        for fault in faults {
            for other in faults where other.name != fault.name {
                #expect(
                    scenarios.contains { fault.isIn($0) && !other.isIn($0) }, "\(fault.name) without \(other.name)")
            }
        }
        // What is wrong without any shows, too.
        #expect(scenarios.contains { scenario in !faults.prefix(12).contains { $0.isIn(scenario) } })
    }

    @Test("SIM-7: a case's trees are one that was changed twice, and names meet each other often")
    func cases() {
        var (agreed, all, clashing, changed) = (0, 0, 0, 0)
        for seed in 0..<UInt64(1_000) {
            let trees = PlannerCase(seed: seed).trees
            all += trees.identifiers.count
            agreed += trees.synced.keys.count
            if trees.synced.keys.contains(where: { trees.isChanged($0) || !trees.isCurrent($0) }) { changed += 1 }
            let places = trees.identifiers.compactMap { trees.remote[$0]?.node?.place ?? trees.local[$0]?.node?.place }
            let names = places.map {
                "\($0.parentID)/\($0.name.rawValue.lowercased().decomposedStringWithCanonicalMapping)"
            }
            if Set(names).count < names.count { clashing += 1 }
        }
        #expect(agreed * 2 > all, "most of what there is was agreed on: \(agreed) of \(all)")
        #expect(changed > 500, "and one side or both have changed it: in \(changed) cases")
        #expect(clashing > 40, "\(clashing) cases have siblings of one name but for case and form")
    }
}
