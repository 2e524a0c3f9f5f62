import Foundation
import Testing

/// A provider that breaks its promises gets a clear error for whoever asked, and changes nothing else.
@Suite(.serialized) struct HostileProviderTests {
    private func withHostile(_ behaviour: String, _ body: (Machine, Machine.Result) throws -> Void) throws {
        try Machine.with { machine in
            try install(machine)
            try machine.succeed("domain", "add", "mem", "--provider", "org.example.memory")
            let before = try files(machine)
            let added = try machine.docent(
                "domain", "add", "bad", "--provider", "org.example.hostile", "--set", "behaviour=\(behaviour)")
            try body(machine, added)
            // Nothing anywhere but in the storage root, and the others go on.
            #expect(try files(machine).subtracting(before) == [])
            #expect(try machine.succeed("cat", "mem:/Welcome.md").hasPrefix("# Welcome"))
            #expect(machine.daemon != nil, "\(machine.logTail)")
        }
    }

    /// The bundle, beside those of the machine.
    private func install(_ machine: Machine) throws {
        let bundle = machine.folder + "/bin/providers/HostileProvider"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Machine.programs + "/misbehaving-peer", toPath: bundle + "/misbehaving-peer")
        try machine.write(
            """
            identifier = "org.example.hostile"
            name = "Hostile"
            version = "1.0"
            executable = "misbehaving-peer"
            arguments = ["provider"]
            protocol-versions = [1]
            modes = ["import", "open"]

            [[settings]]
            key = "behaviour"
            type = "string"
            required = true
            """, to: bundle + "/provider.toml")
    }

    /// What is on the machine outside of the storage root.
    private func files(_ machine: Machine) throws -> Set<String> {
        let all = try FileManager.default.subpathsOfDirectory(atPath: machine.folder)
        return Set(all.filter { !$0.hasPrefix("root") && !$0.hasPrefix("run/") && !$0.hasPrefix("out-") })
    }

    private func isClear(_ result: Machine.Result) -> Bool {
        result.status == 1 && result.output == "" && result.errors.hasPrefix("docent: ") && result.errors.contains(" ")
    }

    @Test(
        "A name that is no name gets nowhere",
        arguments: [
            "name-dots", "name-dot", "name-outside", "name-nul", "name-line-break", "name-empty", "name-too-long",
            "name-reserved",
        ])
    func names(behaviour: String) throws {
        try withHostile(behaviour) { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let listing = try machine.docent("ls", "bad:/")
            #expect(isClear(listing) || (listing.output.contains("good.txt") && !listing.output.contains("evil")))
            let entries = (try? FileManager.default.subpathsOfDirectory(atPath: machine.root + "/documents/bad")) ?? []
            #expect(entries.allSatisfy { !$0.contains("evil") && !$0.contains("eee") }, "\(entries)")
        }
    }

    @Test(
        "CONT-12: names that are the same but for case, or altogether, overwrite nothing",
        arguments: ["name-taken", "name-case"])
    func clashes(behaviour: String) throws {
        try withHostile(behaviour) { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let listing = try machine.docent("ls", "bad:/")
            #expect(isClear(listing) || listing.output.contains("name clash"), "\(listing)")
        }
    }

    @Test(
        "Contents that are not what was promised are never published",
        arguments: [
            "content-short", "content-is-a-symlink", "content-removed", "content-is-a-folder",
            "content-half-then-death",
        ])
    func contents(behaviour: String) throws {
        try withHostile(behaviour) { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            try machine.succeed("ls", "bad:/")
            let opened = try machine.docent("cat", "bad:/target.txt")
            #expect(isClear(opened), "\(opened)")
            #expect(opened.errors.contains("target.txt") || opened.errors.contains("Hostile"), "\(opened.errors)")
            #expect(!opened.errors.contains("root:"))
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/bad/target.txt"))
            let item = try machine.json("stat", "bad:/target.txt") as? [String: Any]
            #expect(item?["state"] as? String == "placeholder")
        }
    }

    @Test("A provider that dies while it provides is started again: an error, or the whole document, never a part")
    func diesOnce() throws {
        try withHostile("content-half-then-death-once") { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let first = try machine.docent("cat", "bad:/target.txt")
            #expect(isClear(first) || first.output.utf8.count == 131_072, "\(first)")
            var last = first
            let isWhole = try Machine.eventually {
                last = try machine.docent("cat", "bad:/target.txt")
                return last.output.utf8.count == 131_072
            }
            #expect(isWhole, "\(last.errors) \(machine.logTail)")
        }
    }

    @Test("Rule 58: what happened when a domain could not be added is on record, with its provider")
    func recordOfAFailedAdd() throws {
        try withHostile("hello-crashes") { machine, added in
            #expect(isClear(added), "\(added)")
            let text = try machine.succeed("provider", "show", "org.example.hostile", "--last-failure")
            #expect(text.contains("signal 11 (SIGSEGV)"), "\(text)")
            let record = try #require(
                try machine.json("provider", "show", "org.example.hostile", "--last-failure") as? [String: Any])
            #expect(record["domain"] as? String == "bad")
            #expect(record["process"] is [String: Any])
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/.docent/providers/.failures/bad"))
        }
    }

    @Test("Rule 58: right after an error its record is shown, with where the bad bytes were (HA-FRAME-001)")
    func recordRightAfterTheError() throws {
        try withHostile("frame-text-between") { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            #expect(isClear(try machine.docent("ls", "bad:/")))
            let record = try #require(
                try machine.json("provider", "show", "org.example.hostile", "--last-failure") as? [String: Any],
                "\(machine.logTail)")
            let bad = try #require(record["badBytes"] as? [String: Any])
            #expect((bad["text"] as? String)?.hasPrefix("warning: deprecated") == true, "\(bad)")
            #expect((bad["offset"] as? Int ?? 0) > 8)
            let text = try machine.succeed("provider", "show", "org.example.hostile", "--last-failure")
            #expect(text.contains("prints to standard output"), "\(text)")
        }
    }

    @Test("ID-5: a provider that says that it is another one is not used")
    func identity() throws {
        try withHostile("identity-other") { machine, added in
            #expect(isClear(added), "\(added)")
            #expect(added.errors.contains("org.example.other"))
        }
    }

    @Test("PROV-21: a listing that never ends is ended")
    func endless() throws {
        try withHostile("listing-in-a-circle") { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let listing = try machine.docent("ls", "bad:/", timeout: 60)
            #expect(isClear(listing) || listing.output.contains("good.txt"), "\(listing)")
        }
    }
}
