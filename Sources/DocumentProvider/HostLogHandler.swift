import DocumentWire
import Glibc
import Logging

/// Sends log messages to the host.
struct HostLogHandler: LogHandler {
    /// The level from which on messages are sent: a name of swift-log's; “info” when it is not set.
    static let environmentKey = "DOCENT_LOG_LEVEL"

    /// What the host calls the request that is answered just now: what is logged meanwhile carries it, as
    /// `request.label`.
    @TaskLocal static var requestLabel: String?
    private static let labelKey = "request.label"

    let link: HostLink
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(link: HostLink) {
        self.link = link
        logLevel = getenv(Self.environmentKey).flatMap { Logger.Level(rawValue: String(cString: $0)) } ?? .info
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var merged = metadata
        if let label = Self.requestLabel { merged[Self.labelKey] = "\(label)" }
        if let provided = metadataProvider?.get() { merged.merge(provided) { $1 } }
        if let own = event.metadata { merged.merge(own) { $1 } }
        link.tell(
            .log(
                level: ProviderEvent.LogLevel(event.level),
                message: event.message.description,
                metadata: merged.mapValues(\.description)
            )
        )
    }
}

extension ProviderEvent.LogLevel {
    fileprivate init(_ level: Logger.Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info, .notice: self = .info
        case .warning: self = .warning
        case .error, .critical: self = .error
        }
    }
}
