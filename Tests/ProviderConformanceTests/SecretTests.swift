import DocumentModel
import DocumentTestSupport
import Glibc
import ProviderConformance
import SystemPackage
import Testing

@Suite("Secrets in no output", .timeLimit(.minutes(2)))
struct SecretTests {
    private static let secret = "correct-horse-battery-staple"

    @Test("§10.7: a secret setting is in no report, in no recording and in no line of the provider's")
    func planted() async throws {
        let run = try await ConformanceFixture.run([
            ConformanceFixture.check(1) { context in
                // It comes back: in an error's text, in an answer, and in what the kit itself would say.
                try await context.withFreshSession { session in
                    let id = try ItemIdentifier("item \(Self.secret)")
                    do {
                        _ = try await session.item(id)
                    } catch let error as DocumentError {
                        throw CheckFailure("It says: \(error)", detail: "\(error) \(Self.secret)")
                    }
                }
            },
            ConformanceFixture.check(2) { context in
                try await context.withRawEnd { raw in _ = try await raw.hello() }
            },
        ]) { runner in
            runner.configuration.settings["company"] = Self.secret
            runner.keepsRecords = true
        }
        #expect(run.report.results[0].outcome.message.contains("***"))
        let hex = Self.secret.utf8.map { String($0, radix: 16, uppercase: true) }.joined()
        for format in ReportFormat.allCases {
            let text = try format.text(run.report)
            #expect(!text.contains(Self.secret), "\(format)")
            #expect(!text.contains(hex), "\(format)")
        }
        #expect(run.records.count >= 2)
        for record in run.records.map(\.text) {
            #expect(!record.contains(Self.secret))
            #expect(!record.contains(hex))
        }
        // The exchange is there all the same.
        #expect(try ReportFormat.html.text(run.report).contains("Hello, versions"))
    }

    @Test("§10.7: a secret that a provider prints is not in its log")
    func printed() async throws {
        var configuration = ConformanceConfiguration()
        configuration.settings["token"] = Self.secret
        let runner = try ConformanceFixture.runner(
            .command(["/bin/sh", "-c", "echo the token is \(Self.secret) >&2; exit 1"]), configuration,
            checks: [
                ConformanceFixture.check(1) { context in try await context.withRawEnd { _ = try await $0.frame() } }
            ])
        let run = try await runner.run()
        #expect(run.report.results[0].log.contains { $0.contains("the token is ****") })
        for format in ReportFormat.allCases {
            #expect(!(try format.text(run.report)).contains(Self.secret), "\(format)")
        }
    }

    @Test("§10.7: what the manifest calls secret is in no log, however short it is")
    func short() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let manifest = """
            identifier = "org.example.pin"
            name = "Pin"
            executable = "run"
            modes = ["import"]
            protocol-versions = [1]

            [[settings]]
            key = "pin"
            secret = true
            description = "The number"

            """
        try TemporaryFile.write(manifest, to: folder.appending("provider.toml"))
        try TemporaryFile.write("#!/bin/sh\necho the pin is 4711 >&2\nexit 1\n", to: folder.appending("run"))
        chmod(folder.appending("run").string, 0o755)
        var configuration = ConformanceConfiguration()
        configuration.settings["pin"] = "4711"
        let runner = try ConformanceFixture.runner(
            .bundle(folder.string), configuration,
            checks: [
                ConformanceFixture.check(1) { context in try await context.withRawEnd { _ = try await $0.frame() } }
            ])
        let run = try await runner.run()
        #expect(run.report.results[0].log.contains { $0.contains("the pin is ****") }, "\(run.report.results[0])")
        #expect(!(try ReportFormat.json.text(run.report)).contains("4711"))
    }
}
