import DocumentModel
import DocumentWire

/// What a host tool asks the daemon.
enum ServiceCallTarget: FuzzTarget {
    static let name = "service-call"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try ServiceCall.read(input, refusals: [.protocolViolation, .unimplemented, .invalidArgument])
    }
}

extension ServiceCall: CheckedMessage {
    /// As it is asked outside of accesses.
    func serialized() -> [UInt8] { serialized(nestedIn: []) }
}
