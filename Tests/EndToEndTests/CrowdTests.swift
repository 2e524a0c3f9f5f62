import Foundation
import Glibc
import Testing

/// Many processes on the same documents, some of them killed at random: no torn read, no lost write, no claim left.
///
/// `scripts/check-coordination --processes` runs 64 processes on 100 documents for a minute; the environment says how many
/// here: DOCENT_CROWD=PROCESSES,DOCUMENTS,SECONDS.
@Suite(.serialized) struct CrowdTests {
    struct Size {
        var processes = 8
        var documents = 12
        var seconds = 6

        init() {
            let words = ProcessInfo.processInfo.environment["DOCENT_CROWD"]?.split(separator: ",").compactMap {
                Int($0)
            }
            guard let words, words.count == 3 else { return }
            (processes, documents, seconds) = (words[0], words[1], words[2])
        }
    }

    @Test(
        "COORD-1, COORD-2, COORD-8, COORD-39: processes on the same documents, killed at random, tear and lose nothing")
    func crowd() throws {
        let size = Size()
        try Machine.with { machine in
            let start = String(repeating: "000000000\n", count: 1000)
            for document in 0..<size.documents { try machine.write(start, to: "\(machine.remote)/\(document).txt") }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let kills = try run(size, machine)
            // Whatever a killed one held is free, and what it wrote counts.
            #expect(Machine.eventually(within: 30) { (try? machine.succeed("status").contains("In use:")) == false })
            let status = try machine.succeed("status")
            #expect(!status.contains("Waiting:"), "\(status)")
            let settling = try Peer(machine, "settle", "d:/")
            #expect(settling.says("done", within: 600), "\(settling.lines) \(machine.logTail)")
            try check(size, kills, machine)
        }
    }

    /// Every second process lives to the end; of the others one is killed now and then, and followed by another one.
    private func run(_ size: Size, _ machine: Machine) throws -> Int {
        var seed = 0
        func start(_ kind: String) throws -> Peer {
            seed += 1
            return try Peer(
                machine, "crowd", "d", "\(size.documents)", "\(size.seconds)", "\(seed)",
                "\(machine.folder)/log-\(seed)",
                kind, machine.folder + "/work")
        }
        let immortal = try (0..<size.processes / 2).map { _ in try start("immortal") }
        var mortal = try (0..<size.processes - immortal.count).map { _ in try start("mortal") }
        var (kills, gone) = (0, [Peer]())
        let end = Date().addingTimeInterval(Double(size.seconds) - 1)
        while Date() < end {
            usleep(250_000)
            let index = Int.random(in: mortal.indices)
            guard mortal[index].isRunning else { continue }
            mortal[index].kill()
            kills += 1
            gone.append(mortal[index])
            mortal[index] = try start("mortal")
        }
        for peer in immortal + mortal {
            #expect(peer.ends(within: 300), "\(peer.lines)")
            #expect(peer.lines.last == "done", "\(peer.lines) \(machine.logTail)")
        }
        for peer in gone { #expect(!peer.lines.contains { $0.hasPrefix("error") }, "\(peer.lines)") }
        let told = (immortal + mortal).compactMap(\.lines.first).joined(separator: "\n").split { !$0.isNumber }
        let numbers = told.compactMap { Int($0) }
        let (reads, writes) = (
            stride(from: 0, to: numbers.count, by: 2).reduce(0) { $0 + numbers[$1] },
            stride(from: 1, to: numbers.count, by: 2).reduce(0) { $0 + numbers[$1] }
        )
        print("\(seed) processes, \(kills) killed; those that lived: \(reads) reads, \(writes) writes")
        #expect(kills > 0 && reads > 0 && writes > 0)
        return kills
    }

    private func check(_ size: Size, _ kills: Int, _ machine: Machine) throws {
        var written: [Int: [Int]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: machine.folder) where name.hasPrefix("log-") {
            for line in (machine.read(machine.folder + "/" + name) ?? "").split(separator: "\n") {
                let numbers = line.split(separator: " ").compactMap { Int($0) }
                guard numbers.count == 2 else { continue }
                written[numbers[0], default: []].append(numbers[1])
            }
        }
        var unnoted = 0
        for document in 0..<size.documents {
            let numbers = written[document] ?? []
            #expect(
                Set(numbers).count == numbers.count, "a write of document \(document) was lost: \(numbers.sorted())")
            let text = try #require(machine.read("\(machine.remote)/\(document).txt"))
            let last = try #require(Int(text.prefix(9)))
            #expect(text == String(repeating: String(text.prefix(10)), count: 1000), "document \(document) is torn")
            #expect(
                last >= (numbers.max() ?? 0),
                "document \(document) is at \(last), and \(numbers.max() ?? 0) was written")
            unnoted += last - numbers.count
        }
        // Who was killed may have written, and not have noted it: two documents at most, in one step.
        #expect(unnoted <= 2 * kills, "\(unnoted) writes that nobody noted, and \(kills) kills")
    }
}
