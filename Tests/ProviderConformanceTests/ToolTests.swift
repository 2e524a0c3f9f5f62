import DocumentTestSupport
import Foundation
import Glibc
import ProviderConformance
import SystemPackage
import Testing

@Suite("The program provider-conformance", .timeLimit(.minutes(2)))
struct ToolTests {
    private func status(_ arguments: [String]) async throws -> Int32? {
        let tool = try BuiltProducts.executable("provider-conformance")
        return try await ChildProcess.with(tool, arguments: arguments, environment: ["PATH": "/usr/bin:/bin"]) {
            child in
            try child.standardInput.close()
            defer { try? child.standardOutput.close() }
            return try await child.exitStatus(within: .seconds(60))
        }
    }

    @Test(
        "§10.8: wrong usage ends with status 2",
        arguments: [
            ["run"], ["run", "--no-such-option"], ["no-such-command"], ["run", "--bundle", "/no/such/bundle"],
            ["run", "--", "/no/such/program"], ["run", "--check", "PC-NONE-*", "--", "/bin/true"],
            ["run", "--config", "/no/such/file", "--", "/bin/true"], ["run", "--report", "poem=x", "--", "/bin/true"],
            ["run", "--report", "json=/no/such/folder/report", "--", "/bin/true"],
            ["run-host", "--report", "json=/no/such/folder/report", "--host", "/bin/true"],
            ["run", "--set", "folder", "--", "/bin/true"],
            ["run", "--set", "folder=@/no/such/file", "--", "/bin/true"],
            ["run", "--rewrite-expected", "--", "/bin/true"], ["replay", "/no/such/file", "--", "/bin/true"],
        ])
    func wrongUsage(arguments: [String]) async throws {
        #expect(try await status(arguments) == 2)
    }

    @Test("§10.8: a provider that keeps what is checked ends with status 0, one that does not with status 1")
    func verdicts() async throws {
        try await ConformanceFixture.withBundle("GreetingProvider", source: "Examples/GreetingProvider") { bundle in
            let status = try await self.status(["run", "--quiet", "--check", "PC-IDENT-*", "--bundle", bundle])
            #expect(status == 0)
        }
        #expect(try await status(["run", "--quiet", "--check", "PC-HELLO-002", "--", "/bin/true"]) == 1)
        #expect(try await status(["list"]) == 0)
        #expect(try await status(["--help"]) == 0)
    }

    @Test("§10.6: a run in which everything is skipped ends with status 1")
    func nothingRan() async throws {
        try await ConformanceFixture.withBundle("GreetingProvider", source: "Examples/GreetingProvider") { bundle in
            let status = try await self.status(["run", "--quiet", "--check", "PC-ARGS-04*", "--bundle", bundle])
            #expect(status == 1)
        }
    }

    @Test(
        "§10.7: a provider that does not come up is tried a few times, and the run ends with every check accounted for")
    func neverStarts() async throws {
        let tool = try BuiltProducts.executable("provider-conformance")
        try await TemporaryFile.with(contents: "") { report in
            let status = try await ChildProcess.with(
                tool, arguments: ["run", "--quiet", "--mutating", "--report", "json=\(report)", "--", "/bin/false"],
                environment: ["PATH": "/usr/bin:/bin"]
            ) { child in
                try child.standardInput.close()
                // Who reads no line of it does not keep the reports from being written.
                try child.standardOutput.close()
                return try await child.exitStatus(within: .seconds(100))
            }
            #expect(status == 1)
            let told = try self.told(in: report.string)
            let results = try #require(told["results"] as? [[String: Any]])
            #expect(results.count == CheckRegistry.allChecks.count)
        }
    }

    @Test("An output that is full ends the program with status 3, and not with a crash")
    func fullOutput() async throws {
        let status = try await ChildProcess.with(
            "/bin/sh", arguments: ["-c", "exec \"$0\" list >/dev/full", try tool.string],
            environment: ["PATH": "/usr/bin:/bin"]
        ) { child in try await child.exitStatus(within: .seconds(30)) }
        #expect(status == 3)
    }

    /// What a report as JSON says.
    private func told(in file: String) throws -> [String: Any] {
        let json = try Data(contentsOf: URL(fileURLWithPath: file))
        let document = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        return try #require(document["report"] as? [String: Any])
    }

    private var tool: FilePath { get throws { try BuiltProducts.executable("provider-conformance") } }

    @Test("An interrupted run says so, writes its reports, and leaves no folder behind", arguments: [SIGINT, SIGTERM])
    func interrupted(number: Int32) async throws {
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            let folder = bundle + "/temporary"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let report = folder + "/report.json"
            let status = try await ChildProcess.with(
                try tool,
                arguments: ["run", "--quiet", "--mutating", "--report", "json=\(report)", "--bundle", bundle],
                environment: ["PATH": "/usr/bin:/bin", "TMPDIR": folder]
            ) { child in
                try child.standardInput.close()
                defer { try? child.standardOutput.close() }
                let isBusy = try await eventually(within: .seconds(30)) {
                    try FileManager.default.contentsOfDirectory(atPath: folder).contains {
                        $0.hasPrefix("provider-conformance-")
                    }
                }
                #expect(isBusy)
                kill(child.processID, number)
                return try await child.exitStatus(within: .seconds(60))
            }
            #expect(status == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["report.json"])
            let told = try self.told(in: report)
            #expect(told["notBegun"] as? Int ?? 0 > 0)
        }
    }

    @Test("An interrupted replay says so, and leaves no folder behind", arguments: [SIGINT, SIGTERM])
    func interruptedReplay(number: Int32) async throws {
        let tool = try tool
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { folder in
            let (record, temporary) = (folder + "/a.docent-traffic", folder + "/temporary")
            try Data("docent-traffic 1\n< 1 preface\n< 2 frame 1A020801\n".utf8).write(to: URL(filePath: record))
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            let (status, errors) = try await ChildProcess.with(
                tool, arguments: ["replay", record, "--", "/bin/sleep", "100"],
                environment: ["PATH": "/usr/bin:/bin", "TMPDIR": temporary]
            ) { child in
                try child.standardInput.close()
                defer { try? child.standardOutput.close() }
                let isBusy = try await eventually(within: .seconds(30)) {
                    try !FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty
                }
                #expect(isBusy)
                kill(child.processID, number)
                return (try await child.exitStatus(within: .seconds(60)), child.errorText())
            }
            #expect(status == 1 && errors.contains("interrupted"), "\(errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
        }
    }

    @Test("An interrupted attack on a host says so, writes its reports, and leaves no host and no folder behind")
    func interruptedAttack() async throws {
        let (tool, host) = (try tool, try BuiltProducts.executable("docentd").string)
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { folder in
            let (report, note) = (folder + "/report.json", folder + "/note")
            let words = [
                "run-host", "--quiet", "--report", "json=\(report)", "--check", "HA-ANSWER-*", "--host", "/bin/sh",
                "-c",
                "echo $DOCENT_ROOT $$ >\(note); exec \(host) --idle-time 120",
            ]
            let status = try await ChildProcess.with(tool, arguments: words, environment: ["PATH": "/usr/bin:/bin"]) {
                child in
                try child.standardInput.close()
                defer { try? child.standardOutput.close() }
                let isBusy = try await eventually(within: .seconds(60)) {
                    try await Task.sleep(for: .milliseconds(20))
                    guard let root = Self.noted(note)?.root else { return false }
                    return FileManager.default.fileExists(atPath: root + "/../traffic/0")
                }
                #expect(isBusy)
                kill(child.processID, SIGTERM)
                return try await child.exitStatus(within: .seconds(60))
            }
            #expect(status == 1)
            let noted = try #require(Self.noted(note))
            #expect(!FileManager.default.fileExists(atPath: noted.root))
            #expect(!HostFootprint.lives(noted.host))
            let told = try self.told(in: report)
            #expect(told["notBegun"] as? Int ?? 0 > 0)
        }
    }

    /// What a host was started with, when it has been.
    private static func noted(_ file: String) -> (root: String, host: Int32)? {
        let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let words = text.split(whereSeparator: \.isWhitespace)
        guard text.hasSuffix("\n"), words.count == 2, let host = Int32(words[1]) else { return nil }
        return (String(words[0]), host)
    }
}
