import DocumentModel
import DocumentStorage
import DocumentTransport
import DocumentWire
import Logging

/// What a provider asks and tells the host.
struct ProviderLine: RequestHandler {
    let domain: DomainName
    let host: DocumentHost

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        switch try HostCall(serialized: body) {
        case .writePlaceholder(let item):
            let outcome = try await host.treeWork.take([item], in: domain)
            if let rejected = outcome.rejected.first { throw rejected.error }
            return HostReply.writePlaceholder.serialized()
        }
    }

    func received(notification body: [UInt8]) async {
        do throws(DocumentError) {
            try take(try ProviderEvent(serialized: body))
        } catch {
            guard error.code != .unimplemented else { return }
            host.logger.warning(
                "a provider's notification was dropped", metadata: ["domain": "\(domain)", "error": "\(error)"])
        }
    }

    private func take(_ event: ProviderEvent) throws(DocumentError) {
        switch event {
        case .changesAvailable:
            guard let domain = host.domains.find(domain) else { return }
            domain.signal()
            host.work.add { [host] in
                do throws(DocumentError) {
                    try await host.follower.ensureFresh(domain)
                } catch {
                    host.logger.notice(
                        "the remote's changes could not be read",
                        metadata: ["domain": "\(domain.name)", "error": "\(error)"])
                }
            }
        case .errorResolved:
            try host.sender.enqueueAll(of: domain)
        case .log(let level, let message, let metadata):
            var all = metadata.mapValues { Logger.MetadataValue.string($0) }
            all["domain"] = "\(domain)"
            host.logger.log(level: Logger.Level(level), "\(message)", metadata: all)
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
