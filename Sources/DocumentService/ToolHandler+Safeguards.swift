import DocumentHost
import DocumentModel
import DocumentWire

extension ToolHandler {
    func reply(to call: SafeguardCall) async throws(DocumentError) -> ServiceReply {
        switch call {
        case .ignoreRules(let domain, let change):
            guard change.isEmpty else {
                return .safeguards(.ignoreRules(try await host.changeIgnoreRules(change, of: domain)))
            }
            return .safeguards(.ignoreRules(try host.ignoreRules(of: domain)))
        case .explainIgnoring(let location):
            return .safeguards(.explainIgnoring(try host.explainIgnoring(of: location)))
        case .previewSync(let location): return .safeguards(.previewSync(try host.preview(below: location, for: tool)))
        case .previewRemoval(let location, let recursive, let discardUnsent):
            return .safeguards(
                .previewRemoval(
                    try host.previewRemoval(of: location, recursive: recursive, discardingUnsent: discardUnsent)))
        }
    }
}
