import DocumentModel
package import Logging

extension LogEvent {
    /// The same, with what would steer a terminal, begin another line or deceive the eye made visible: providers choose
    /// much of what is logged, as the identifiers of their items.
    package var onOneLine: LogEvent {
        var event = self
        event.message = "\(Self.visible(message.description))"
        event.metadata = metadata.map { Self.visible($0) }
        if let error {
            event.error = nil
            var fields = event.metadata ?? [:]
            fields["error.message"] = .string(Self.visible("\(error)"))
            event.metadata = fields
        }
        return event
    }

    private static func visible(_ metadata: Logger.Metadata) -> Logger.Metadata {
        Dictionary(
            metadata.map { (visible($0.key), visible($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    private static func visible(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(visible(text))
        case .stringConvertible(let value): .string(visible(value.description))
        case .dictionary(let fields): .dictionary(visible(fields))
        case .array(let values): .array(values.map { visible($0) })
        }
    }

    private static func visible(_ text: String) -> String { ItemName.printable(text, limit: .max) }
}
