internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire

/// What host and provider have to agree on before anything else.
struct ProviderHandshake: Sendable {
    /// The connection cannot be used. When it is permanent, trying again cannot help.
    struct Refusal: Error {
        var error: DocumentError
        var isPermanent: Bool
        /// The provider said it itself, with its hello: it is neither broken nor dead.
        var isTold = false
    }

    /// Set in the host's environment, it switches the deadline of the handshake off.
    private static let debuggerKey = "DOCENT_WAIT_FOR_DEBUGGER"

    let manifest: Manifest
    let settings: SessionSettings
    /// The top folder that it has to have, so that nothing is asked of another remote than was meant; nil for any.
    var expectedRootID: ItemIdentifier?

    func configuration(context: LaunchContext, session: String) -> Connection.Configuration {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.versions = Manifest.hostProtocolVersions.filter(manifest.protocolVersions.contains)
        configuration.software = context.software
        configuration.locale = context.locale
        configuration.session = session
        configuration.context = settings.serialized()
        configuration.peerName = "The provider \(ProviderFailure.name(of: manifest))"
        configuration.violationAdvice = ProviderReply.advice
        configuration.printedAdvice =
            "What came reads like text that was printed to standard output, which carries the protocol; “docent provider show \(manifest.identifier) --last-failure” shows it."
        configuration.deathMessage = death.message
        // Under a debugger a provider may take its time.
        configuration.handshakeTimeout =
            context.environment[Self.debuggerKey] == nil ? manifest.deadlines.start : nil
        configuration.frameTimeout = context.frameTimeout
        configuration.keepsFlightRecord = true
        configuration.redaction = FrameRedaction(settings: settings.settings, of: manifest)
        // Longer than anything that the manifest allows to be silent.
        let deadlines = manifest.deadlines
        var patience = max(deadlines.metadata, max(deadlines.mutation, deadlines.contents))
        // One that does one thing at a time says nothing while a person thinks about its prompt.
        if manifest.signsIn { patience = max(patience, deadlines.signIn) }
        configuration.pingAfter = Self.silence
        configuration.pongWithin = max(configuration.pongWithin, patience)
        return configuration
    }

    /// A provider with work that says nothing for so long is asked whether it is there.
    private static let silence = Duration.seconds(60)

    /// What open requests fail with when the process ends.
    var death: DocumentError {
        DocumentError(
            .providerDied,
            "The provider \(ProviderFailure.name(of: manifest)) of the domain “\(settings.domain)” ended before it answered; try again."
        )
    }

    /// The hellos.
    func open(_ connection: Connection) async throws(Refusal) -> (capabilities: SessionCapabilities, peer: Peer) {
        let peer: Peer
        do {
            peer = try await connection.open()
        } catch {
            // No version in common. Whoever refuses for another reason may come round.
            throw Refusal(error: error, isPermanent: error.code == .unimplemented)
        }
        let capabilities: SessionCapabilities
        do {
            capabilities = try SessionCapabilities(serialized: peer.context)
        } catch {
            throw broken("sent capabilities that make no sense.", because: error)
        }
        let wider = capabilities.capabilities.subtracting(manifest.capabilities).sorted()
        guard wider.isEmpty else {
            let names = wider.map { "“\($0.rawValue)”" }.joined(separator: ", ")
            throw broken("claims \(names), which its manifest does not declare.")
        }
        if let expectedRootID, peer.failure == nil, capabilities.rootID != expectedRootID {
            throw Refusal(
                error: DocumentError(
                    .invalidArgument,
                    "There is another top folder with that sign-in: sign out first, and what is here of the old one goes."
                ),
                isPermanent: true, isTold: true)
        }
        return (capabilities, peer)
    }

    /// Asks who it is. The connection must run.
    func identify(_ connection: Connection) async throws(Refusal) -> String {
        let reply: ProviderReply
        do {
            let body = try await connection.request(
                ProviderCall.identity.serialized(), deadline: .total(manifest.deadlines.start))
            reply = try ProviderReply(
                serialized: body, to: .identity, of: "The provider \(ProviderFailure.name(of: manifest))")
        } catch {
            throw Refusal(error: error, isPermanent: false)
        }
        guard case .identity(let identifier, let version) = reply else {
            throw broken("was asked `identity` and answered with `\(CallName.of(reply))`.")
        }
        guard identifier == manifest.identifier else {
            throw broken("says that it is “\(identifier)”.")
        }
        return version
    }

    private func broken(_ what: String, because cause: DocumentError? = nil) -> Refusal {
        Refusal(
            error: DocumentError(
                .protocolViolation,
                "The provider \(ProviderFailure.name(of: manifest)) \(what) \(ProviderReply.advice)",
                detail: cause?.detail ?? "", causes: cause.map { [$0.message] + $0.causes } ?? []),
            isPermanent: true)
    }
}
