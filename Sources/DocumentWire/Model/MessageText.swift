import SwiftProtobuf

/// Messages in protobuf's text format: fields by their names in the protos, in their order there.
package enum MessageText {
    package enum Kind: Sendable {
        case settings, capabilities, providerCall, providerAnswer, providerEvent, hostCall, hostAnswer
    }

    /// - Returns: nil for bytes that are no such message.
    package static func text(of bytes: [UInt8], as kind: Kind) -> String? {
        switch kind {
        case .settings: text(bytes, WireProviderSessionSettings.self)
        case .capabilities: text(bytes, WireProviderSessionCapabilities.self)
        case .providerCall: text(bytes, WireProviderProviderRequest.self)
        case .providerAnswer: text(bytes, WireProviderProviderAnswer.self)
        case .providerEvent: text(bytes, WireProviderProviderNotification.self)
        case .hostCall: text(bytes, WireProviderHostRequest.self)
        case .hostAnswer: text(bytes, WireProviderHostAnswer.self)
        }
    }

    private static func text<Message: SwiftProtobuf.Message>(_ bytes: [UInt8], _ type: Message.Type) -> String? {
        (try? type.decoded(from: bytes, as: "A message"))?.textFormatString()
    }
}
