import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage
import Testing

@testable import ProviderLauncher

/// The log is a file, and a provider writes into it.
@Suite("DESIGN 9: no secret in a log", .timeLimit(.minutes(2)))
struct LoggedSecretsTests {
    @Test("After a change of what it signs in with, the old word and the new one are blanked out")
    func changedSettings() throws {
        let fixture = try LaunchFixture()
        var provider = ScriptedProvider()
        provider.tables = "[[settings]]\nkey = \"token\"\ntype = \"string\"\n"
        let bundle = try provider.install(in: fixture.folder)
        let state = try fixture.folder.folder("state")
        var settings = SessionSettings(
            providerID: bundle.manifest.identifier, domain: try DomainName("work"), settings: ["token": "the-old-word"],
            stateFolder: state.string, storageRoot: "/nowhere", stagingFolder: "/nowhere")
        let supervisor = ProviderSupervisor(
            ProviderSupervisor.Configuration(bundle: bundle, settings: settings), in: fixture.context,
            handler: NoRequests())
        settings.settings = ["token": "the-new-word"]
        supervisor.reset(settings: settings)
        #expect(supervisor.redaction.redact("the-old-word, the-new-word") == "************, ************")
    }

    @Test("A setting that the provider prints, to standard error or between frames, is blanked out in the log")
    func settings() async throws {
        let fixture = try LaunchFixture()
        let lines = LogLines()
        var context = fixture.context
        context.logger = lines.logger
        var provider = ScriptedProvider()
        provider.script =
            "greet; next; echo 'the password is hunter2-and-more' >&2; echo 'the hunter2-and-more in frames'; exit 4"
        provider.tables = "[[settings]]\nkey = \"token\"\ntype = \"string\"\n"
        let bundle = try provider.install(in: fixture.folder)
        let state = try fixture.folder.folder("state")
        let configuration = ProviderSupervisor.Configuration(
            bundle: bundle,
            settings: SessionSettings(
                providerID: bundle.manifest.identifier, domain: try DomainName("work"),
                settings: ["token": "hunter2-and-more"], stateFolder: state.string, storageRoot: "/nowhere",
                stagingFolder: "/nowhere"))
        let supervisor = ProviderSupervisor(configuration, in: context, handler: NoRequests())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await supervisor.run() }
            defer { group.cancelAll() }
            await #expect(throws: DocumentError.self) {
                try await ProviderSession(supervisor).startProviding(.root, stagingPath: "/nowhere")
            }
            #expect(await holdsSoon { supervisor.status.lastFailure != nil })
            supervisor.end()
            try await group.waitForAll()
        }
        let failure = try #require(supervisor.status.lastFailure)
        for text in [lines.text, failure.detail, failure.causes.joined(separator: "\n")] {
            #expect(!text.contains("hunter2"), "\(text)")
            #expect(!text.contains("68 75 6E 74 65 72"), "nor as hex: \(text)")
        }
        #expect(lines.text.contains("the password is ****************"))
    }
}
