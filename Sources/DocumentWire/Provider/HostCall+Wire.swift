package import DocumentModel
import SwiftProtobuf

extension HostCall {
    /// Reads and checks a serialised `HostRequest`.
    ///
    /// - Throws: `protocolViolation`, `unimplemented`, or `invalidArgument` with what is wrong.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireProviderHostRequest.decoded(from: bytes, as: "A provider's request").call {
        case .writePlaceholder(let call): self = .writePlaceholder(try Item(call.item))
        case .prompt(let prompt): self = .prompt(try Prompt(prompt))
        case .loadSecret(let call): self = .loadSecret(try Self.secretName(call.name))
        case .storeSecret(let call):
            guard call.value.count <= Self.longestSecret else {
                throw Checks.refusal("A secret has at most \(Self.longestSecret) bytes.")
            }
            self = .storeSecret(try Self.secretName(call.name), Array(call.value))
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
        case .prompt(let prompt): request.call = .prompt(WireModelPrompt(prompt))
        case .loadSecret(let name): request.call = .loadSecret(.with { $0.name = name })
        case .storeSecret(let name, let value):
            request.call = .storeSecret(
                .with {
                    $0.name = name
                    $0.value = collected(value)
                })
        }
        return request.encoded()
    }

    package static let longestSecret = 16_384

    private static func secretName(_ name: String) throws(DocumentError) -> String {
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "=") })
        else {
            throw Checks.refusal("A secret has a name of 1 to 64 printable ASCII characters, without “=”.")
        }
        return name
    }
}

extension HostReply {
    /// Reads a serialised `HostAnswer`.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        switch try WireProviderHostAnswer.decoded(from: bytes, as: "The host's answer").answer {
        case .writePlaceholder: self = .writePlaceholder
        case .prompt(let answer): self = .prompt(try answer.checked())
        case .loadSecret(let answer): self = .loadSecret(answer.found ? Array(answer.value) : nil)
        case .storeSecret: self = .storeSecret
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
        case .prompt(let values): answer.answer = .prompt(WireModelPromptAnswer(values))
        case .loadSecret(let value):
            answer.answer = .loadSecret(
                .with {
                    $0.found = value != nil
                    $0.value = collected(value ?? [])
                })
        case .storeSecret: answer.answer = .storeSecret(WireProviderDone())
        }
        return answer.encoded()
    }
}
