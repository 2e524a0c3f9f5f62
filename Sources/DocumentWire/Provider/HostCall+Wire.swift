package import DocumentModel
import SwiftProtobuf

extension HostCall {
    /// Reads and checks a serialised `HostRequest`.
    ///
    /// - Throws: `protocolViolation`, `unimplemented`, or `invalidArgument` with what is wrong.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireProviderHostRequest.decoded(from: bytes, as: "A provider's request").call {
        case .writePlaceholder(let call): self = .writePlaceholder(try Item(call.item))
        case nil:
            throw DocumentError(
                .unimplemented, "This host does not know the request. It may be older than the provider: update it."
            )
        }
    }

    package func serialized() -> [UInt8] {
        var request = WireProviderHostRequest()
        switch self {
        case .writePlaceholder(let item):
            request.call = .writePlaceholder(.with { $0.item = WireModelItem(item) })
        }
        return request.encoded()
    }
}

extension HostReply {
    /// Reads a serialised `HostAnswer`.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireProviderHostAnswer.decoded(from: bytes, as: "The host's answer").answer {
        case .writePlaceholder: self = .writePlaceholder
        case nil:
            throw DocumentError(
                .unimplemented,
                "The host answered in a way that this provider does not know. Update the older of the two."
            )
        }
    }

    package func serialized() -> [UInt8] {
        var answer = WireProviderHostAnswer()
        switch self {
        case .writePlaceholder: answer.answer = .writePlaceholder(WireProviderDone())
        }
        return answer.encoded()
    }
}
