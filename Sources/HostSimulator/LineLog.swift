import Logging

/// Gives each message of a host as a line.
struct LineLog: LogHandler {
    let onLine: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .notice

    init(onLine: @escaping (String) -> Void) {
        // One thread, as all of a simulation.
        nonisolated(unsafe) let onLine = onLine
        self.onLine = { onLine($0) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        onLine("\(event.level): \(event.message) \(event.metadata ?? [:])")
    }
}
