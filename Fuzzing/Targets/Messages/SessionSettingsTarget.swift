import DocumentModel
import DocumentWire

/// What a provider is told in the host's hello.
enum SessionSettingsTarget: FuzzTarget {
    static let name = "session-settings"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try SessionSettings.read(input, refusals: [.protocolViolation, .invalidArgument])
    }
}

extension SessionSettings: CheckedMessage {}
