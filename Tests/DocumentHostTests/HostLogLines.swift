import Logging
import Synchronization

/// What a host has logged.
final class HostLogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    /// The messages, each with its level, of that text.
    func all(containing text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }

    private struct Handler: LogHandler {
        let record: HostLogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock { $0.append("\(event.level): \(event.message) \(event.metadata?.description ?? "")") }
        }
    }
}
