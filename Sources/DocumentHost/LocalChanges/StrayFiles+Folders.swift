import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Logging
import Synchronization

/// A folder on disk that is to become one of its domain's.
struct AwaitedFolder: Sendable {
    var folder: UnknownFolder
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
        let look = state.withLock { state in
            var awaited = state.folders[place] ?? AwaitedFolder(folder: folder, seen: .now(), files: [:])
            awaited.folder = folder
            awaited.files[key] = file
            state.folders[place] = awaited
            return state.look
        }
        look?(place)
        return look != nil
    }

    /// Whether a folder of that name is to become its domain's.
    func isAwaitingFolder(_ name: Name) -> Bool { state.withLock { $0.folders[name] != nil } }

    /// Folders that were moved, and are to follow: what was in them is in them still.
    func awaitedFolders(in domain: DomainName) -> [UnknownFolder] {
        state.withLock { state in
            state.folders.filter { $0.key.folder.domain == domain && $0.value.folder.former != nil }
                .map(\.value.folder)
        }
    }

    /// - Throws: what keeps it from becoming its domain's now; to be tried again.
    func takeIn(_ awaited: AwaitedFolder, called name: Name) async throws(DocumentError) -> Verdict {
        guard MonotonicTime.now().since(awaited.seen) >= Self.patienceWithFolders,
            let takeIn = state.withLock({ $0.takeIn })
        else { return .lookAgain }
        // Programs may have gone on since: what it is says what lies there now.
        guard let folder = try await stillUnknown(awaited), folder.location.name == name.name,
            folder.parent == name.folder.id
        else {
            try await release(name)
            return .settled
        }
        do throws(DocumentError) {
            try await takeIn(folder)
            logger.notice(
                folder.former == nil
                    ? "a folder that a program has made for a document's file is one of the domain's by now"
                    : "a folder follows what a program did to it",
                metadata: ["domain": "\(name.folder.domain)", "location": "\(folder.location)"])
            watchAgain(folder)
        } catch {
            if error.mayPass { throw error }
            try await giveBack(folder, awaited, because: error)
        }
        try await release(name)
        return .settled
    }

    /// What has contents in it, or below it, has another place by now, and other identifiers perhaps.
    private func watchAgain(_ folder: UnknownFolder) {
        let domain = folder.location.domain
        let folders = try? storage.read { index -> [ItemKey] in
            let place = try index.location(onDisk: folder.location).components
            return try index.foldersWithContents(in: domain).filter { id in
                try index.location(of: id, in: domain)?.components.starts(with: place) ?? false
            }.map { ItemKey(domain: domain, id: $0) }
        }
        let watch = state.withLock { $0.watch }
        for key in folders ?? [] { watch?(key) }
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

    private enum Released: Sendable {
        case here
        case moved(MovedFile)
        /// Gone on the remote meanwhile.
        case nobodys
    }

    /// What was in it is at its own place by now, or to be followed there, or into the next folder.
    private func release(_ name: Name) async throws(DocumentError) {
        guard let files = state.withLock({ $0.folders[name]?.files }) else { return }
        let found = try await storage.run { store in
            try files.map { key, place in (key: key, outcome: try Self.released(key, place, store)) }
        }
        let (late, look, lookAgain) = state.withLock { state in
            let all = state.folders.removeValue(forKey: name)?.files ?? [:]
            return (all.keys.filter { files[$0] == nil }, state.look, state.lookAgain)
        }
        // It may have had the place of a document, which could not be looked at meanwhile.
        look?(name)
        for (key, outcome) in found.sorted(by: { $0.key.id < $1.key.id }) {
            switch outcome {
            case .nobodys:
                if let place = files[key] { tellOutside(place) }
                continue
            case .moved(let file): if expect(file) { continue }
            case .here: break
            }
            // What was not sent of it could not be found meanwhile, nor what was written to it.
            sender.enqueue(key)
            lookAgain?(key)
        }
        for key in late { lookAgain?(key) }
    }

    private static func released(_ key: ItemKey, _ place: Location, _ store: DocumentStore) throws -> Released {
        let (item, holder) = try store.root.index.read { index in
            (
                try index.item(key.id, in: key.domain),
                try index.item(at: index.location(onDisk: place))
            )
        }
        guard let item else {
            // Its identifier may follow its name: its place says which it is.
            return holder?.local == nil ? .nobodys : .here
        }
        guard try store.isFileMissing(item) else { return .here }
        return try store.movedFile(of: item, among: [place]).map(Released.moved) ?? .here
    }

    /// It cannot be the domain's: the folder goes back to where it was; or the files do, of which those are told of whose
    /// places others have by now.
    ///
    /// - Throws: `busy` when somebody uses it; to be tried again.
    private func giveBack(
        _ folder: UnknownFolder, _ awaited: AwaitedFolder, because error: DocumentError
    ) async throws(DocumentError) {
        let domain = folder.location.domain
        let inUse = DocumentError(
            .busy,
            "\(folder.location) cannot be one of the domain's folders (\(error.message)), and goes back to its place when nobody uses what is in it."
        )
        if let former = folder.former, let item = try storage.read({ try $0.item(former, in: domain) }) {
            let coordinated = try storage.read { try $0.coordinated(item) }
            guard
                let claim = broker.claimWithoutWaiting(coordinated, for: .writing(.forMoving), by: owner.onBehalf)
            else { throw inUse }
            defer { broker.end(claim) }
            if try await storage.run({ try $0.putBack(folder) }) {
                return logger.notice(
                    "a folder that a program has moved cannot be there, and has its place back",
                    metadata: ["domain": "\(domain)", "location": "\(folder.location)", "error": "\(error)"])
            }
        }
        for (key, place) in awaited.files.sorted(by: { $0.key.id < $1.key.id }) {
            guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }) else { continue }
            guard let isBack = try await putBack(item, from: place) else { throw inUse }
            if !isBack, storage.isFileMissing(item) { tellOutside(place) }
        }
    }
}
