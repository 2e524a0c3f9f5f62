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
        case .trash(let call): return try await reply(to: call)
        }
    }

    private func reply(to call: TrashCall) async throws(DocumentError) -> ServiceReply {
        switch call {
        case .list(let choice, let place):
            return .safeguards(.trash(.list(try host.trash(choice, after: place))))
        case .restore(let id, let location): return .item(try await host.restoreTrash(id, to: location))
        case .empty(let choice, let date):
            let (documents, bytes) = try await host.emptyTrash(choice, removedBefore: date)
            return .safeguards(.trash(.empty(documents: documents, bytes: bytes)))
        case .use(let limits):
            if let limits { try await host.setTrashLimits(limits) }
            return .safeguards(.trash(.use(try host.trashStatus())))
        }
    }
}
