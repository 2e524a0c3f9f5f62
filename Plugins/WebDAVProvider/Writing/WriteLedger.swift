internal import CDocentShims
internal import DocumentModel
internal import Logging
internal import Synchronization
internal import SystemPackage

/// The last operations and what they came to, so that a repeated one is answered and not done again, also after a restart.
///
/// One line an operation, on disk before it is answered. A line that was cut short by a crash is none.
final class WriteLedger: Sendable {
    enum Outcome: Hashable, Sendable {
        case made(RemotePath, Properties)
        case removed
    }

    fileprivate struct State {
        var outcomes: [String: Outcome] = [:]
        var order: [String] = []
        /// What was begun, and may have been done although nobody heard of it; with its place in the order of that.
        var begun: [String: Int] = [:]
        var beginnings = 0
        var running: Set<String> = []
    }

    static let fileName = "changes.txt"
    /// So many are kept.
    private static let capacity = 4096

    private let state: Mutex<State>
    private let file: FileDescriptor?

    /// - Parameter folder: the provider's state; nil to remember nothing over restarts.
    init(in folder: FilePath?, logger: Logger) {
        var state = State()
        guard let folder else {
            file = nil
            self.state = Mutex(state)
            return
        }
        let path = folder.appending(Self.fileName)
        do {
            for line in try Self.lines(of: path) { state.take(line) }
            file = try Self.open(path, state.lines)
        } catch {
            logger.warning("What was changed before is not known.", metadata: ["cause": "\(error)"])
            file = nil
        }
        self.state = Mutex(state)
    }

    deinit {
        try? file?.close()
    }

    /// - Returns: the outcome of an earlier run; nil when it is to be done now, until ``end(_:)``.
    /// - Throws: `busy` while it runs.
    func begin(_ operation: String) throws(DocumentError) -> Outcome? {
        try state.withLock { state throws(DocumentError) in
            if let outcome = state.outcomes[operation] { return outcome }
            guard !operation.isEmpty else { return nil }
            guard state.running.insert(operation).inserted else {
                throw DocumentError(.busy, "This change is being made already; ask again in a moment.")
            }
            return nil
        }
    }

    func end(_ operation: String) {
        _ = state.withLock { $0.running.remove(operation) }
    }

    /// Whether an earlier run of it may have been carried out.
    func wasBegun(_ operation: String) -> Bool { state.withLock { $0.begun[operation] != nil } }

    /// Before something is asked of the server whose answer may be lost.
    func noteBegun(_ operation: String) throws(DocumentError) {
        guard !operation.isEmpty, state.withLock({ $0.begin(operation) }) else { return }
        try write("begun \(Self.word(operation))")
    }

    /// It was refused for good, and nothing of it was done: what is found when it is asked for again is not its work.
    func refuse(_ operation: String) {
        guard state.withLock({ $0.begun.removeValue(forKey: operation) != nil }) else { return }
        // Why it was refused matters more than that it cannot be written down.
        try? write("refused \(Self.word(operation))")
    }

    func finish(_ operation: String, _ outcome: Outcome) throws(DocumentError) {
        guard !operation.isEmpty, state.withLock({ $0.outcomes[operation] != outcome }) else { return }
        try write(Self.line(operation, outcome))
        state.withLock { $0.finish(operation, outcome) }
    }

    private func write(_ line: String) throws(DocumentError) {
        guard let file else { return }
        do {
            // One call: lines of others are not mixed in.
            _ = try file.writeAll((line + "\n").utf8)
            let result = docent_fdatasync(file.rawValue)
            if result != 0 { throw Errno(rawValue: -result) }
        } catch {
            throw DocumentError(
                .localStorage,
                "The provider's state cannot be written: \((error as? Errno)?.description ?? "\(error)").")
        }
    }
}

// MARK: Lines

extension WriteLedger {
    private static func lines(of path: FilePath) throws -> [Substring] {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec]) else { return [] }
        let bytes = try file.closeAfter {
            var bytes: [UInt8] = []
            while true {
                let part = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if part.isEmpty { return bytes }
                bytes += part
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // What follows the last line feed was cut short.
        return Array(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    }

    /// Begins the file anew with what is still wanted of it.
    private static func open(_ path: FilePath, _ lines: [String]) throws -> FileDescriptor {
        let fresh = FilePath(path.string + ".new")
        let file = try FileDescriptor.open(
            fresh, .writeOnly, options: [.create, .truncate, .append, .closeOnExec], permissions: [.ownerReadWrite])
        do {
            _ = try file.writeAll(lines.map { $0 + "\n" }.joined().utf8)
            var result = docent_fsync(file.rawValue)
            if result == 0 { result = docent_renameat2(-100, fresh.string, -100, path.string, 0) }
            if result != 0 { throw Errno(rawValue: -result) }
            return file
        } catch {
            try? file.close()
            throw error
        }
    }

    private static func word(_ text: String) -> String { text.isEmpty ? "-" : PercentCoding.encode(text.utf8) }

    fileprivate static func text(_ word: Substring) -> String? {
        word == "-" ? "" : PercentCoding.decode(Array(word.utf8)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    fileprivate static func line(_ operation: String, _ outcome: Outcome) -> String {
        switch outcome {
        case .removed: return "removed \(word(operation))"
        case .made(let path, let found):
            let path = path.names.map(\.rawValue).joined(separator: "/")
            let numbers = [found.length, found.modified, found.created].map { $0.map(String.init) ?? "-" }
            let tag = found.tag.map { ($0.isWeak ? "weak:" : "strong:") + PercentCoding.encode($0.opaque.utf8) } ?? "-"
            return (["made", word(operation), word(path), found.isFolder ? "folder" : "document"] + numbers + [tag])
                .joined(separator: " ")
        }
    }

    fileprivate static func outcome(_ words: [Substring]) -> Outcome? {
        guard words.count == 8, let path = text(words[2]).flatMap({ try? ItemIdentifier($0) }).flatMap(RemotePath.init)
        else { return nil }
        var found = Properties()
        found.isFolder = words[3] == "folder"
        (found.length, found.modified, found.created) = (Int64(words[4]), Int64(words[5]), Int64(words[6]))
        let tag = words[7].split(separator: ":", maxSplits: 1)
        if tag.count == 2, let opaque = text(tag[1]) {
            found.tag = EntityTag((tag[0] == "weak" ? "W/" : "") + "\"\(opaque)\"")
        }
        return .made(path, found)
    }
}

extension WriteLedger.State {
    fileprivate mutating func take(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 2, let operation = WriteLedger.text(words[1]) else { return }
        switch words[0] {
        case "begun": _ = begin(operation)
        case "refused": begun[operation] = nil
        case "removed": finish(operation, .removed)
        case "made": WriteLedger.outcome(words).map { finish(operation, $0) }
        default: break
        }
    }

    /// - Returns: false when it was before.
    fileprivate mutating func begin(_ operation: String) -> Bool {
        guard begun[operation] == nil else { return false }
        beginnings += 1
        begun[operation] = beginnings
        if begun.count > 2 * WriteLedger.capacity {
            for old in latest.dropLast(WriteLedger.capacity) { begun[old] = nil }
        }
        return true
    }

    /// What was begun, the latest last.
    private var latest: [String] { begun.sorted { $0.value < $1.value }.map(\.key) }

    fileprivate mutating func finish(_ operation: String, _ outcome: WriteLedger.Outcome) {
        begun[operation] = nil
        if outcomes.updateValue(outcome, forKey: operation) == nil { order.append(operation) }
        guard order.count > 2 * WriteLedger.capacity else { return }
        for old in order.prefix(order.count - WriteLedger.capacity) { outcomes[old] = nil }
        order.removeFirst(order.count - WriteLedger.capacity)
    }

    /// What an empty ledger needs to become this one.
    fileprivate var lines: [String] {
        order.suffix(WriteLedger.capacity).compactMap { operation in
            outcomes[operation].map { WriteLedger.line(operation, $0) }
        } + latest.suffix(WriteLedger.capacity).map { "begun \(PercentCoding.encode($0.utf8))" }
    }
}
