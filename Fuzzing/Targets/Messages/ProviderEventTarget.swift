import DocumentModel
import DocumentWire

/// What a provider tells the host unasked: whatever it is, logs stay short and fit for a terminal.
enum ProviderEventTarget: FuzzTarget {
    static let name = "provider-event"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let event = try ProviderEvent.read(input, refusals: [.protocolViolation, .unimplemented, .contractBroken])
        guard case .log(_, let message, let metadata) = event else { return }
        for text in [message] + metadata.keys + metadata.values {
            try require(text.utf8.count <= 8192 + 3, "A log has \(text.utf8.count) bytes.")
            try require(
                !text.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0 }, "A log steers the terminal.")
        }
    }
}

extension ProviderEvent: CheckedMessage {}
