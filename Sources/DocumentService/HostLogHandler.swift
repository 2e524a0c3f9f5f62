import DocumentHost
import Logging

/// Writes to standard error, and sees to it that the file behind it stays small.
struct HostLogHandler: LogHandler {
    private var stream: StreamLogHandler
    private let file: HostLog

    init(label: String, file: HostLog) {
        stream = .standardError(label: label)
        self.file = file
    }

    func log(event: LogEvent) {
        stream.log(event: event.onOneLine)
        file.keepSmall()
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { stream[metadataKey: key] }
        set { stream[metadataKey: key] = newValue }
    }

    var metadata: Logger.Metadata {
        get { stream.metadata }
        set { stream.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { stream.metadataProvider }
        set { stream.metadataProvider = newValue }
    }

    var logLevel: Logger.Level {
        get { stream.logLevel }
        set { stream.logLevel = newValue }
    }
}
