package import DocumentModel
package import DocumentTransport
import DocumentWire
package import ProviderLauncher

/// What a check works with: the provider, sessions with it, things to try it on, and what the run was told.
package struct CheckContext: Sendable {
    /// The check that runs.
    package let check: CheckDescription
    package let provider: ProviderUnderTest
    package let configuration: ConformanceConfiguration
    /// What the provider claims: in its manifest and in its hello.
    package let capabilities: Set<ProviderCapability>
    let shared: SharedSession
    let hooks: HookRunner

    /// How long one request may take.
    package var requestLimit: Duration { .seconds(configuration.limits.request) }
    package var folder: KitFolder { provider.folder }
    package var manifest: Manifest { provider.manifest }

    package func claims(_ capability: ProviderCapability) -> Bool { capabilities.contains(capability) }

    // MARK: Sessions

    /// A session that the provider may have served others in before. The usual one: no process is started for it.
    package func withSession<Result>(_ body: (ConformanceSession) async throws -> Result) async throws -> Result {
        let session = try await shared.acquire()
        session.label(check.id)
        return try await body(session)
    }

    /// A session with a process of its own, on the state that earlier processes left. The shared one is ended before.
    ///
    /// - Returns: what the body returns, and how the process ended.
    @discardableResult
    package func withFreshSession<Result: Sendable>(
        configure: @escaping @Sendable (inout Connection.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (ConformanceSession) async throws -> Result
    ) async throws -> (result: Result, exit: ProcessExit) {
        await shared.stop()
        let (provider, limit, id) = (provider, requestLimit, check.id)
        return try await provider.launch { launched in
            try await ConformanceSession.with(
                launched, of: provider, requestLimit: limit, label: id, configure: configure, body)
        }
    }

    /// A process of its own, to which nothing was said. What the body leaves running is ended at once.
    ///
    /// - Returns: what the body returns, and how the process ended.
    @discardableResult
    package func withRawEnd<Result: Sendable>(
        _ body: @escaping @Sendable (RawSession) async throws -> Result
    ) async throws -> (result: Result, exit: ProcessExit) {
        await shared.stop()
        let (provider, limit, id) = (provider, requestLimit, check.id)
        return try await provider.launch { launched in
            let raw = try RawSession(launched, of: provider, limit: limit, label: id)
            let result = try await body(raw)
            launched.end.close()
            return result
        }
    }

    /// As ``withRawEnd(_:)``, with the hello done.
    @discardableResult
    package func withRawSession<Result: Sendable>(
        _ body: @escaping @Sendable (RawSession) async throws -> Result
    ) async throws -> (result: Result, exit: ProcessExit) {
        try await withRawEnd { raw in
            let reply = try await raw.hello()
            guard reply.version != 0 else {
                throw CheckFailure("The provider refused the hello.", detail: "\(reply)")
            }
            return try await body(raw)
        }
    }

    // MARK: Hooks

    /// Makes what the provider gives access to unreachable.
    ///
    /// - Throws: ``CheckSkip`` without the hook.
    package func takeRemoteAway() async throws {
        guard let command = configuration.hooks.remoteAway, configuration.hooks.remoteBack != nil else {
            throw CheckSkip("The configuration has no hooks remote-away and remote-back.")
        }
        try await hooks.run(command)
    }

    /// Makes it reachable again.
    package func bringRemoteBack() async throws {
        guard let command = configuration.hooks.remoteBack else { return }
        try await hooks.undo(command)
    }

    /// Has the provider fail with an error from now on.
    ///
    /// - Throws: ``CheckSkip`` without the hook, and where the provider cannot be brought to it.
    package func refuse(_ code: DocumentError.Code) async throws {
        guard let command = configuration.hooks.refuse, configuration.hooks.accept != nil else {
            throw CheckSkip("The configuration has no hooks refuse and accept.")
        }
        try await hooks.run(command + [code.description])
    }

    /// Ends that.
    package func accept() async throws {
        guard let command = configuration.hooks.accept else { return }
        try await hooks.undo(command)
    }

    /// Changes a document behind the provider's back.
    ///
    /// - Throws: ``CheckSkip`` without the hook.
    package func changeDocument(_ path: String) async throws {
        guard let command = configuration.hooks.changeDocument else {
            throw CheckSkip("The configuration has no hook change-document.")
        }
        try await hooks.run(command + [path])
    }
}
