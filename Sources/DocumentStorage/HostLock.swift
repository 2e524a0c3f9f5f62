internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import Synchronization

/// `host.lock`: held from opening to closing; the system gives it back when the process dies.
///
/// It has some room on the disk that it does not need (``keepRoom()``), also while no host runs. A host that starts takes it
/// for what it has to write first, so that it starts on a full disk, and people can make room with it.
final class HostLock: Sendable {
    private let file: Mutex<OpenFile?>

    init(in folder: DirectoryHandle, root: String) throws {
        let name = "host.lock"
        guard let file = try folder.file(name, O_RDWR | O_CREAT) else {
            throw DocumentError(.localStorage, "\(root)/.docent/\(name) could not be made.")
        }
        let result = kernel(.lock) { docent_lock(file.descriptor) }
        if result == -Int(EWOULDBLOCK) {
            let holder = try String(decoding: file.read(upTo: 32), as: UTF8.self).prefix { $0.isNumber }
            // One whose socket is gone, or elsewhere, hears of nothing.
            let end = holder.isEmpty ? "" : ", or with “kill \(holder)” when that finds none"
            let who = holder.isEmpty ? "another process" : "process \(holder)"
            throw DocumentError(
                .busy,
                "The storage root \(root) is in use by \(who): stop that host first with “docent host stop”\(end).")
        }
        guard result >= 0 else { throw DocumentError.system(result, "The storage root \(root) could not be locked") }
        // Gives the room up, too.
        try file.truncate(to: 0)
        try file.write(Array("\(getpid())\n".utf8))
        self.file = Mutex(file)
    }

    /// Sets room aside for the next start, where there is some.
    func keepRoom() {
        file.withLock { file in
            guard let file else { return }
            _ = kernel(.reserve) { docent_reserve(file.descriptor, Self.room) }
        }
    }

    /// In bytes: more than an index needs to be opened.
    private static let room: Int64 = 1 << 20

    func release() {
        file.withLock { file in
            if let file { _ = docent_unlock(file.descriptor) }
            file = nil
        }
    }
}
