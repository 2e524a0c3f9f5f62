import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher

/// Items of which news say too little: their provider is asked for each.
extension ChangeFollower {
    /// Items that are known here and went to a folder that nobody has looked into yet: the provider is asked for the
    /// folders around them. Those that were never seen here are found when their folder is listed.
    ///
    /// - Returns: those that are gone there.
    @discardableResult
    func follow(
        _ rejected: [ItemIdentifier], of domain: Domain
    ) async throws(DocumentError) -> [ItemIdentifier] {
        var gone: [ItemIdentifier] = []
        for id in rejected {
            guard try storage.read({ try $0.item(id, in: domain.name) }) != nil else { continue }
            let told: [Item]
            do throws(DocumentError) {
                told = try await ItemLineage(storage: storage).ask(for: id, in: domain)
            } catch {
                // Gone again, of which the feed tells, too; or it is nowhere, and keeps nothing else from being read.
                guard error.code == .noSuchItem || error.code == .contractBroken else { throw error }
                if error.code == .noSuchItem { gone.append(id) }
                logger.notice(
                    "an item that moved cannot be followed",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(id)", "error": "\(error)"])
                continue
            }
            try await take(
                try await storage.run { try $0.apply(told, in: domain.name, leavingWork: true) }, domain)
        }
        return gone
    }

    /// What was removed or moved at the provider, as here, while it was asked: it is as it is told of now.
    func lookAgain(at ids: [ItemIdentifier], of domain: Domain) async throws(DocumentError) {
        for id in ids {
            var isLeftOut = true
            // As often as that goes on.
            while isLeftOut {
                let question = storage.store.questions.begin(of: domain.name)
                let told: [Item]
                do throws(DocumentError) {
                    told = try await ItemLineage(storage: storage).ask(for: id, in: domain)
                } catch {
                    // Removed, as it was to be; or known by another identifier by now.
                    guard error.code == .noSuchItem || error.code == .contractBroken else { throw error }
                    break
                }
                let outcome = try await storage.run {
                    try $0.apply(told, in: domain.name, leavingWork: true, answering: question)
                }
                try await take(outcome, domain)
                isLeftOut = !outcome.leftOut.isEmpty
            }
        }
    }
}
