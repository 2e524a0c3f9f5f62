import DocumentModel
import DocumentStorage
import DocumentTransport
import DocumentWire
import Logging
import ProviderLauncher

/// What a provider asks and tells the host.
struct ProviderLine: RequestHandler {
    let domain: DomainName
    let host: DocumentHost
    private let intake = NotificationIntake()

    init(domain: DomainName, host: DocumentHost) {
        self.domain = domain
        self.host = host
    }

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        switch try HostCall(serialized: body) {
        case .writePlaceholder(let item):
            let outcome = try await host.treeWork.take([item], in: domain)
            if let rejected = outcome.rejected.first { throw rejected.error }
            return HostReply.writePlaceholder.serialized()
        case .prompt(let prompt):
            let provider = try signingIn()
            let values = try await host.prompts.ask(prompt, of: domain, for: provider.provider)
            for field in prompt.fields where field.isSecret { values[field.key].map(provider.learn(secret:)) }
            return HostReply.prompt(values).serialized()
        case .loadSecret(let name):
            let provider = try signingIn()
            let value = try await host.ownSecrets(of: domain)[name]
            if let value { learn(value, provider) }
            return HostReply.loadSecret(value).serialized()
        case .storeSecret(let name, let value):
            learn(value, try signingIn())
            try await host.keepOwnSecret(value, named: name, of: domain)
            return HostReply.storeSecret.serialized()
        }
    }

    private func learn(_ value: [UInt8], _ provider: ProviderSupervisor) {
        if let text = String(validating: value, as: UTF8.self) { provider.learn(secret: text) }
    }

    /// - Throws: `notPermitted` when the manifest does not say that it asks people and keeps secrets.
    private func signingIn() throws(DocumentError) -> ProviderSupervisor {
        guard let supervisor = host.fleet[domain], supervisor.declares(.signIn) else {
            throw DocumentError(
                .notPermitted,
                "Only a provider whose manifest lists “sign-in” among its capabilities may ask people and keep secrets."
            )
        }
        return supervisor
    }

    func received(notification body: [UInt8]) async {
        guard intake.admits(body, at: .now) else { return }
        do throws(DocumentError) {
            try take(try ProviderEvent(serialized: body))
        } catch {
            guard error.code != .unimplemented, intake.admitsComplaint(at: .now) else { return }
            host.logger.warning(
                "a provider's notification was dropped", metadata: ["domain": "\(domain)", "error": "\(error)"])
        }
    }

    private func take(_ event: ProviderEvent) throws(DocumentError) {
        switch event {
        case .changesAvailable:
            guard let domain = host.domains.find(domain) else { return }
            // However often it signals, one follows.
            guard domain.signal() else { return }
            host.work.add { [host] in await host.follower.follow(domain) }
        case .errorResolved(let codes):
            if codes.isEmpty || codes.contains(.notAuthenticated) { host.domains.find(domain)?.signIn.accepted() }
            if codes.isEmpty || codes.contains(.serverUnreachable) { host.domains.find(domain)?.reach.answered() }
            guard let delay = intake.resolved(codes, at: .now) else { return }
            let domain = domain
            host.work.add { [host, intake] in
                if delay > .zero { try? await Task.sleep(for: delay) }
                if let codes = intake.takeResolved() { host.resolved(domain, codes) }
            }
        case .note(var note):
            let redaction = host.fleet[domain]?.redaction ?? FrameRedaction()
            note.text = redaction.redact(note.text)
            guard host.domains.note(note, of: domain) else { return }
            host.events.domainChanged(domain)
        case .log(let level, let message, let metadata):
            let redaction = host.fleet[domain]?.redaction ?? FrameRedaction()
            var all = metadata.mapValues { Logger.MetadataValue.string(redaction.redact($0)) }
            all["domain"] = "\(domain)"
            host.logger.log(level: Logger.Level(level), "\(redaction.redact(message))", metadata: all)
        }
    }
}

extension DocumentHost {
    /// What waits for a provider can be tried again: it says so itself, or somebody has signed in.
    ///
    /// - Parameter codes: which errors are resolved; empty: all. With the others nothing is tried that they keep from all of it.
    func resolved(_ domain: DomainName, _ codes: Set<DocumentError.Code> = []) {
        failures.answered(domain, askedAfter: failures.count)
        do throws(DocumentError) {
            try sender.enqueueAll(of: domain, resolved: codes)
            work.add { [pinKeeper] in await pinKeeper.look(at: domain) }
            work.add { [outdatedContents] in await outdatedContents.look(at: domain) }
            work.add { [interrupted] in await interrupted.settle(domain) }
            work.add { [departures] in await departures.resume(domain) }
            work.add { [clearing] in await clearing.resume(domain) }
            work.add { [backlog] in await backlog.settle(domain) }
            sideKeeper.resolved(domain)
        } catch {
            logger.warning(
                "what waits to be sent could not be looked up", metadata: ["domain": "\(domain)", "error": "\(error)"])
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: ProviderEvent.LogLevel) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}
