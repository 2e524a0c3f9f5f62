internal import DocumentTransport
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// A recording of one life's traffic, as a file that the conformance kit replays. Entries are taken on the event loop
/// and written from elsewhere; neither the file nor what waits for it grows without end.
final class TrafficFile: Sendable {
    /// Of the file. What comes after it is not recorded.
    static let sizeLimit = 67_108_864
    /// Of what waits to be written.
    private static let waitingLimit = 8_388_608
    /// How many files are kept of a domain.
    static let kept = 5

    private struct State {
        var waiting: [UInt8]
        var taken: Int
        var isFull = false
    }

    let path: FilePath
    private let file: FileDescriptor
    private let state: Mutex<State>

    /// Blocks.
    ///
    /// - Returns: nil when the file cannot be made.
    init?(in folder: FilePath, session: String, notes: [TrafficRecord.Note]) {
        for path in [folder.removingLastComponent(), folder] where mkdir(path.string, 0o700) != 0 && errno != EEXIST {
            return nil
        }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        path = folder.appending("\(time.tv_sec)-\(session).docent-traffic")
        let descriptor = open(path.string, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        file = FileDescriptor(rawValue: descriptor)
        let head = Array(TrafficRecord(notes: notes).text.utf8)
        state = Mutex(State(waiting: head, taken: head.count))
        Self.prune(folder)
    }

    func append(_ entry: TrafficEntry) {
        state.withLock { state in
            guard !state.isFull else { return }
            let line = Array((entry.line + "\n").utf8)
            guard state.taken + line.count <= Self.sizeLimit, state.waiting.count + line.count <= Self.waitingLimit
            else {
                // A recording with a hole in it would be played as if nothing was missing.
                state.isFull = true
                return
            }
            state.waiting += line
            state.taken += line.count
        }
    }

    /// Blocks.
    func flush() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        do {
            _ = try file.writeAll(waiting)
        } catch {
            state.withLock { $0.isFull = true }
        }
    }

    /// Blocks.
    func close() {
        flush()
        try? file.close()
    }

    private static func prune(_ folder: FilePath) {
        guard let listing = opendir(folder.string) else { return }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".docent-traffic") { names.append(name) }
        }
        closedir(listing)
        for name in names.sorted().dropLast(kept) { unlink(folder.appending(name).string) }
    }
}
