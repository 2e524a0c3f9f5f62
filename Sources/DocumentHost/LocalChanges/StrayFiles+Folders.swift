import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Logging
import Synchronization

/// A folder on disk that is to become one of its domain's.
struct AwaitedFolder: Sendable {
    var seen: MonotonicTime
    /// Where the files of documents are in it.
    var files: [ItemKey: Location]
}

/// Folders that programs have moved, or made for documents' files, without asking (DOWN-3).
extension StrayFiles {
    /// Has a folder be taken in when it has been there for long enough; then the documents whose files are in it are looked at
    /// again.
    ///
    /// - Returns: false when that could not be done.
    func expect(_ folder: UnknownFolder, around file: Location, of key: ItemKey) -> Bool {
        guard let name = folder.location.name else { return false }
        let place = Name(name, in: ItemKey(domain: key.domain, id: folder.parent))
        let look = state.withLock { state -> (@Sendable (Name) -> Void)? in
            guard !state.outside.contains(file) else { return nil }
            state.folders[place, default: AwaitedFolder(seen: .now(), files: [:])].files[key] = file
            return state.look
        }
        look?(place)
        return look != nil
    }

    /// - Throws: what keeps it from becoming its domain's now; to be tried again.
    func takeIn(_ awaited: AwaitedFolder, called name: Name) async throws(DocumentError) -> Verdict {
        guard MonotonicTime.now().since(awaited.seen) >= Self.patience,
            let takeIn = state.withLock({ $0.takeIn })
        else { return .lookAgain }
        // Programs may have gone on since: what it is says what lies there now.
        guard let folder = try await stillUnknown(awaited), folder.location.name == name.name,
            folder.parent == name.folder.id
        else {
            release(name)
            return .settled
        }
        do throws(DocumentError) {
            try await takeIn(folder)
            logger.notice(
                folder.former == nil
                    ? "a folder that a program has made for a document's file is one of the domain's by now"
                    : "a folder follows what a program did to it",
                metadata: ["domain": "\(name.folder.domain)", "location": "\(folder.location)"])
            let item = try? storage.read { try $0.item(at: folder.location) }
            if let item { state.withLock { $0.watch }?(item.key) }
        } catch {
            if error.mayPass { throw error }
            guard try await giveBack(folder, awaited, because: error) else { return .lookAgain }
        }
        release(name)
        return .settled
    }

    private func stillUnknown(_ awaited: AwaitedFolder) async throws(DocumentError) -> UnknownFolder? {
        try await storage.run { store in
            for (key, place) in awaited.files.sorted(by: { $0.key.id < $1.key.id }) {
                guard let item = try store.root.index.read({ try $0.item(key.id, in: key.domain) }),
                    try store.isFileMissing(item), let moved = try store.movedFile(of: item, among: [place])
                else { continue }
                return moved.unknownFolder
            }
            return nil
        }
    }

    /// What was in it is at its own place by now, or to be followed there.
    private func release(_ name: Name) {
        let (keys, lookAgain) = state.withLock { state in
            (state.folders.removeValue(forKey: name)?.files.keys.sorted { $0.id < $1.id } ?? [], state.lookAgain)
        }
        for key in keys {
            // What was not sent of it could not be found meanwhile, nor what was written to it.
            sender.enqueue(key)
            lookAgain?(key)
        }
    }

    /// It cannot be the domain's: the folder goes back to where it was; or the files do, of which those are told of whose
    /// places others have by now.
    ///
    /// - Returns: false when somebody uses it; to be tried again.
    private func giveBack(
        _ folder: UnknownFolder, _ awaited: AwaitedFolder, because error: DocumentError
    ) async throws(DocumentError) -> Bool {
        let domain = folder.location.domain
        logger.notice(
            "a folder that a program has made or moved cannot be one of the domain's",
            metadata: ["domain": "\(domain)", "location": "\(folder.location)", "error": "\(error)"])
        if let former = folder.former, let item = try storage.read({ try $0.item(former, in: domain) }) {
            let coordinated = try storage.read { try $0.coordinated(item) }
            guard
                let claim = broker.claimWithoutWaiting(coordinated, for: .writing(.forMoving), by: owner.onBehalf)
            else { return false }
            defer { broker.end(claim) }
            if try await storage.run({ try $0.putBack(folder) }) { return true }
        }
        for (key, place) in awaited.files.sorted(by: { $0.key.id < $1.key.id }) {
            guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }) else { continue }
            guard let isBack = try await putBack(item, from: place) else { return false }
            if !isBack, storage.isFileMissing(item) { tellOutside(place) }
        }
        return true
    }
}
