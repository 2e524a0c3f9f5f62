import DocumentModel
import DocumentWire

/// What the host is told in a provider's answer to the hello.
enum SessionCapabilitiesTarget: FuzzTarget {
    static let name = "session-capabilities"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try SessionCapabilities.read(input, refusals: [.protocolViolation, .contractBroken])
    }
}

extension SessionCapabilities: CheckedMessage {}
