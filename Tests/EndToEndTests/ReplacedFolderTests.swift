import Foundation
import Testing

/// A provided folder whose place another one has taken, which the provider's sandbox keeps from it.
@Suite(.serialized) struct ReplacedFolderTests {
    private func provider(_ machine: Machine) throws -> Int? {
        let domains = try machine.json("domain", "list") as? [[String: Any]] ?? []
        return domains.first?["providerProcess"] as? Int
    }

    private func shell(_ command: String, _ machine: Machine) throws {
        let result = try machine.run("/bin/sh", ["-c", command])
        try #require(result.status == 0, "\(command): \(result)")
    }

    private func complaint(_ machine: Machine) throws -> String { try machine.docent("refresh", "d:/").errors }

    @Test(
        "DESIGN 9: a provider whose folder was replaced is started anew, once for each that comes, and says then what is wrong; with its own it goes on"
    )
    func replaced() throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "d:/")
            let first = try #require(try provider(machine))
            try shell("mv '\(machine.remote)' '\(machine.remote)-old'", machine)
            #expect(try complaint(machine).contains("is not there"))
            #expect(try complaint(machine).contains("is not there"))
            #expect(try provider(machine) == first, "there is nothing that another one could be given")

            try shell("cp -r '\(machine.remote)-old' '\(machine.remote)'", machine)
            let isTold = try Machine.eventually(within: 20) {
                try complaint(machine).contains("is not the folder that this domain was made with")
            }
            #expect(isTold, "\(machine.logTail)")
            let second = try #require(try provider(machine))
            #expect(second != first)
            for _ in 0..<3 { #expect(try complaint(machine).contains("is not the folder")) }
            usleep(3_000_000)
            #expect(try provider(machine) == second, "it has been given what is there")

            try shell("rm -r '\(machine.remote)' && mv '\(machine.remote)-old' '\(machine.remote)'", machine)
            #expect(try Machine.eventually(within: 20) { try complaint(machine).isEmpty }, "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "first\n")
        }
    }

    @Test("DOWN-3: what waits for a folder goes out when that is back, also where a copy had its place meanwhile")
    func unsent() throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("cat", "d:/a.txt")
            let (place, old) = (machine.remote, machine.remote + "-old")
            try shell("mv '\(place)' '\(old)' && cp -r '\(old)' '\(place)'", machine)
            try machine.succeed("edit", "d:/a.txt", "--no-wait", "--with", "sh", "-c", "echo second > '{}'")
            usleep(1_000_000)
            try shell("rm -r '\(machine.remote)' && mv '\(machine.remote)-old' '\(machine.remote)'", machine)
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "second\n" },
                "\(machine.logTail)")
        }
    }
}
