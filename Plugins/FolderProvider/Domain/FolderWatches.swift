internal import CDocentShims
internal import DocumentModel

/// Which folders the system tells changes of, and what it told.
///
/// Events are taken as hints where to look, never as facts: what is there is always read from the disk.
struct FolderWatches: ~Copyable {
    /// Negative when the system gave none.
    let descriptor: Int32
    private var folders: [Int32: RecordID] = [:]
    private var watches: [RecordID: Int32] = [:]
    /// Of the folder that versions are kept in.
    private var versionsWatch: Int32?
    private let limit: Int
    /// Folders that could not be watched, and why: the negative error number.
    private(set) var refusal: Int32?

    init(limit: Int?) {
        descriptor = docent_watcher_open()
        self.limit = limit ?? .max
        if descriptor < 0 { refusal = descriptor }
    }

    deinit {
        if descriptor >= 0 { _ = docent_close(descriptor) }
    }

    /// Other machines change the folder too, and the system tells of this one's changes only.
    var isShared = false

    /// Whether every change is told.
    var isComplete: Bool { refusal == nil && !isShared }

    /// Network file systems, and those that some program serves.
    static func isShared(fileSystemType type: UInt64) -> Bool {
        sharedTypes.contains(type)
    }

    private static let sharedTypes: Set<UInt64> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653,
        0x7461_636F, 0x0116_1970, 0x7375_7245,
    ]

    /// Begins to watch an open folder. To be called before the folder is read.
    mutating func watch(_ folder: borrowing OpenFile, as id: RecordID) {
        guard descriptor >= 0 else { return }
        guard watches[id] != nil || watches.count < limit else {
            refusal = -28
            return
        }
        let watch = docent_watch_add(descriptor, folder.descriptor)
        guard watch >= 0 else {
            refusal = watch
            return
        }
        if let old = watches[id], old != watch { folders[old] = nil }
        if let other = folders[watch], other != id, watches[other] == watch { watches[other] = nil }
        watches[id] = watch
        folders[watch] = id
    }

    /// Begins to watch the folder that versions are kept in.
    mutating func watchVersions(_ folder: borrowing OpenFile) {
        guard descriptor >= 0 else { return }
        let watch = docent_watch_add(descriptor, folder.descriptor)
        if watch >= 0 { versionsWatch = watch } else { refusal = watch }
    }

    mutating func forget(where isGone: (RecordID) -> Bool) {
        for (id, watch) in watches where isGone(id) {
            watches[id] = nil
            folders[watch] = nil
            _ = docent_watch_remove(descriptor, watch)
        }
    }

    /// Tries again to watch everything.
    mutating func beginAnew() {
        refusal = descriptor < 0 ? descriptor : nil
    }

    /// Reads what was told since the last time.
    ///
    /// - Returns: whether half a move is among it, of which the other half may follow.
    mutating func drain(into dirt: inout Dirt) -> Bool {
        guard descriptor >= 0 else { return false }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return false }
        var halves: Set<UInt32> = []
        while true {
            let filled = docent_watch_read(descriptor, base, buffer.count)
            guard filled > 0 else { return !halves.isEmpty }
            var event = docent_watch_event()
            var offset = docent_watch_event_at(base, filled, 0, &event)
            while offset != 0 {
                note(event, &dirt, &halves)
                offset = docent_watch_event_at(base, filled, offset, &event)
            }
        }
    }

    private mutating func note(_ event: docent_watch_event, _ dirt: inout Dirt, _ halves: inout Set<UInt32>) {
        func has(_ flag: docent_watch_flag) -> Bool { event.flags & flag.rawValue != 0 }
        if has(DOCENT_WATCH_OVERFLOW) {
            dirt.everything = true
            return
        }
        if event.watch == versionsWatch {
            if has(DOCENT_WATCH_ENDED) { versionsWatch = nil }
            dirt.versions = true
            return
        }
        guard let id = folders[event.watch] else { return }
        if has(DOCENT_WATCH_ENDED) {
            folders[event.watch] = nil
            if watches[id] == event.watch { watches[id] = nil }
            return
        }
        if has(DOCENT_WATCH_UNMOUNTED) { return }
        if has(DOCENT_WATCH_MOVED_FROM) { halves.insert(event.cookie) }
        if has(DOCENT_WATCH_MOVED_TO) { halves.remove(event.cookie) }
        guard !has(DOCENT_WATCH_SELF), let start = event.name else { return }
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: event.name_length)
        if id == .root, bytes.elementsEqual(VersionsFolder.name.utf8) { dirt.versions = true }
        guard !TemporaryName.isTemporary(bytes), let name = EntryName(onDisk: bytes) else { return }
        dirt.names[id, default: []].insert(name)
    }
}

/// Where to look, because something may have changed there.
struct Dirt {
    /// All folders.
    var everything = false
    /// All names of a folder.
    var folders: Set<RecordID> = []
    var names: [RecordID: Set<EntryName>] = [:]
    /// Which versions are kept.
    var versions = false

    var isEmpty: Bool { !everything && folders.isEmpty && names.isEmpty && !versions }

    mutating func merge(_ other: Dirt) {
        everything = everything || other.everything
        versions = versions || other.versions
        folders.formUnion(other.folders)
        names.merge(other.names) { $0.union($1) }
    }
}
