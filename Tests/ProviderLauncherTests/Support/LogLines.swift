import Logging
import Synchronization

/// What was logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.joined(separator: "\n") }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(record: self) }
    }

    private struct Handler: LogHandler {
        let record: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock { $0.append("\(event.message) \(event.metadata?.description ?? "")") }
        }
    }
}
