import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A confined provider that uses Dispatch", .timeLimit(.minutes(1)))
struct DispatchTests {
    @Test("Sleeping, detached tasks and full queues of Dispatch do no harm within the sandbox")
    func dispatching() async throws {
        let fixture = try LaunchFixture(confinement: .required)
        let program = buildProducts.appending("DispatchingProvider")
        try fixture.folder.file(
            "bundle/provider.toml", ManifestTests.text(["executable": "\"\(program)\""]))
        let bundle = try ProviderBundle.load(folder: fixture.folder.path.appending("bundle"))
        let state = try fixture.folder.folder("state")
        var configuration = ProviderSupervisor.Configuration(
            bundle: bundle,
            settings: SessionSettings(
                providerID: bundle.manifest.identifier, domain: try DomainName("work"), settings: [:],
                stateFolder: state.string, storageRoot: "/nowhere", stagingFolder: "/nowhere"))
        configuration.idleAfter = nil
        let supervisor = ProviderSupervisor(configuration, in: fixture.context, handler: NoRequests()) { _ in }
        let items = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await supervisor.run() }
            defer {
                supervisor.end()
                group.cancelAll()
            }
            let session = ProviderSession(supervisor)
            async let first = session.item(.root)
            async let second = session.item(.root)
            return try await [first, second]
        }
        #expect(items.allSatisfy { $0.id == .root })
    }
}
