import DocumentModel
import DocumentStorage
import DocumentWire
import Logging
import ProviderLauncher
import SystemPackage

/// Takes up an action that the host's death interrupted while a provider was asked: asks again, with the operation's
/// old name, so that it is not done twice; then finishes it, or takes it back.
struct Resumption: Sendable {
    let host: DocumentHost

    func resume(_ entry: JournalEntry) async {
        do throws(DocumentError) {
            let action = try await host.storage.run { try $0.resume(entry) }
            let domain = try host.domains.domain(entry.domain)
            switch action {
            case .send(let sending):
                try await host.locks.withLock(sending.item.key) { () async throws(DocumentError) in
                    try await host.delivery.resume(sending, of: domain)
                }
            case .export(let export): try await self.export(export, domain)
            case .rename(let change): try await rename(change, entry, domain)
            case .remove(let change): try await remove(change, domain)
            }
        } catch {
            host.logger.notice(
                "an interrupted action was not completed",
                metadata: ["action": "\(entry.action)", "domain": "\(entry.domain)", "error": "\(error)"])
        }
    }

    private func export(_ export: Export, _ domain: Domain) async throws(DocumentError) {
        do throws(DocumentError) {
            let session = domain.provider
            let item: Item
            if let replaced = export.replaces {
                item = try await session.modify(
                    ProviderCall.ModifyCall(
                        id: replaced.id, baseVersion: replaced.version.contentOnly,
                        contentsPath: export.contents?.path.string, modified: export.contents?.source?.modified,
                        operation: export.operation),
                    onProgress: { _ in })
            } else {
                item = try await session.create(
                    ProviderCall.CreateCall(
                        parentID: export.parentID, name: export.name, kind: export.kind,
                        contentsPath: export.contents?.path.string, modified: export.contents?.source?.modified,
                        operation: export.operation),
                    onProgress: { _ in })
            }
            _ = try await host.storage.run { try $0.finish(export, as: item) }
        } catch {
            try await host.storage.run { try $0.abandon(export) }
            throw error
        }
    }

    private func rename(_ change: Change, _ entry: JournalEntry, _ domain: Domain) async throws(DocumentError) {
        do throws(DocumentError) {
            let session = domain.provider
            let item = try await session.modify(
                ProviderCall.ModifyCall(
                    id: change.item.id, baseVersion: .none, name: entry.payload.name,
                    parentID: entry.payload.parentID, operation: change.operation),
                onProgress: { _ in })
            _ = try await host.storage.run { try $0.finish(change, as: item) }
        } catch {
            try await host.storage.run { try $0.abandon(change) }
            throw error
        }
    }

    private func remove(_ change: Change, _ domain: Domain) async throws(DocumentError) {
        do throws(DocumentError) {
            // The tool that asked never heard the end of it. What is still there stays.
            let session = domain.provider
            _ = try await session.item(change.item.id)
            try await host.storage.run { try $0.abandon(change) }
        } catch {
            if error.code == .noSuchItem {
                try await host.storage.run { try $0.finishRemoving(change) }
            } else {
                try await host.storage.run { try $0.abandon(change) }
                throw error
            }
        }
    }
}
