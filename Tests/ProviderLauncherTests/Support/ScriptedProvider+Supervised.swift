import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage
import Testing

@testable import ProviderLauncher

extension ScriptedProvider {
    /// Runs a supervisor for the provider for as long as the body runs, and ends it.
    func supervised(
        policy: ProviderSupervisorStateMachine.Policy = .init(),
        idleAfter: Duration? = nil, ladder: ShutdownLadder = ShutdownLadder(),
        confinement: Confinement.Demand = .none, environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        settings: [String: String] = [:],
        observe: @escaping @Sendable (ProviderSupervisor.Event) -> Void = { _ in },
        realPath: @escaping @Sendable (FilePath) -> FilePath? = { SandboxPolicy.realPath($0) },
        _ body: (ProviderSupervisor, ProviderSession, TemporaryFolder) async throws -> Void
    ) async throws {
        let fixture = try LaunchFixture(environment: environment, confinement: confinement)
        var context = fixture.context
        context.ladder = ladder
        context.realPath = realPath
        let bundle = try install(in: fixture.folder)
        let state = try fixture.folder.folder("state")
        var configuration = ProviderSupervisor.Configuration(
            bundle: bundle,
            settings: SessionSettings(
                providerID: bundle.manifest.identifier, domain: try DomainName("work"), settings: settings,
                stateFolder: state.string, storageRoot: "/nowhere", stagingFolder: "/nowhere"))
        configuration.policy = policy
        configuration.idleAfter = idleAfter
        let supervisor = ProviderSupervisor(configuration, in: context, handler: NoRequests(), observe: observe)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await supervisor.run() }
            defer { group.cancelAll() }
            try await body(supervisor, ProviderSession(supervisor), fixture.folder)
            supervisor.end()
            try await group.waitForAll()
        }
        #expect(supervisor.status.state == .ended)
        for pid in fixture.folder.starts { #expect(!isAlive(pid)) }
    }
}

extension ProviderSession {
    /// Asks for an item, which is to fail.
    func failureOfItem() async -> DocumentError? {
        do {
            _ = try await item(.root)
            Issue.record("the call succeeded")
            return nil
        } catch {
            return error
        }
    }
}

extension Item {
    static func root() throws -> Item {
        Item(id: .root, parentID: nil, name: nil, kind: .folder, version: try ItemVersion(content: [], metadata: [1]))
    }
}
