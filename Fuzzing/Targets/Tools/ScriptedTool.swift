import DocumentModel
import DocumentTransport
import DocumentWire
import Synchronization

/// A host tool's side of what the daemon asks: its presenters answer as the script says.
final class ScriptedTool: RequestHandler {
    private let manners: [ToolScript.Manner]
    private let count = Mutex(0)

    init(manners: [ToolScript.Manner]) {
        self.manners = manners
    }

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        switch manners[number % manners.count] {
        case .answers: return ToolCall.answer()
        case .refuses: throw DocumentError(.notPermitted, "No.")
        case .keepsSilent:
            try await Task.sleep(for: .milliseconds(200))
            return ToolCall.answer()
        case .breaksOff: throw CancellationError()
        }
    }
}
