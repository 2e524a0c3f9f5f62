package import DocumentModel
package import DocumentTransport
internal import DocumentWire
internal import Synchronization

/// All the providers of a host, one a domain. ``run()`` must run for as long as it is used.
package final class ProviderFleet: Sendable {
    private struct State {
        var supervisors: [DomainName: ProviderSupervisor] = [:]
        var isStopping = false
    }

    private let context: LaunchContext
    private let state = Mutex(State())
    private let newcomers: AsyncStream<ProviderSupervisor>
    private let newcomersContinuation: AsyncStream<ProviderSupervisor>.Continuation

    package init(in context: LaunchContext) {
        self.context = context
        (newcomers, newcomersContinuation) = AsyncStream.makeStream()
    }

    /// Runs all supervisors until ``stopAll()``. When its task is cancelled the processes are killed.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await supervisor in newcomers {
                group.addTask { await supervisor.run() }
            }
        }
        // Their handlers hold who holds this.
        state.withLock { $0.supervisors = [:] }
    }

    /// Takes a domain in. Its provider is started by the first use.
    ///
    /// - Throws: ``DocumentError`` with the code `notConfigured` when the domain is there already or the host is ending.
    @discardableResult
    package func add(
        _ configuration: ProviderSupervisor.Configuration, handler: any RequestHandler,
        observe: @escaping @Sendable (ProviderSupervisor.Event) -> Void = { _ in }
    ) throws(DocumentError) -> ProviderSupervisor {
        let domain = configuration.settings.domain
        let supervisor = ProviderSupervisor(configuration, in: context, handler: handler, observe: observe)
        let problem: String? = state.withLock { state in
            if state.isStopping { return "The host is ending." }
            if state.supervisors[domain] != nil { return "The domain “\(domain)” has a provider already." }
            state.supervisors[domain] = supervisor
            return nil
        }
        if let problem { throw DocumentError(.notConfigured, problem) }
        newcomersContinuation.yield(supervisor)
        return supervisor
    }

    /// Ends a domain's provider in good order and forgets it.
    package func remove(_ domain: DomainName) async {
        guard let supervisor = state.withLock({ $0.supervisors[domain] }) else { return }
        supervisor.end()
        await supervisor.waitUntilEnded()
        // Known until its last words were heard: what is secret in them it knows.
        state.withLock { state in
            if state.supervisors[domain] === supervisor { state.supervisors[domain] = nil }
        }
    }

    package subscript(domain: DomainName) -> ProviderSupervisor? {
        state.withLock { $0.supervisors[domain] }
    }

    /// By domain.
    package var status: [ProviderStatus] {
        state.withLock { Array($0.supervisors.values) }.map(\.status).sorted { $0.domain < $1.domain }
    }

    /// Ends all providers in good order, side by side. ``run()`` returns when the last one is gone.
    package func stopAll() {
        let supervisors = state.withLock { state in
            state.isStopping = true
            return Array(state.supervisors.values)
        }
        for supervisor in supervisors { supervisor.end() }
        newcomersContinuation.finish()
    }
}
