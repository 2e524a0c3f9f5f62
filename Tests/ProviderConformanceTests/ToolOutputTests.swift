import DocumentModel
import DocumentTestSupport
import Foundation
import ProviderConformance
import Testing

@Suite("What the program provider-conformance prints", .timeLimit(.minutes(2)))
struct ToolOutputTests {
    @Test(
        "§10.1: list tells each check with its id, its level, what it needs and its rule, and how many there are",
        arguments: [false, true])
    func list(ofHost: Bool) async throws {
        let run = try await ToolRun.of("provider-conformance", ["list"] + (ofHost ? ["--host"] : []))
        #expect(run.status == 0 && run.errors.isEmpty)
        let checks = ofHost ? AttackRunner.descriptions : CheckRegistry.allChecks.map(\.description)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == checks.count + 1)
        #expect(lines.last == "\(checks.count) checks")
        for (line, check) in zip(lines, checks) {
            #expect(line.hasPrefix("\(check.id)  \(check.level.rawValue)  \(check.title)"))
            #expect(line.hasSuffix("  [\(check.rule.id)]"))
            for need in check.needs { #expect(line.contains(need.rawValue), "\(check.id)") }
            #expect(line.contains("--mutating") == check.mutates, "\(check.id)")
        }
        let changing = "PC-CREATE-001  MUST  "
        #expect(ofHost || lines.contains { $0.hasPrefix(changing) && $0.contains(" (needs modifying, --mutating)  [") })
    }

    @Test("§10.1: list --json is the same list for programs, with the links of the rules", arguments: [false, true])
    func listAsJSON(ofHost: Bool) async throws {
        let run = try await ToolRun.of("provider-conformance", ["list", "--json"] + (ofHost ? ["--host"] : []))
        #expect(run.status == 0 && run.errors.isEmpty)
        let told = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
        let checks = ofHost ? AttackRunner.descriptions : CheckRegistry.allChecks.map(\.description)
        #expect(told?.compactMap { $0["id"] as? String } == checks.map(\.id))
        #expect(told?.compactMap { $0["level"] as? String } == checks.map(\.level.rawValue))
        #expect(told?.compactMap { $0["mutates"] as? Bool } == checks.map(\.mutates))
        #expect(
            told?.compactMap { ($0["rule"] as? [String: Any])?["link"] as? String } == checks.map(\.rule.link))
    }

    @Test("Rule 62: a program that the manifest was not made for is not run, as no host runs it")
    func digest() async throws {
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            let file = bundle + "/provider.toml"
            let manifest = try String(contentsOfFile: file, encoding: .utf8)
            let digest = "sha256 = \"\(String(repeating: "0", count: 64))\"\n"
            try (digest + manifest).write(toFile: file, atomically: true, encoding: .utf8)
            let run = try await ToolRun.of(
                "provider-conformance", ["run", "--check", "PC-IDENT-001", "--bundle", bundle])
            #expect(run.status == 2)
            #expect(run.errors.contains("is not the program that the manifest of "), "\(run.errors)")
        }
    }

    @Test(
        "Rules 7 and 17: of a provider that ends at its start it is told how it ended, and what it said last",
        arguments: [
            ("PC-HELLO-001", "echo so long >&2; exit 3", "At its end it exited with status 3."),
            ("PC-HELLO-002", "echo so long >&2; kill -KILL $$", "At its end it was ended by signal 9 (SIGKILL)."),
            ("PC-IDENT-002", "echo so long >&2; exit 3", "At its end it exited with status 3."),
            ("PC-IDENT-002", "echo so long >&2; kill -KILL $$", "At its end it was ended by signal 9 (SIGKILL)."),
        ])
    func endAtStart(check: String, script: String, words: String) async throws {
        let run = try await ToolRun.of(
            "provider-conformance", ["run", "--check", check, "--", "/bin/sh", "-c", script])
        #expect(run.status == 1)
        #expect(run.output.contains(words), "\(run.output)")
        #expect(run.output.contains("standard error:\n          so long\n"), "\(run.output)")
    }

    @Test("A setting can be given without a file, and its lack is told with the way to give it")
    func settings() async throws {
        try await ConformanceFixture.withBundle("FolderProvider", source: "Plugins/FolderProvider") { bundle in
            let words = ["run", "--quiet", "--check", "PC-IDENT-001", "--bundle", bundle]
            let lacking = try await ToolRun.of("provider-conformance", words)
            #expect(lacking.status == 2 && lacking.errors.contains("add --set folder="), "\(lacking.errors)")
            let given = try await ToolRun.of("provider-conformance", words + ["--set", "folder=\(bundle)"])
            #expect(given.status == 0, "\(given)")
        }
    }

    @Test(
        "What cannot be read or written is told with the file and the system's word for why",
        arguments: [
            (["run", "--config", "/no/such/a.toml"], "“/no/such/a.toml” cannot be read: No such file"),
            (["run", "--expected", "/no/such/a.toml"], "“/no/such/a.toml” cannot be read: No such file"),
            (["run", "--report", "json=/no/such/a"], "“/no/such/a” cannot be written: No such file"),
            (["replay", "nope"], "The recording “nope” cannot be read: No such file or directory."),
            (["replay", "nope", "--as", "host"], "As host, say which provider is asked"),
        ])
    func files(arguments: [String], words: String) async throws {
        let provider = arguments.contains("--as") ? [] : ["--", "/bin/true"]
        let run = try await ToolRun.of("provider-conformance", arguments + provider)
        #expect(run.status == 2)
        #expect(run.errors.contains(words) && !run.errors.contains("operation"), "\(run.errors)")
    }

    @Test("A key that is missing in a list of expected failures is named once")
    func missingKey() async throws {
        for (name, text) in [
            ("list.toml", "[[failures]]\nid = \"PC-LIST-001\"\nreason = \"so\"\n"),
            ("list.json", "{\"failures\": [{\"id\": \"PC-LIST-001\", \"reason\": \"so\"}]}"),
        ] {
            #expect {
                try ConfigurationFile.decode(ExpectedFailuresFile.self, from: Data(text.utf8), name)
            } throws: { error in
                "\(error)".contains("failures[0].message” is missing")
            }
        }
    }

    /// The entries of such a list.
    private struct ExpectedFailuresFile: Decodable {
        var failures: [ExpectedFailures.Failure]
    }

    @Test("The program tells its version, as docent does")
    func version() async throws {
        let run = try await ToolRun.of("provider-conformance", ["--version"])
        #expect(run.status == 0)
        #expect(run.output == "provider-conformance \(Release.version)\n")
    }

    @Test("§6.59: replay --bundle says that a session went as recorded, or which entry went another way")
    func replay() async throws {
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            let folder = bundle + "/records"
            let recording = try await ToolRun.of(
                "provider-conformance",
                ["run", "--quiet", "--check", "PC-ITEM-001", "--record", folder, "--bundle", bundle])
            #expect(recording.status == 0, "\(recording)")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).sorted().last)
            let file = folder + "/" + name
            let same = try await ToolRun.of("provider-conformance", ["replay", file, "--bundle", bundle])
            #expect(same.status == 0 && same.output.isEmpty)
            #expect(same.errors == "The session went as it was recorded.\n")
        }
    }

    @Test("§6.59: replay --bundle of a session with another provider ends with status 1 and names the difference")
    func replayOfAnother() async throws {
        try await ConformanceFixture.withBundle("GreetingProvider", source: "Examples/GreetingProvider") { greeting in
            let folder = greeting + "/records"
            let recording = try await ToolRun.of(
                "provider-conformance",
                ["run", "--quiet", "--check", "PC-IDENT-001", "--record", folder, "--bundle", greeting])
            #expect(recording.status == 0, "\(recording)")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).sorted().last)
            try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { memory in
                let other = try await ToolRun.of(
                    "provider-conformance", ["replay", folder + "/" + name, "--bundle", memory])
                #expect(other.status == 1 && other.output.isEmpty)
                #expect(other.errors.contains("entry "), "\(other.errors)")
            }
        }
    }
}
