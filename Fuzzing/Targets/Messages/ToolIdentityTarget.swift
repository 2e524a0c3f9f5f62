import DocumentModel
import DocumentWire

/// What a host tool says of itself in its hello.
enum ToolIdentityTarget: FuzzTarget {
    static let name = "tool-identity"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try ToolIdentity.read(input, refusals: [.protocolViolation])
    }
}

extension ToolIdentity: CheckedMessage {}
