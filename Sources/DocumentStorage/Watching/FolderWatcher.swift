internal import CDocentShims
package import DocumentModel
internal import Glibc
package import SystemPackage

/// The system's word (inotify) of changes in folders of the tree: programs that coordinate nothing save there, too.
package final class FolderWatcher: Sendable {
    /// How an attempt to watch a folder ended.
    package enum Outcome: Hashable, Sendable {
        /// With the watch's number. A folder that is watched already keeps its own.
        case watched(Int32)
        /// There is no such folder on disk.
        case missing
        /// The system's limit of watches is reached.
        case limitReached
    }

    /// Can be read when there are events.
    package let descriptor: FileDescriptor
    private let tree: DocumentTree

    private static let bufferSize = 1 << 16

    /// - Throws: `localStorage` when the user has too many watchers.
    package init(of tree: DocumentTree) throws {
        let result = kernel(.watch) { docent_watcher_open() }
        guard result >= 0 else {
            throw DocumentError(
                .localStorage,
                "Changes of documents cannot be watched: the system's limit of watchers is reached (raise fs.inotify.max_user_instances).",
                detail: Errno(rawValue: Int32(truncatingIfNeeded: -result)).description)
        }
        descriptor = FileDescriptor(rawValue: Int32(result))
        self.tree = tree
    }

    deinit {
        _ = docent_close(descriptor.rawValue)
    }

    /// Has changes of the files in a folder told, from now on; not of what lies in folders in it.
    package func watch(_ folder: Location) throws -> Outcome {
        guard let open = try tree.documents.folderIfNotReplaced(folder.treeComponents) else { return .missing }
        let result = kernel(.watch) { docent_watch_add(descriptor.rawValue, open.descriptor) }
        if result == -Int(ENOSPC) || result == -Int(ENOMEM) { return .limitReached }
        guard result >= 0 else { throw DocumentError.system(result, "The folder “\(open.path)” cannot be watched") }
        return .watched(Int32(result))
    }

    /// Ends a watch; one that has ended already is no error. Its last event is `ended`.
    package func unwatch(_ watch: Int32) {
        _ = docent_watch_remove(descriptor.rawValue, watch)
    }

    /// What was told since the last time. Does not wait.
    package func events() -> [FolderEvent] {
        var events: [FolderEvent] = []
        withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            // Once, and not until there is nothing: somebody may write all the time.
            let filled = docent_watch_read(descriptor.rawValue, base, buffer.count)
            guard filled > 0 else { return }
            var raw = docent_watch_event()
            var offset = docent_watch_event_at(base, filled, 0, &raw)
            while offset != 0 {
                let event = FolderEvent(raw)
                if event.kind != .other, event != events.last { events.append(event) }
                offset = docent_watch_event_at(base, filled, offset, &raw)
            }
        }
        return events
    }
}

extension FolderEvent {
    fileprivate init(_ raw: docent_watch_event) {
        func has(_ flag: docent_watch_flag) -> Bool { raw.flags & flag.rawValue != 0 }
        let name = raw.name.flatMap { start -> String? in
            guard raw.name_length > 0 else { return nil }
            return String(
                validating: UnsafeRawBufferPointer(start: start, count: raw.name_length), as: UTF8.self)
        }
        let kind: Kind =
            if has(DOCENT_WATCH_OVERFLOW) {
                .overflow
            } else if has(DOCENT_WATCH_ENDED) {
                .ended
            } else if has(DOCENT_WATCH_SELF_MOVED) {
                .folderMoved
            } else if has(DOCENT_WATCH_SELF) || raw.name == nil || raw.name_length == 0 {
                .other
            } else if name == nil {
                // Whoever writes to it changes nothing that is told of.
                has(DOCENT_WATCH_MOVED_TO) || has(DOCENT_WATCH_MOVED_FROM) || has(DOCENT_WATCH_REMOVED)
                    || has(DOCENT_WATCH_MADE) ? .misnamed : .other
            } else if has(DOCENT_WATCH_CLOSED) {
                .closed
            } else if has(DOCENT_WATCH_MOVED_TO) {
                .movedHere
            } else if has(DOCENT_WATCH_MOVED_FROM) {
                .movedAway
            } else if has(DOCENT_WATCH_REMOVED) {
                .removed
            } else if has(DOCENT_WATCH_WRITTEN) {
                .written
            } else if has(DOCENT_WATCH_MADE) {
                .made
            } else {
                .other
            }
        self.init(watch: raw.watch, kind, name, isFolder: has(DOCENT_WATCH_FOLDER))
    }
}
