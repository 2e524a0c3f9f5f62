import DocumentModel
import DocumentWire

/// What the daemon answers a host tool.
enum ServiceReplyTarget: FuzzTarget {
    static let name = "service-reply"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try ServiceReply.read(input, refusals: [.protocolViolation, .unimplemented])
    }
}

extension ServiceReply: CheckedMessage {}
