import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentTransport
import FileCoordination
import Logging
import Synchronization

/// Documents whose files programs have renamed or moved, without asking.
extension StrayFiles {
    private static var mostNames: Int { 20 }

    /// Has a document follow its file when that has its name for long enough. Where another document has that name, it gets
    /// one that says so beside it, as a document that is made there does; what cannot be renamed at all has its file back under
    /// the name that it has. So what was changed of it is sent, and a conflict of it can be resolved.
    ///
    /// - Throws: what keeps it from following now; to be tried again.
    func follow(
        _ item: IndexedItem, to location: Location, _ name: Name
    ) async throws(DocumentError) -> Verdict {
        let (seen, follow) = state.withLock { state in
            let known = state.moves[item.key]
            let seen = known?.name == name ? known?.seen : nil
            if seen == nil { state.moves[item.key] = (name, .now()) }
            return (seen, state.follow)
        }
        guard let seen, MonotonicTime.now().since(seen) >= Self.patience, let follow else { return .lookAgain }
        do throws(DocumentError) {
            try await follow(item.key, location)
            noteFollowing(item, to: location)
        } catch {
            if error.mayPass { throw error }
            guard let isBack = try await putBack(item, from: location) else { return .lookAgain }
            guard isBack else {
                // Something else has its place by now: the file is nobody's.
                state.withLock { state in
                    state.moves[item.key] = nil
                    state.unknown[name] = location
                }
                return .problem(
                    item.key, error.wrapped("\(location) cannot be what its file is called by now: \(error.message)"))
            }
            if error.isOfTakenName { await moveBeside(item, location, follow) }
        }
        let (look, lookAgain) = state.withLock { state in
            state.moves[item.key] = nil
            return (state.look, state.lookAgain)
        }
        // Another document's file may have its place, which that one can have now.
        if let parent = item.item.parentID, let left = item.item.name {
            look?(Name(left, in: ItemKey(domain: item.domain, id: parent)))
        }
        // What was not sent of it could not be found meanwhile, nor what was written to it.
        sender.enqueue(item.key)
        lookAgain?(item.key)
        return .settled
    }

    /// - Returns: nil when somebody uses it, or it cannot be done just now.
    func putBack(_ item: IndexedItem, from location: Location) async throws(DocumentError) -> Bool? {
        let coordinated = try storage.read { try $0.coordinated(item) }
        // Whoever looks at files keeps others from looking.
        guard
            let claim = broker.claimWithoutWaiting(coordinated, for: .writing(.forMoving), by: owner.onBehalf)
        else { return nil }
        defer { broker.end(claim) }
        let isBack: Bool
        do throws(DocumentError) {
            isBack = try await storage.run { try $0.putBack(item.id, in: item.domain, from: location) }
        } catch {
            logger.notice(
                "a document's file, which a program has renamed, cannot have its name back yet",
                metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "error": "\(error)"])
            return nil
        }
        if isBack {
            logger.notice(
                "a document's file, which a program has renamed, has its name back",
                metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "location": "\(location)"])
        }
        return isBack
    }

    /// With its file at its own place, it is renamed as any other document. It stays there where that fails, and is whole.
    private func moveBeside(_ item: IndexedItem, _ location: Location, _ follow: Follow) async {
        guard let name = location.name, let folder = location.parent else { return }
        let date = ConflictName.date(of: item.local?.modified ?? item.item.modified)
        for attempt in 1...Self.mostNames {
            do throws(DocumentError) {
                let beside = folder.appending(try ConflictName.make(for: name, at: date, attempt: attempt))
                try await follow(item.key, beside)
                return noteFollowing(item, to: beside)
            } catch {
                if error.isOfTakenName { continue }
                return logger.notice(
                    "a document cannot be called what its file was called, and keeps its name",
                    metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "error": "\(error)"])
            }
        }
    }

    private func noteFollowing(_ item: IndexedItem, to location: Location) {
        logger.notice(
            "a document follows its file, which a program has renamed",
            metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "location": "\(location)"])
    }
}

extension DocumentError {
    /// Whether what was not possible may be so later.
    var mayPass: Bool { [.transient, .resolvable].contains(code.errorClass) || code == .cancelled }

    fileprivate var isOfTakenName: Bool { [.destinationExists, .nameCollision, .nameClash].contains(code) }
}
