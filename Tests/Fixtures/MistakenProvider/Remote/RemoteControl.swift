import DocumentModel
import DocumentProvider
import Glibc
import Synchronization

/// The way to the remote, which a test can cut, and through which it acts as somebody else.
///
/// In the control folder a file `offline` cuts the way for as long as it is there. A file `refuse`, which holds the name
/// of a resolvable error, has everything fail with it for as long as it is there; with want of room, and the like, only
/// what would store something. A file `touch`, which holds the path of a document, has somebody else change that
/// document; it is removed when it is done.
final class RemoteControl: Sendable {
    /// The files in the control folder, whose paths are put together once: each is looked for a hundred times a second.
    private struct Files {
        let offline: String
        let refuse: FilePath
        let touch: FilePath
    }

    private let files: Files?
    private let mistake: Mistake?
    private let hasFailed = Atomic(false)
    /// What the host waits to be told the end of.
    private let owed = Mutex<Set<DocumentError.Code>>([])

    init(folder: FilePath?, mistake: Mistake?) {
        files = folder.map {
            Files(
                offline: $0.appending("offline").string, refuse: $0.appending("refuse"), touch: $0.appending("touch"))
        }
        self.mistake = mistake
    }

    private var isAway: Bool { files.map { access($0.offline, F_OK) == 0 } ?? false }

    /// The error with which the remote refuses things.
    private var refusal: DocumentError.Code? {
        guard let files, let name = try? Transfer().read(files.refuse) else { return nil }
        return ((101...105).map { DocumentError.Code(rawValue: $0) } + Self.final)
            .first { $0.description.utf8.elementsEqual(name) }
    }

    /// Those that nobody waits for the end of.
    private static let final: [DocumentError.Code] = [.deletionRejected, .localStorage, .notPermitted, .notConfigured]

    /// Fails when the provider is set up in a way that it cannot work with.
    func checkSetUp() throws {
        guard refusal == .notConfigured else { return }
        throw DocumentError(
            mistake == .refusesOtherwise ? .internal : .notConfigured, "The setting that a test has broken is wrong.")
    }

    private func isRefused(_ code: DocumentError.Code, stores: Bool, removes: Bool) -> Bool {
        switch code {
        case .notAuthenticated, .serverUnreachable: true
        case .deletionRejected: removes
        case .notConfigured: false
        default: stores
        }
    }

    /// Fails when the remote is away, or refuses what is asked.
    ///
    /// - Parameters:
    ///   - stores: whether it has to take something.
    ///   - removes: whether it has to let something go.
    func reach(stores: Bool, removes: Bool = false) async throws {
        if let code = refusal, isRefused(code, stores: stores, removes: removes) {
            if !Self.final.contains(code) { owed.withLock { _ = $0.insert(code) } }
            throw DocumentError(
                mistake == .refusesOtherwise ? .internal : code,
                mistake == .failsWithoutWords ? "" : "The remote refuses it: \(code).")
        }
        guard isAway || (mistake == .neverRecovers && hasFailed.load(ordering: .relaxed)) else { return }
        hasFailed.store(true, ordering: .relaxed)
        owed.withLock { _ = $0.insert(.serverUnreachable) }
        if mistake == .silentWithoutRemote { try await Task.sleep(for: .seconds(3600)) }
        if mistake == .nothingWithoutRemote { throw DocumentError(.noSuchItem, "There is nothing there.") }
        throw DocumentError(.serverUnreachable, "The remote cannot be reached. Check the connection.")
    }

    /// Does what the folder says, and tells the host what has come of it.
    func follow(_ remote: Remote, _ context: ProviderContext) async throws {
        guard let touch = files?.touch else { return }
        while true {
            try await Task.sleep(for: .milliseconds(10))
            tell(context)
            if touch.withPlatformString({ access($0, F_OK) }) == 0 {
                let path = String(decoding: try Transfer().read(touch), as: UTF8.self)
                try change(path, remote)
                _ = touch.withPlatformString { unlink($0) }
                if mistake != .changesNotSignalled { context.signalChanges() }
            }
        }
    }

    /// Tells the host what is over of what it was refused for.
    private func tell(_ context: ProviderContext) {
        guard !isAway, refusal == nil else { return }
        let over = owed.withLock { owed in
            defer { owed = [] }
            return owed
        }
        if !over.isEmpty, mistake != .recoveryNotSignalled {
            context.signalErrorResolved(over.sorted { $0.rawValue < $1.rawValue })
        }
    }

    private func change(_ path: String, _ remote: Remote) throws {
        let contents = remote.fresh()
        let file = try FileDescriptor.open(
            contents, .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite
        )
        try file.closeAfter { _ = try file.writeAll("By somebody else.\n".utf8) }
        try remote.change(contents: contents) { tree in
            guard let id = tree.identifier(atPath: path) else { throw Errno.noSuchFileOrDirectory }
            let change = ItemModification(
                id: id, baseVersion: .none, contents: contents, operation: "somebody else \(tree.sequence)"
            )
            return try tree.modify(change, size: 18, now: .now)
        }
    }
}

extension Timestamp {
    /// The time of day.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }
}
