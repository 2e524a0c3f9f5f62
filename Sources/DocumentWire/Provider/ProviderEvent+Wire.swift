package import DocumentModel
import SwiftProtobuf

extension ProviderEvent {
    private static let mostCodes = 256
    private static let mostLogFields = 64
    /// In bytes.
    private static let longestNote = 2048

    /// Reads and checks a serialised `ProviderNotification`. Log texts are bounded and made fit for a terminal rather
    /// than refused: they are wanted most when something is wrong.
    ///
    /// - Throws: `protocolViolation`, `unimplemented` or `contractBroken`.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireProviderProviderNotification.decoded(from: bytes, as: "A provider's notification").event {
        case .changesAvailable: self = .changesAvailable
        case .errorResolved(let event):
            guard event.codes.count <= Self.mostCodes else {
                throw DocumentError(
                    .contractBroken,
                    "The provider says that \(event.codes.count) codes are resolved; there are not so many."
                )
            }
            self = .errorResolved(event.codes.map { DocumentError.Code(rawValue: Int($0)) })
        case .domainNote(let event):
            let text = Checks.displayable(event.text, limit: Self.longestNote)
            self = .note(DomainNote(text, isWarning: event.warning))
        case .log(let event):
            let fields = event.metadata.sorted { $0.key < $1.key }.prefix(Self.mostLogFields)
            self = .log(
                level: LogLevel(event.level),
                message: Checks.displayable(event.message, limit: 8192),
                metadata: Dictionary(
                    fields.map {
                        (Checks.displayable($0.key, limit: 128), Checks.displayable($0.value, limit: 4096))
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            )
        case nil:
            throw DocumentError(.unimplemented, "The provider's notification is not known; it is ignored.")
        }
    }

    package func serialized() -> [UInt8] {
        var notification = WireProviderProviderNotification()
        switch self {
        case .changesAvailable: notification.event = .changesAvailable(WireProviderChangesAvailable())
        case .errorResolved(let codes):
            notification.event = .errorResolved(.with { $0.codes = codes.compactMap { Int32(exactly: $0.rawValue) } })
        case .note(let note):
            notification.event = .domainNote(
                .with {
                    $0.text = note.text
                    $0.warning = note.isWarning
                })
        case .log(let level, let message, let metadata):
            notification.event = .log(
                .with {
                    $0.level = WireProviderLogMessage.Level(level)
                    $0.message = message
                    $0.metadata = metadata
                }
            )
        }
        return notification.encoded()
    }
}

extension ProviderEvent.LogLevel {
    fileprivate init(_ wire: WireProviderLogMessage.Level) {
        switch wire {
        case .debug: self = .debug
        case .warning: self = .warning
        case .error: self = .error
        case .info, .unspecified, .UNRECOGNIZED: self = .info
        }
    }
}

extension WireProviderLogMessage.Level {
    fileprivate init(_ level: ProviderEvent.LogLevel) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}
