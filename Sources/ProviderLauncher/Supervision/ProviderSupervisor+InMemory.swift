package import DocumentModel
package import DocumentTransport
internal import DocumentWire
internal import Synchronization

/// A life without a process: the provider is at the other end of any transport.
extension ProviderSupervisor {
    /// Serves with a provider at the other end until its connection ends, with the handshake, the handler and the settling
    /// of every other life. Not beside a process: one that is starting is waited for. For what has no program to launch,
    /// such as fuzzing.
    ///
    /// - Returns: why it ended; nil when it was told to.
    package func live(over end: any TransportEnd) async -> DocumentError? {
        guard await takesPlace() else {
            return DocumentError(.busy, "A process of the provider does not make room for another life.")
        }
        let failure = await serve(over: end)
        settle(failure)
        return failure
    }

    /// A life with a provider that is no process of this host.
    func live(by link: ProviderLink) async {
        let (isWanted, domain) = core.withLock { ($0.machine.state == .starting, $0.configuration.settings.domain) }
        guard isWanted else { return settle(nil) }
        guard let end = link(domain) else {
            return settle(
                DocumentError(.providerUnavailable, "The provider of \(domain) cannot be reached."), isTold: true)
        }
        let failure = await serve(over: end)
        end.close()
        settle(failure)
    }

    private func serve(over end: any TransportEnd) async -> DocumentError? {
        let configuration = core.withLock { $0.configuration }
        let handshake = ProviderHandshake(manifest: configuration.bundle.manifest, settings: configuration.settings)
        let connection = Connection(
            end: end, loop: context.loop, configuration: handshake.configuration(context: context, session: "memory"),
            logger: launchLogger())
        core.withLock { $0.stop = { connection.close(nil) } }
        let failure = await withTaskGroup(of: DocumentError?.self) { group -> DocumentError? in
            defer { connection.close(nil) }
            do throws(ProviderHandshake.Refusal) {
                let (capabilities, peer) = try await handshake.open(connection)
                if let failure = peer.failure { return failure }
                group.addTask { await connection.run(self.handler).error }
                _ = try await handshake.identify(connection)
                begin(
                    LiveProvider(
                        connection: connection, capabilities: capabilities.capabilities, rootID: capabilities.rootID,
                        software: peer.software, processID: 0))
            } catch {
                return error.error
            }
            return await group.next() ?? nil
        }
        core.withLock { $0.isDying = true }
        return failure
    }

    /// Forgets past deaths, and is about to start.
    private func takesPlace() async -> Bool {
        for _ in 0..<4_000 {
            switch core.withLock({ $0.machine.state }) {
            case .running, .backingOff, .givenUp: reset()
            // A process that is starting comes to its end by itself; told to make room it would be started once more.
            case .stopped, .starting, .stopping, .ended: break
            }
            let isOurs = core.withLock { core in
                guard core.machine.state == .stopped else { return false }
                // What it wants launched is what comes now.
                _ = core.machine.wanted(now: .now)
                return true
            }
            if isOurs { return true }
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return false }
        }
        return false
    }
}
