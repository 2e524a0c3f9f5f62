internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Logging
internal import Synchronization
internal import SystemPackage

/// What has to be known and checked before a process is started.
extension ProviderSupervisor {
    /// On a thread of its own: it looks at files, some of which users and manifests name, and reads the whole program when
    /// there is a digest to check. It may take as long as a start.
    ///
    /// - Throws: ``DocumentError`` with the code `notConfigured` for what no second attempt will mend, and with
    ///   `deadlineExceeded` when a path gives no answer.
    func prepare(_ configuration: Configuration) async throws(DocumentError) -> ProviderLaunch {
        let bundle = configuration.bundle
        let environment = context.environment
        let (confinement, realPath) = (context.confinement, context.realPath)
        let limit = bundle.manifest.deadlines.start
        let place = PlaceLookedAt(bundle.folder)
        let prepared: SandboxPolicy??
        // Of this look: one that hung may end when others have been made since.
        defer {
            let stamp = place.stamp.withLock { $0 }
            core.withLock { $0.launchStamp = stamp }
        }
        do {
            prepared = try await lookups.run(within: limit) {
                let stamp = BundleStamp(bundle)
                place.stamp.withLock { $0 = stamp }
                try bundle.verify()
                return try Self.sandbox(configuration, confinement, searchPath: environment["PATH"] ?? "") { path in
                    place.path.withLock { $0 = path }
                    return realPath(path)
                }
            }
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(.internal, "The provider's program could not be checked: \(error).")
        }
        guard let sandbox = prepared else {
            throw DocumentError(
                .deadlineExceeded,
                "The provider \(ProviderFailure.name(of: bundle.manifest)) could not be started: “\(place.path.withLock { $0 })” gives no answer. Look whether the disk or the network that it is on is there, and try again.",
                detail: "within \(limit)")
        }
        var launch = ProviderLaunch(
            program: bundle.executable, arguments: bundle.manifest.arguments,
            environment: sandbox.map {
                ProviderEnvironment.confined(
                    from: environment, to: configuration.folders, hasNetwork: !$0.ports.isEmpty)
            } ?? ProviderEnvironment.allowed(from: environment),
            workingFolder: configuration.workingFolder, sandbox: sandbox, logger: launchLogger())
        launch.redaction = { self.redaction }
        return launch
    }

    private static func sandbox(
        _ configuration: Configuration, _ confinement: Confinement, searchPath: String,
        realPath: (FilePath) -> FilePath?
    ) throws(DocumentError) -> SandboxPolicy? {
        guard confinement.demand != .none else { return nil }
        if let refusal = confinement.refusal(of: configuration.bundle.manifest) { throw refusal }
        let bundle = configuration.bundle
        let interpreters = ScriptInterpreters.of(bundle.executable, searchPath: searchPath)
        var policy = try SandboxPolicy(
            bundle, settings: configuration.settings.settings, folders: configuration.folders,
            interpreters: interpreters)
        policy.mayLackLandlock = confinement.demand == .asFarAsPossible
        return try policy.resolved(
            for: bundle, folders: configuration.folders, mounts: DocentMounts.now(), realPath: realPath)
    }

    /// What is looked up right now, for whom it is that does not answer; and what was found of the bundle.
    private final class PlaceLookedAt: Sendable {
        let path: Mutex<FilePath>
        let stamp = Mutex<BundleStamp?>(nil)

        init(_ path: FilePath) { self.path = Mutex(path) }
    }
}
