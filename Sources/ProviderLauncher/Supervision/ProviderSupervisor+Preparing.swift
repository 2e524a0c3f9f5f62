internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Logging
internal import SystemPackage

/// What has to be known and checked before a process is started.
extension ProviderSupervisor {
    /// Off the event loop: it looks at files, and reads the whole program when there is a digest to check.
    ///
    /// - Throws: ``DocumentError`` with the code `notConfigured` for what no second attempt will mend.
    func prepare(_ configuration: Configuration) async throws(DocumentError) -> ProviderLaunch {
        let bundle = configuration.bundle
        let environment = context.environment
        let confinement = context.confinement
        let sandbox: SandboxPolicy?
        do {
            sandbox = try await context.blocking.run {
                try bundle.verify()
                return try Self.sandbox(configuration, confinement, searchPath: environment["PATH"] ?? "")
            }
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(.internal, "The provider's program could not be checked: \(error).")
        }
        var launch = ProviderLaunch(
            program: bundle.executable, arguments: bundle.manifest.arguments,
            environment: sandbox.map {
                ProviderEnvironment.confined(
                    from: environment, to: configuration.folders, hasNetwork: !$0.ports.isEmpty)
            } ?? ProviderEnvironment.allowed(from: environment),
            workingFolder: configuration.workingFolder, sandbox: sandbox, logger: launchLogger())
        launch.redaction = FrameRedaction(settings: configuration.settings.settings, of: bundle.manifest)
        return launch
    }

    private static func sandbox(
        _ configuration: Configuration, _ confinement: Confinement, searchPath: String
    ) throws(DocumentError) -> SandboxPolicy? {
        guard confinement.demand != .none else { return nil }
        if let refusal = confinement.refusal(of: configuration.bundle.manifest) { throw refusal }
        let bundle = configuration.bundle
        let interpreters = ScriptInterpreters.of(bundle.executable, searchPath: searchPath)
        var policy = try SandboxPolicy(
            bundle, settings: configuration.settings.settings, folders: configuration.folders,
            interpreters: interpreters)
        policy.mayLackLandlock = confinement.demand == .asFarAsPossible
        return try policy.resolved(for: bundle, folders: configuration.folders)
    }
}
