import DocumentModel
package import DocumentTransport
package import DocumentWire
import Foundation
import Logging
package import ProviderLauncher
import Synchronization
package import SystemPackage

/// What is judged.
public enum ConformanceSubject: Sendable, Hashable {
    /// An installed provider: the folder that holds its manifest.
    case bundle(String)
    /// A program with arguments; the first is a path, or a name that is looked for in `PATH`.
    case command([String])
}

/// The provider that a run judges, and all that it takes to start it.
package struct ProviderUnderTest: Sendable {
    package let bundle: ProviderBundle
    /// Whether there is a real manifest, and not one that the kit made up for a command.
    package let hasManifest: Bool
    package let folder: KitFolder
    package let settings: [String: String]
    package let startLimit: Duration
    let context: LaunchContext
    let tap: TrafficTap
    /// What no report may show.
    var redaction: FrameRedaction { tap.redaction }

    package var manifest: Manifest { bundle.manifest }

    /// What a host tells the provider.
    package var sessionSettings: SessionSettings {
        get throws {
            SessionSettings(
                providerID: manifest.identifier, domain: try DomainName("conformance"), settings: settings,
                stateFolder: folder.state.string, storageRoot: folder.root.string,
                stagingFolder: folder.staging.string)
        }
    }

    /// Starts the provider as a host does, runs the body, and sees to it that the process and all that is in its group
    /// has ended.
    package func launch<Result: Sendable>(
        _ body: @escaping @Sendable (LaunchedProvider) async throws -> Result
    ) async throws -> (result: Result, exit: ProcessExit) {
        let sandbox = try await self.sandbox()
        let environment =
            sandbox.map {
                ProviderEnvironment.confined(
                    from: context.environment, to: sandboxFolders, hasNetwork: !$0.ports.isEmpty)
            } ?? ProviderEnvironment.allowed(from: context.environment)
        let launch = ProviderLaunch(
            program: bundle.executable, arguments: manifest.arguments, environment: environment,
            workingFolder: folder.state, sandbox: sandbox, logger: tap.logger)
        let recorder = tap.recorder(notes: [.init(key: "provider", text: manifest.identifier.rawValue)])
        let (outcome, exit) = try await ProviderProcess.run(launch, in: context) {
            process async -> Swift.Result<Result, any Error> in
            let pipes = process.takeEnd()
            // Nobody else closes it.
            defer { pipes.close() }
            do {
                return .success(
                    try await body(
                        LaunchedProvider(
                            process: process, pipes: pipes, end: RecordingEnd(pipes, recorder: recorder),
                            missing: sandbox?.missing ?? [])))
            } catch {
                // It may be about to end by itself: how is what the failure has to tell.
                if (error as? CheckFailure)?.isOfEnd == true { await process.end(.brief) }
                return .failure(error)
            }
        }
        do {
            return (try outcome.get(), exit)
        } catch let failure as CheckFailure {
            throw failure.told(of: exit)
        }
    }

    private var sandboxFolders: SandboxFolders {
        SandboxFolders(
            state: folder.state, temporary: folder.temporary, fetch: folder.fetch, send: folder.send,
            storageRoot: folder.root)
    }

    /// As a host confines it. A program that was given as a command has no manifest that says what it needs, and is not
    /// confined.
    private func sandbox() async throws -> SandboxPolicy? {
        guard hasManifest, context.confinement.demand != .none else { return nil }
        let (bundle, settings, folders) = (bundle, settings, sandboxFolders)
        let (searchPath, hasLandlock) = (context.environment["PATH"] ?? "", context.confinement.landlock > 0)
        do {
            return try await context.blocking.run {
                let interpreters = ScriptInterpreters.of(bundle.executable, searchPath: searchPath)
                var policy = try SandboxPolicy(bundle, settings: settings, folders: folders, interpreters: interpreters)
                policy.mayLackLandlock = !hasLandlock
                return try policy.resolved(for: bundle, folders: folders)
            }
        } catch let error as DocumentError {
            throw CheckFailure("The provider cannot be confined: \(error.message)", detail: error.detail)
        }
    }
}

/// A provider's process, before anything was said.
package struct LaunchedProvider: Sendable {
    package let process: ProviderProcess
    package let pipes: PipeEnd
    /// What is read and written here is recorded.
    package let end: RecordingEnd
    /// What its manifest asks for and was not there: where a host starts a provider anew when it is.
    package let missing: [FilePath]
}
