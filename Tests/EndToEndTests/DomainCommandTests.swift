import Foundation
import Glibc
import Testing

/// Every command of the CLI for providers, domains and the host: what it does, and what it prints.
@Suite(.serialized) struct DomainCommandTests: CommandSuite {
    @Test func providersAreListedAndShownInWords() throws {
        try Machine.with { machine in
            let list = try machine.succeed("provider", "list")
            #expect(list.contains("org.docent.folder") && list.contains("org.example.memory"))
            let json = try machine.json("provider", "list") as? [String: Any]
            #expect((json?["problems"] as? [String]) == [])
            let shown = try machine.succeed("provider", "show", "org.docent.folder")
            #expect(shown.contains("What it may do, beside using its own folders:"))
            #expect(shown.contains("--set key=value"))
            let unknown = try machine.docent("provider", "show", "org.example.none")
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("org.example.none"))
        }
    }

    @Test func aDomainIsAddedWithARelativePathListedAndRemoved() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.folder + "/work/elsewhere", withIntermediateDirectories: false)
            let added = try machine.docent(
                "domain", "add", "near", "--provider", "org.docent.folder", "--set", "folder=elsewhere")
            #expect(added.status == 0, "\(added.errors)")
            let domains = try machine.json("domain", "list") as? [[String: Any]]
            let settings = domains?.first?["settings"] as? [String: String]
            #expect(settings?["folder"] == machine.folder + "/work/elsewhere")
            #expect(try machine.succeed("domain", "list").contains("near"))
            try machine.succeed("domain", "remove", "near")
            #expect(try machine.succeed("domain", "list").hasPrefix("There is no domain yet"))
        }
    }

    @Test("DESIGN 9: a secret comes from a file or standard input, reaches the provider, and is shown nowhere")
    func secrets() throws {
        try Machine.with { machine in
            try machine.installRecordingProvider()
            let manifest = machine.folder + "/bin/providers/RecordingProvider/provider.toml"
            let text = try #require(machine.read(manifest))
            try machine.write(
                text.replacing("key = \"broken\"", with: "key = \"broken\"\nsecret = true"), to: manifest)
            let refused = try machine.docent(
                "domain", "add", "w", "--provider", "org.example.recording", "--set", "broken=yes")
            #expect(refused.status == 64 && refused.errors.contains("--set broken=@FILE"), "\(refused.errors)")
            try machine.write("yes\n", to: machine.folder + "/work/secret")
            try machine.succeed(
                "domain", "add", "w", "--provider", "org.example.recording", "--set", "broken=@secret", "--set",
                "slow=no")
            let domains = try machine.json("domain", "list") as? [[String: Any]]
            #expect(domains?.first?["settings"] as? [String: String] == ["slow": "no"])
            #expect(try !machine.succeed("domain", "list").contains("broken"))
            let closed = try machine.docent("cat", "w:/Welcome.md")
            #expect(closed.errors.contains("The library is closed"), "the provider has the value: \(closed.errors)")
            let typed = try machine.docent(
                "domain", "add", "v", "--provider", "org.example.recording", "--set", "broken=-", input: "no\n")
            #expect(typed.status == 0, "\(typed.errors)")
            #expect(try !machine.succeed("cat", "v:/Welcome.md").isEmpty)
        }
    }

    @Test("A host that was stopped stays so, although several were started at once for who came first")
    func stopped() throws {
        try Machine.with { machine in
            let tools = try (0..<6).map { _ in try machine.begin(["domain", "list"]) }
            for tool in tools { tool.waitUntilExit() }
            #expect(tools.allSatisfy { $0.terminationStatus == 0 })
            // Those who came second give way to the one that serves.
            #expect(Machine.eventually(within: 4) { machine.processes(named: "docentd").count == 1 })
            try machine.succeed("host", "stop")
            #expect(Machine.eventually { machine.daemon == nil })
            usleep(1_500_000)
            #expect(machine.daemon == nil)
        }
    }

    @Test("The host's log does not grow for ever: a full one is put aside, and three of those are kept")
    func fullLogs() throws {
        try Machine.with { machine in
            try machine.succeed("domain", "list")
            try machine.succeed("host", "stop")
            for _ in 0..<5 {
                try #require(truncate(machine.log, 9 << 20) == 0)
                try machine.succeed("domain", "list")
                try machine.succeed("host", "stop")
                let text = machine.read(machine.log) ?? ""
                #expect(text.contains("ended") && !text.contains("serving"), "it goes on in the new one: \(text)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.root + "/.docent")
            #expect(
                names.filter { $0.hasPrefix("host.log") }.sorted()
                    == ["host.log", "host.log.1", "host.log.2", "host.log.3"])
        }
    }

    @Test func aHomeIsExpandedInASettingOfTypePath() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.folder + "/home/Documents", withIntermediateDirectories: false)
            try machine.succeed(
                "domain", "add", "home", "--provider", "org.docent.folder", "--set", "folder=~/Documents")
            let domains = try machine.json("domain", "list") as? [[String: Any]]
            #expect((domains?.first?["settings"] as? [String: String])?["folder"] == machine.folder + "/home/Documents")
        }
    }

    @Test("every command says the same of a domain that there is not: a failure, and no wrong usage")
    func unknownDomain() throws {
        try withWork { machine in
            for words in [["login", "nope"], ["logout", "nope"], ["domain", "show", "nope"], ["ls", "nope:/"]] {
                let refused = try machine.run(machine.folder + "/bin/docent", words)
                #expect(refused.status == 1, "\(words) \(refused)")
                #expect(refused.errors.hasPrefix("docent: There is no domain “nope”"), "\(words) \(refused)")
            }
        }
    }

    @Test func statusTellsTheDomainsInNumbers() throws {
        try withWork { machine in
            try machine.succeed("cat", "work:/one.txt")
            let status = try machine.json("status") as? [String: Any]
            let domain = (status?["domains"] as? [[String: Any]])?.first
            #expect(domain?["materialised"] as? Int == 1)
            #expect(domain?["materialisedBytes"] as? Int == 4)
            #expect(domain?["unsent"] as? Int == 0)
            #expect(try machine.succeed("status", "work:/").contains("Everything is in sync."))
        }
    }

    @Test func theHostIsStartedOnDemandAndStopsWithItsProviders() throws {
        try withWork { machine in
            let daemon = try #require(machine.daemon)
            let provider = try #require(machine.providers.first)
            let status = try machine.json("host", "status") as? [String: Any]
            #expect(status?["running"] as? Bool == true)
            #expect(status?["process"] as? Int == Int(daemon))
            #expect(status?["root"] as? String == machine.root)
            try machine.succeed("host", "stop")
            #expect(machine.daemon == nil)
            #expect(machine.providers.isEmpty, "\(provider) is left")
            #expect(try machine.docent("host", "stop").errors == "No host runs.\n")
            #expect(try machine.succeed("host", "status").hasPrefix("No host runs"))
            try machine.succeed("host", "start")
            #expect(machine.daemon != nil)
            #expect(try machine.succeed("cat", "work:/one.txt") == "one\n")
        }
    }
}
