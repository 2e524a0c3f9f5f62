import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import Logging
import ProviderLauncher

/// Removes a folder with what is in it, as the planner says: from the inside out, each document in the version that is
/// known here, each folder when nothing is left in it. What was changed on the remote meanwhile, or put there, stays, with
/// the folders around it (VER-15).
struct FolderRemover: Sendable {
    /// Requests at once.
    private static let width = SyncPacing.Limits().requests
    /// How many removals are written down together.
    private static let batch = 256

    let storage: StorageThreads
    let follower: ChangeFollower
    let logger: Logger

    /// Sees to it that all that is in a folder is known: it was asked for, too.
    func learn(_ folder: IndexedItem, of domain: Domain) async throws(DocumentError) {
        // Its provider knows neither it nor what is in it any more.
        if try storage.read({ try $0.isGoneThere(folder) }) { return }
        let isKnown = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
        // Without a feed, nobody has told what is new in it.
        if !isKnown || !domain.hasFeed { try await follower.list(folder.id, of: domain) }
        for item in try children(of: folder.id, in: domain.name) where item.item.kind != .document {
            try await learn(item, of: domain)
        }
    }

    /// - Parameter covered: what is to go, in which versions; nil for all that is shown, as it is known now.
    /// - Throws: what kept the folder, or something in it, from being removed; the rest is.
    func remove(
        _ change: Change, of domain: Domain, covering covered: CoveredItems? = nil
    ) async throws(DocumentError) {
        let folder = change.item
        var state = State(
            try storage.read { try $0.subtree(of: folder.id, in: domain.name) }, in: domain.rootID, covering: covered)
        while true {
            let operations = state.operations
            guard !operations.isEmpty else { break }
            var rest = operations[...]
            while !rest.isEmpty {
                try await carryOut(Array(rest.prefix(Self.batch)), change, domain, &state)
                rest = rest.dropFirst(Self.batch)
            }
        }
        guard let refusal = state.refusal(of: folder.id) else { return }
        throw refusal
    }

    /// What is known while it goes on.
    private struct State {
        var trees: SyncTrees
        var held: Set<SyncOperation> = []
        var refusals: [(id: ItemIdentifier, error: DocumentError)] = []

        /// - Parameter items: from the outside in.
        init(_ items: [IndexedItem], in root: ItemIdentifier, covering covered: CoveredItems?) {
            trees = SyncTrees(root: root)
            // Folders that nobody is shown the inside of, because of their names.
            var hidden: Set<ItemIdentifier> = []
            for item in items {
                var item = item
                let isHidden = item.item.parentID.map(hidden.contains) ?? false
                if item.item.kind != .document, isHidden || item.state == .nameClash { hidden.insert(item.id) }
                guard !isHidden, covered?.contains(item) ?? true else {
                    // Nobody asked to have that removed: it stays, with the folders around it.
                    trees.remote[item.id] = SyncTrees(of: item, in: root).remote[item.id]
                    if isHidden { refusals.append((item.id, Self.hidden(item))) }
                    continue
                }
                // A package's version is that of all that is in it, which goes first.
                if item.item.kind != .document { item.item.version = .none }
                let known = SyncTrees(of: item, in: root)
                trees.remote[item.id] = known.remote[item.id]
                trees.synced[item.id] = known.synced[item.id]
                // What the provider told of is what was asked to be removed, whatever is here of it.
                trees.synced[item.id]?.version = item.item.version.content
                if item.item.kind == .document, let seen = covered?.version(of: item), seen != item.item.version.content
                {
                    trees.synced[item.id]?.version = seen
                    refusals.append((item.id, Self.changed(item)))
                }
                trees.local[item.id] = .gone
            }
        }

        private static func hidden(_ item: IndexedItem) -> DocumentError {
            DocumentError(
                .nameClash,
                "“\(item.item.name?.rawValue ?? "")” in it is not shown, as a folder around it has another's name but for case or Unicode form: rename one of them.",
                itemID: item.id)
        }

        private static func changed(_ item: IndexedItem) -> DocumentError {
            DocumentError(
                .versionNoLongerAvailable,
                "“\(item.item.name?.rawValue ?? "")” in it was changed since that was asked for, and stays.",
                itemID: item.id)
        }

        var operations: [SyncOperation] {
            var circumstances = SyncPlanner.Circumstances()
            // Somebody has said yes, or did not have to.
            circumstances.deletionGuard = DeletionGuard(minimum: .max)
            circumstances.held = held
            return SyncPlanner.plan(trees, circumstances).operations.filter {
                if case .delete = $0 { true } else { false }
            }
        }

        mutating func record(_ operation: SyncOperation, _ answer: SyncAnswer) {
            for change in SyncRecorder.changes(of: operation, answer, in: trees, fresh: operation.id) {
                trees.apply(change)
            }
        }

        /// Nil when the folder is gone.
        func refusal(of folder: ItemIdentifier) -> DocumentError? {
            guard trees.remote[folder]?.node != nil else { return nil }
            return refusals.first?.error
                ?? DocumentError(.directoryNotEmpty, "Something was put into it on the remote meanwhile, and stays.")
        }
    }

    private func carryOut(
        _ operations: [SyncOperation], _ change: Change, _ domain: Domain, _ state: inout State
    ) async throws(DocumentError) {
        let answers = await ask(operations, change, domain.provider)
        var gone: [ItemIdentifier] = []
        for (operation, error) in answers where error == nil || error?.code == .noSuchItem {
            state.record(operation, .deleted)
            // The folder itself is recorded with the end of its removal.
            if operation.id != change.item.id { gone.append(operation.id) }
        }
        let removed = gone
        if !removed.isEmpty {
            try await storage.run { try $0.recordRemoved(removed, with: change) }
        }
        for (operation, error) in answers {
            guard let error, error.code != .noSuchItem else { continue }
            try await follow(error, operation, change, domain, &state)
        }
    }

    /// What a refusal says of the remote; what follows from it is planned anew.
    private func follow(
        _ error: DocumentError, _ operation: SyncOperation, _ change: Change, _ domain: Domain, _ state: inout State
    ) async throws(DocumentError) {
        let id = operation.id
        state.refusals.append((id, error))
        // In any case it is not asked for again as it was.
        state.held.insert(operation)
        switch error.code {
        case .versionNoLongerAvailable:
            let now: Item
            do throws(DocumentError) {
                now = try await domain.provider.item(id)
            } catch {
                guard error.code == .noSuchItem else { throw error }
                return state.record(operation, .deleted)
            }
            _ = try await follower.treeWork.take([now], in: domain.name)
            guard case .present(var there) = state.trees.remote[id] else { return }
            there.version = now.version.content
            state.trees.remote[id] = .present(there)
        case .directoryNotEmpty:
            try await follower.list(id, of: domain)
            let inside = try children(of: id, in: domain.name)
            guard inside.isEmpty else {
                // News, which nobody asked to have removed.
                for item in inside where state.trees.remote[item.id]?.node == nil {
                    state.trees.remote[item.id] = SyncTrees(of: item, in: domain.rootID).remote[item.id]
                    state.trees.local[item.id] = nil
                    state.trees.synced[item.id] = nil
                }
                return
            }
            guard try !storage.read({ try $0.holdsUntold(id, in: domain.name) }) else {
                // What was moved out of it is not to go with it, nor what was removed in it and changed on the remote since.
                state.refusals[state.refusals.count - 1].error = DocumentError(
                    .busy,
                    "Something that was moved out of it or removed here is in it on the remote still: try again in a moment.",
                    itemID: id)
                return
            }
            // The listing may be one that was answered before this came to it, and not all that a provider tells of is known here.
            if let told = try await follower.firstTold(in: id, of: domain) {
                state.refusals[state.refusals.count - 1].error = DocumentError(
                    .directoryNotEmpty,
                    "“\(told.name?.rawValue ?? told.id.rawValue)” is in it on the remote, and stays: look at it again first.",
                    itemID: id)
                return
            }
            // What is in it is nothing that its provider tells of.
            let call = ProviderCall.DeleteCall(
                id: id, baseVersion: .none, recursive: true, operation: change.operation + "-all")
            try await domain.provider.delete(call)
            state.refusals.removeLast()
            state.record(operation, .deleted)
            guard id != change.item.id else { return }
            try await storage.run { try $0.recordRemoved([id], with: change) }
        default:
            guard error.code.errorClass == .definitive || error.code == .notPermitted else { throw error }
        }
    }

    /// Asks for all of them, a few at a time.
    private func ask(
        _ operations: [SyncOperation], _ change: Change, _ session: ProviderSession
    ) async -> [(SyncOperation, DocumentError?)] {
        await withTaskGroup(of: (Int, DocumentError?).self) { group in
            var next = 0
            var errors: [Int: DocumentError] = [:]
            var running = 0
            while next < operations.count || running > 0 {
                if next < operations.count, running < Self.width {
                    let (number, operation) = (next, operations[next])
                    group.addTask { (number, await delete(operation, change, session)) }
                    next += 1
                    running += 1
                } else if let (number, error) = await group.next() {
                    errors[number] = error
                    running -= 1
                }
            }
            return operations.enumerated().map { ($0.element, errors[$0.offset]) }
        }
    }

    private func delete(
        _ operation: SyncOperation, _ change: Change, _ session: ProviderSession
    ) async -> DocumentError? {
        guard case .delete(let id, let base) = operation else { return nil }
        do throws(DocumentError) {
            let call = ProviderCall.DeleteCall(
                id: id, baseVersion: base.isEmpty ? .none : try ItemVersion(content: base), recursive: false,
                operation: id == change.item.id ? change.operation : "\(change.operation)-\(Self.digest(id))")
            try await onceMoreAfterDeath { () async throws(DocumentError) in try await session.delete(call) }
            return nil
        } catch {
            return error
        }
    }

    /// Each item's removal has a name of its own.
    private static func digest(_ id: ItemIdentifier) -> String { String(StableHash(id.rawValue.utf8).value, radix: 16) }

    private func children(of id: ItemIdentifier, in domain: DomainName) throws(DocumentError) -> [IndexedItem] {
        try storage.read { index in
            var all: [IndexedItem] = []
            var cursor: ChildCursor?
            repeat {
                let page = try index.children(of: id, in: domain, after: cursor, limit: 1000)
                all += page.items.filter { !$0.isGone }
                cursor = page.next
            } while cursor != nil
            return all
        }
    }
}
