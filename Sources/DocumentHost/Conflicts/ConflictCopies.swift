import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Contents of a document in conflict that become a document of their own beside it (VER-5).
struct ConflictCopies: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let made: MadeItems

    /// Makes one, at the provider and here.
    ///
    /// - Parameters:
    ///   - source: a file of the host's.
    ///   - kept: what is kept of the conflict here.
    ///   - isChosen: somebody wants just that name.
    ///   - attempt: see ``CopyAttempts``.
    /// - Returns: why the next attempt is to be made; nil when the copy is there.
    func make(
        of source: FilePath, modified: Timestamp, keptAs kept: [String], beside item: IndexedItem,
        in parent: ItemIdentifier, as name: ItemName, isChosen: Bool, attempt: Int, with session: ProviderSession
    ) async throws(DocumentError) -> CopyAttempts.Failure? {
        let export: Export
        do throws(DocumentError) {
            export = try await storage.run { store in
                try store.beginCopy(of: source, beside: item, in: parent, as: name, attempt: attempt, of: kept)
            }
        } catch {
            // Another machine has resolved the same in the same second, and its copy is known here.
            guard [.destinationExists, .nameClash].contains(error.code), !isChosen else { throw error }
            return .nameTaken
        }
        let heard = try made.heard(of: item.domain)
        do throws(DocumentError) {
            let call = ProviderCall.CreateCall(
                parentID: parent, name: name, kind: .document, contentsPath: export.contents?.path.string,
                modified: modified, operation: export.operation)
            guard let there = try await ask(call, session) else {
                try await storage.run { try $0.abandon(export) }
                return .gone
            }
            let beside = try await storage.run { try $0.finish(export, as: there) }
            // Presenters of the folders around hear of it (COORD-26).
            broker.noticed(.appeared, on: try storage.read { try $0.coordinated(beside) })
            return try await made.isGone(beside.id, of: item.domain, since: heard, session) ? .gone : nil
        } catch {
            try await storage.run { try $0.abandon(export) }
            guard error.code == .nameCollision, !isChosen else { throw error }
            return .nameTaken
        }
    }

    /// Whoever was asked before, and the answer was lost, answers as then, or says that it is gone. Only the provider knows which
    /// it is, as the host may have been started anew since; and only when the copy is there may the contents leave the document.
    ///
    /// - Returns: nil when it is gone.
    private func ask(
        _ call: ProviderCall.CreateCall, _ session: ProviderSession
    ) async throws(DocumentError) -> Item? {
        do throws(DocumentError) {
            return try await onceMoreAfterDeath { () async throws(DocumentError) -> Item in
                let answer = try await session.create(call, onProgress: { _ in })
                _ = try await session.item(answer.id)
                return answer
            }
        } catch {
            guard error.code == .noSuchItem else { throw error }
            // In a folder that is gone nothing is made, however often it is asked for.
            _ = try await session.item(call.parentID)
            return nil
        }
    }
}
