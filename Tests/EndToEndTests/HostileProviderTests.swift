import Foundation
import Testing

/// A provider that breaks its promises gets a clear error for whoever asked, and changes nothing else.
@Suite(.serialized) struct HostileProviderTests {
    private func withHostile(_ sin: String, _ body: (Machine, Machine.Result) throws -> Void) throws {
        try Machine.with { machine in
            try install(machine)
            try machine.succeed("domain", "add", "mem", "--provider", "org.example.memory")
            let before = try files(machine)
            let added = try machine.docent(
                "domain", "add", "bad", "--provider", "org.example.hostile", "--set", "sin=\(sin)")
            try body(machine, added)
            // Nothing anywhere but in the storage root, and the others go on.
            #expect(try files(machine).subtracting(before) == [])
            #expect(try machine.succeed("cat", "mem:/Welcome.md").hasPrefix("# Welcome"))
            #expect(machine.daemon != nil, "\(machine.logTail)")
        }
    }

    /// The bundle, beside those of the machine.
    private func install(_ machine: Machine) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let sources = tests.deletingLastPathComponent().deletingLastPathComponent().path
        let bundle = machine.folder + "/bin/providers/HostileProvider"
        let manager = FileManager.default
        try manager.copyItem(atPath: tests.path + "/Support/HostileProvider", toPath: bundle)
        for name in ["docent_provider.py", "generate"] {
            try manager.copyItem(
                atPath: sources + "/Examples/memory-provider-python/" + name, toPath: bundle + "/" + name)
        }
        let made = try machine.run(bundle + "/generate", [sources + "/Sources/DocumentWire/Protos"])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// What is on the machine outside of the storage root, but for what Python keeps beside its modules.
    private func files(_ machine: Machine) throws -> Set<String> {
        let all = try FileManager.default.subpathsOfDirectory(atPath: machine.folder)
        return Set(
            all.filter {
                !$0.hasPrefix("root") && !$0.hasPrefix("run/") && !$0.hasPrefix("out-") && !$0.contains("__pycache__")
            })
    }

    private func isClear(_ result: Machine.Result) -> Bool {
        result.status == 1 && result.output == "" && result.errors.hasPrefix("docent: ") && result.errors.contains(" ")
    }

    @Test(
        "A name that is no name gets nowhere",
        arguments: ["dots", "dot", "slash", "nul", "line-break", "empty", "long", "reserved"])
    func names(sin: String) throws {
        try withHostile(sin) { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let listing = try machine.docent("ls", "bad:/")
            #expect(isClear(listing) || (listing.output.contains("good.txt") && !listing.output.contains("evil")))
            let entries = (try? FileManager.default.subpathsOfDirectory(atPath: machine.root + "/documents/bad")) ?? []
            #expect(entries.allSatisfy { !$0.contains("evil") && !$0.contains("eee") }, "\(entries)")
        }
    }

    @Test(
        "CONT-12: names that are the same but for case, or altogether, overwrite nothing", arguments: ["twice", "case"])
    func clashes(sin: String) throws {
        try withHostile(sin) { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let listing = try machine.docent("ls", "bad:/")
            #expect(isClear(listing) || listing.output.contains("name clash") || sin == "case", "\(listing)")
        }
    }

    @Test(
        "Contents that are not what was promised are never published",
        arguments: ["short", "link", "gone", "folder", "dies"])
    func contents(sin: String) throws {
        try withHostile(sin) { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            try machine.succeed("ls", "bad:/")
            let opened = try machine.docent("cat", "bad:/good.txt")
            #expect(isClear(opened), "\(opened)")
            #expect(opened.errors.contains("good.txt") || opened.errors.contains("Hostile"), "\(opened.errors)")
            #expect(!opened.errors.contains("root:"))
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/bad/good.txt"))
            let item = try machine.json("stat", "bad:/good.txt") as? [String: Any]
            #expect(item?["state"] as? String == "placeholder")
        }
    }

    @Test("A provider that dies while it provides is started again: an error, or the whole document, never a part")
    func diesOnce() throws {
        try withHostile("dies-once") { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let first = try machine.docent("cat", "bad:/good.txt")
            #expect(isClear(first) || first.output == "good\n", "\(first)")
            var last = first
            let isWhole = try Machine.eventually {
                last = try machine.docent("cat", "bad:/good.txt")
                return last.output == "good\n"
            }
            #expect(isWhole, "\(last.errors) \(machine.logTail)")
        }
    }

    @Test("ID-5: a provider that says that it is another one is not used")
    func identity() throws {
        try withHostile("identity") { machine, added in
            #expect(isClear(added), "\(added)")
            #expect(added.errors.contains("org.example.other"))
        }
    }

    @Test("PROV-21: a listing that never ends is ended")
    func endless() throws {
        try withHostile("endless") { machine, added in
            #expect(added.status == 0, "\(added.errors)")
            let listing = try machine.docent("ls", "bad:/", timeout: 60)
            #expect(isClear(listing) || listing.output.contains("good.txt"), "\(listing)")
        }
    }
}
