internal import AsyncHTTPClient
internal import DocumentModel
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Looks at a claim on a document, and ends it when its owner is gone.
struct ClaimTakeOver: Sendable {
    enum Holder: Sendable {
        case nobody
        /// Who looks.
        case oneself
        case somebody
        /// Somebody had it, and has it no more.
        case ended
    }

    let link: ServerLink
    let watch: ClaimWatch
    let logger: Logger
    let claim: RemotePath

    /// - Parameter key: of the change that wants the claim, if there is one.
    /// - Returns: who has it.
    func look(for key: ItemName? = nil) async throws -> Holder {
        guard let entries = try await link.entries(of: claim) else {
            watch.forget(claim)
            return .nobody
        }
        if let key, entries.contains(where: { $0.name == key }) { return .oneself }
        // Who gets on, or has taken it anew, is there.
        let holder = entries.map { "\($0.name.rawValue) \($0.properties.modified ?? 0)" }.joined(separator: " ")
        let isOver = entries.contains { watch.isLeftBehind($0.name) }
        guard watch.saw(claim, heldBy: holder, at: link.timing.now()) >= link.timing.abandoned || isOver else {
            return .somebody
        }
        logger.notice("A change whose owner is gone is undone.", metadata: ["claim": "\(claim.quoted)"])
        try await end()
        watch.forget(claim)
        return .ended
    }

    /// What was taken away and not replaced gets its place again.
    private func end() async throws {
        guard let folder = claim.parent else { return }
        let rest = try ClaimNames.rest(in: folder, link.timing.mark())
        let answer = try await link.move(claim, to: rest, asFolder: true)
        guard let holders = try await link.entries(of: rest) else { return }
        for holder in holders where holder.properties.isFolder {
            let own = rest.appending(holder.name)
            let entries = try await link.entries(of: own) ?? []
            guard entries.contains(where: { $0.name == ClaimNames.old }) else { continue }
            guard let note = try await note(in: own), let source = note.source else {
                logger.warning("What lies in \(own.quoted) is of a change that is not known; it is left there.")
                return
            }
            // New contents that are not there any more have their place.
            if note.kind == .put, !entries.contains(where: { $0.name == ClaimNames.new }) { continue }
            try await link.restore(own.appending(ClaimNames.old), to: source, logger)
        }
        if answer.isSuccess { _ = try await link.remove(rest, asFolder: true) }
    }

    private func note(in own: RemotePath) async throws -> ClaimNote? {
        let request = ServerRequest(method: .GET, path: own.appending(ClaimNames.note))
        do {
            return try await link.ask(request, accepting: [200], retrying: link.timing.retrying) { answer in
                var text: [UInt8] = []
                for try await part in answer.body where text.count < 1 << 16 { text += part.readableBytesView }
                return ClaimNote(text: String(decoding: text, as: UTF8.self), link.address)
            }
        } catch ServerFailure.status(404, _) {
            return nil
        }
    }
}
