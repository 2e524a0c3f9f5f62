import DocumentModel
import DocumentWire

/// What the daemon asks a host tool.
enum ToolCallTarget: FuzzTarget {
    static let name = "tool-call"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        _ = try ToolCall.read(input, refusals: [.protocolViolation, .unimplemented, .invalidArgument])
    }
}

extension ToolCall: CheckedMessage {}
