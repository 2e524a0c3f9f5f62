import DocumentModel
import DocumentWire

/// What the host answers a provider.
enum HostReplyTarget: FuzzTarget {
    static let name = "host-reply"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try HostReply.read(input, refusals: [.protocolViolation, .unimplemented])
    }
}

extension HostReply: CheckedMessage {}
