package import DocumentModel
internal import Logging
internal import Synchronization

/// Thumbnails that providers gave, in files of the host: `thumbnails/<domain>`, where no provider can look. What is there can
/// come again, so that it need not be durable: what a crash has damaged is none.
package final class ThumbnailStore: Sendable {
    private struct State {
        var ledger: ThumbnailLedger
        /// Whether what a host before this one has kept is in it.
        var isComplete = false
    }

    /// Before the name of what is not whole yet.
    private static let unfinished = ".new-"

    private let folder: DirectoryHandle
    private let state: Mutex<State>
    private let logger: Logger

    /// - Parameters:
    ///   - bytes: how many are kept, all in all.
    ///   - count: how many thumbnails.
    init(in own: DirectoryHandle, bytes: Int = 64 << 20, count: Int = 8_192, logger: Logger) throws {
        folder = try own.makingFolders(["thumbnails"])
        state = Mutex(State(ledger: ThumbnailLedger(limits: (bytes, count))))
        self.logger = logger
    }

    /// The first of these that is kept.
    package func thumbnail(_ keys: [ThumbnailKey]) throws -> Thumbnail? {
        try complete()
        var left = keys
        while let key = state.withLock({ $0.ledger.use(left) }) {
            if let thumbnail = try read(key) { return thumbnail }
            // Damaged, or of another version by now.
            left.removeAll { $0 == key }
            try state.withLock { state in
                guard state.ledger.remove(key) else { return }
                _ = try folder(of: key.domain)?.unlink(ThumbnailFile.name(of: .init(key)))
            }
        }
        return nil
    }

    private func read(_ key: ThumbnailKey) throws -> Thumbnail? {
        guard let file = try folder(of: key.domain)?.file(ThumbnailFile.name(of: .init(key))),
            try file.status().isFile
        else { return nil }
        let bytes = try file.read(upTo: ThumbnailFile.maximumLength)
        guard let kept = ThumbnailFile(bytes, in: key.domain), kept.key == key else { return nil }
        return kept.thumbnail
    }

    /// Keeps one, in the place of an older version's. Those that were used longest ago leave when there is no room.
    ///
    /// - Parameter isWanted: asked at the last moment; what has gone meanwhile does not come back by it. Must not block.
    package func keep(_ thumbnail: Thumbnail, for key: ThumbnailKey, if isWanted: () -> Bool) throws {
        try complete()
        let bytes = ThumbnailFile(thumbnail, of: key).bytes
        try state.withLock { state in
            guard isWanted() else { return }
            let own = try folder.makingFolders([key.domain.rawValue])
            let temporary = Self.unfinished + RandomName.make()
            guard let file = try own.makeFile(temporary) else {
                throw DocumentError(.localStorage, "\(own.path)/\(temporary) is there already: remove it.")
            }
            do {
                try file.write(bytes)
                _ = try own.rename(temporary, to: own, ThumbnailFile.name(of: .init(key)), .replacing)
            } catch {
                _ = try? own.unlink(temporary)
                throw error
            }
            for leaving in state.ledger.add(key, bytes: bytes.count) { try unlink(leaving) }
        }
    }

    /// Forgets those that are not of what is there now.
    ///
    /// - Parameter current: those of the keys that are.
    package func sweep(keeping current: ([ThumbnailKey]) throws -> Set<ThumbnailKey>) throws {
        try complete()
        let keys = state.withLock { $0.ledger.keys }
        guard !keys.isEmpty else { return }
        let kept = try current(keys)
        for key in keys where !kept.contains(key) {
            try state.withLock { state in
                if state.ledger.remove(key) { try unlink(.init(key)) }
            }
        }
    }

    /// Whether there is something to sweep. What a host before this one has kept counts when it was looked at.
    package var isEmpty: Bool { state.withLock { $0.isComplete && $0.ledger.count == 0 } }

    /// In bytes, and how many there are.
    package func usage() throws -> (bytes: Int, count: Int) {
        try complete()
        return state.withLock { ($0.ledger.total, $0.ledger.count) }
    }

    /// A domain is gone, or is signed out.
    package func removeAll(of domain: DomainName) throws {
        try state.withLock { state in
            state.ledger.removeAll(of: domain)
            try folder.removeTree(domain.rawValue, .folder)
        }
    }

    private func folder(of domain: DomainName) throws -> DirectoryHandle? {
        try folder.folderIfPresent([domain.rawValue])
    }

    private func unlink(_ place: ThumbnailLedger.Place) throws {
        _ = try folder(of: place.domain)?.unlink(ThumbnailFile.name(of: place))
    }

    // MARK: What is there at the beginning

    /// Takes up what a host before this one has kept, once: those that came last are taken for those that were used last.
    private func complete() throws {
        try state.withLock { state in
            guard !state.isComplete else { return }
            state.isComplete = true
            var found: [(key: ThumbnailKey, bytes: Int, modified: Timestamp)] = []
            try folder.forEachEntry { name, kind in
                guard kind == .folder, let name, let domain = try? DomainName(name) else { return }
                found += try takeUp(domain)
            }
            for (key, bytes, _) in found.sorted(by: { $0.modified < $1.modified }) {
                for leaving in state.ledger.add(key, bytes: bytes) { try unlink(leaving) }
            }
            logger.debug("thumbnails taken up", metadata: ["thumbnails": "\(state.ledger.count)"])
        }
    }

    /// What is no thumbnail, or is cut off, goes.
    private func takeUp(
        _ domain: DomainName
    ) throws -> [(key: ThumbnailKey, bytes: Int, modified: Timestamp)] {
        guard let own = try folder(of: domain) else { return [] }
        var names: [String] = []
        try own.forEachEntry { name, kind in if kind == .file, let name { names.append(name) } }
        var found: [(key: ThumbnailKey, bytes: Int, modified: Timestamp)] = []
        for name in names {
            guard let file = try own.file(name) else { continue }
            let status = try file.status()
            guard let key = ThumbnailFile.key(try file.read(upTo: ThumbnailFile.headLength), in: domain),
                ThumbnailFile.name(of: .init(key)) == name
            else {
                _ = try own.unlink(name)
                continue
            }
            found.append((key, Int(clamping: status.identity.size), status.identity.modified))
        }
        return found
    }
}
