import DocumentModel
import DocumentWire

/// What the daemon tells a host tool unasked.
enum ToolEventTarget: FuzzTarget {
    static let name = "tool-event"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try ToolEvent.read(input, refusals: [.protocolViolation, .unimplemented])
    }
}

extension ToolEvent: CheckedMessage {}
