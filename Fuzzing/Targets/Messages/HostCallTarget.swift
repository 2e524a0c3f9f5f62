import DocumentModel
import DocumentWire

/// What a provider asks the host.
enum HostCallTarget: FuzzTarget {
    static let name = "host-call"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try HostCall.read(input, refusals: [.protocolViolation, .unimplemented, .invalidArgument])
    }
}

extension HostCall: CheckedMessage {}
