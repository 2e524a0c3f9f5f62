import DocumentModel
import DocumentWire

/// What a provider is asked.
enum ProviderCallTarget: FuzzTarget {
    static let name = "provider-call"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try ProviderCall.read(input, refusals: [.protocolViolation, .unimplemented, .invalidArgument])
    }
}

extension ProviderCall: CheckedMessage {}
