internal import CDocentShims
internal import DocumentModel
internal import Logging
internal import SystemPackage

/// The provider's memory on disk: one file that grows by entries and is rewritten when most of it is stale.
///
/// Each entry has its length and a checksum before it. A file that ends in the middle of an entry was cut short by a
/// crash and is good up to there; one that is wrong in its middle is put aside.
struct StateFile: ~Copyable {
    private static let fileName = "state"
    private static let lockName = "lock"
    private static let header = Array("docent folder state 1\n".utf8)
    private static let largestEntry = 1 << 16
    private static let bufferSize = 1 << 18

    private let folder: OpenFile
    private let path: FilePath
    /// Held as long as this process uses the state.
    private let lock: OpenFile
    private var file: OpenFile
    private var buffer: [UInt8] = []
    private var size: Int64
    private var sizeWhenRewritten: Int64
    private var isSynced = true
    /// So much may be stale in any case.
    private let slack: Int64
    private let logger: Logger

    private init(
        folder: consuming OpenFile, path: FilePath, lock: consuming OpenFile, file: consuming OpenFile, size: Int64,
        slack: Int64, logger: Logger
    ) {
        self.folder = folder
        self.path = path
        self.lock = lock
        self.file = file
        self.size = size
        self.slack = slack
        self.logger = logger
        sizeWhenRewritten = size
    }

    /// Opens the memory.
    ///
    /// - Throws: `busy` while another process uses it.
    static func open(in path: FilePath, slack: Int64 = 1 << 22, logger: Logger) throws(DocumentError) -> StateFile {
        let folder = try OpenFile.open(path, flags: .namedFolder, naming: "the provider's state")
        let lock = try folder.open(Self.lockName, flags: .lockFile, naming: "the provider's state")
        try Self.take(lock, path)
        let file = try folder.open(Self.fileName, flags: .log, naming: "the provider's state")
        let size = try file.status(naming: "the provider's state").size
        return StateFile(folder: folder, path: path, lock: lock, file: file, size: size, slack: slack, logger: logger)
    }

    private static func take(_ lock: borrowing OpenFile, _ path: FilePath) throws(DocumentError) {
        // An earlier process of this provider may need a moment to end.
        for _ in 0..<200 {
            if docent_lock(lock.descriptor) == 0 { return }
            docent_pause(25)
        }
        throw DocumentError(
            .busy, "Another process uses the state in “\(path)”; end it, or wait until it has ended, and try again.")
    }

    /// Gives the entries of earlier runs, in order.
    ///
    /// - Returns: false when the memory is damaged; then it is put aside, and what was given must be forgotten.
    mutating func read(_ take: (StateEntry) -> Void) throws(DocumentError) -> Bool {
        let bytes = try file.contents(naming: "the provider's state")
        if bytes.isEmpty { return true }
        var good = Self.header.count
        var isDamaged = !bytes.starts(with: Self.header)
        var reader = ByteReader(bytes.dropFirst(Self.header.count))
        while !isDamaged, !reader.isAtEnd {
            guard let length = reader.number(UInt32.self), let checksum = reader.number(UInt32.self),
                let payload = reader.bytes(Int(length))
            else { break }
            guard Self.checksum(payload) == checksum, let entry = StateEntry(payload) else {
                // Wrong in the last entry, or nothing but zeros from here on: it was being written. Else: damage.
                isDamaged = !reader.isAtEnd && bytes[good...].contains { $0 != 0 }
                break
            }
            take(entry)
            good += 8 + payload.count
        }
        if isDamaged { return try putAside() }
        if good < bytes.count {
            try check(docent_ftruncate(file.descriptor, Int64(good)))
            size = Int64(good)
        }
        return true
    }

    private mutating func putAside() throws(DocumentError) -> Bool {
        let aside = Self.fileName + ".damaged"
        logger.error("The provider's state in “\(path)” is damaged; it is put aside as “\(aside)” and begun anew.")
        _ = docent_renameat2(folder.descriptor, Self.fileName, folder.descriptor, aside, 0)
        file = try folder.open(Self.fileName, flags: .log, naming: "the provider's state")
        size = 0
        return false
    }

    mutating func append(_ entries: some Sequence<StateEntry>) throws(DocumentError) {
        // What cannot be written now is kept for the next time.
        for entry in entries {
            Self.encode(entry, into: &buffer)
            if buffer.count >= Self.bufferSize { try? flush() }
        }
        try flush()
    }

    /// Everything appended stays, also when the machine stops now.
    mutating func sync() throws(DocumentError) {
        try flush()
        guard !isSynced else { return }
        try check(docent_fdatasync(file.descriptor))
        isSynced = true
    }

    var wantsRewriting: Bool { size > 3 * sizeWhenRewritten + slack }

    /// Puts a new file in the old one's place.
    mutating func rewrite(_ write: (_ append: (StateEntry) throws(DocumentError) -> Void) throws(DocumentError) -> Void)
        throws(DocumentError)
    {
        let name = Self.fileName + ".new"
        _ = docent_unlinkat(folder.descriptor, name, 0)
        let fresh = try folder.open(name, flags: .log, naming: "the provider's state")
        var buffer = Self.header
        var written: Int64 = 0
        let descriptor = fresh.descriptor
        func spill() throws(DocumentError) {
            try check(docent_write_all(descriptor, buffer, buffer.count))
            written += Int64(buffer.count)
            buffer.removeAll(keepingCapacity: true)
        }
        try write { entry throws(DocumentError) in
            Self.encode(entry, into: &buffer)
            if buffer.count >= Self.bufferSize { try spill() }
        }
        try spill()
        try check(docent_fsync(descriptor))
        try check(docent_renameat2(folder.descriptor, name, folder.descriptor, Self.fileName, 0))
        try check(docent_fsync(folder.descriptor))
        file = fresh
        size = written
        sizeWhenRewritten = written
        self.buffer = []
        isSynced = true
    }

    private mutating func flush() throws(DocumentError) {
        guard !buffer.isEmpty else { return }
        if size == 0 { buffer = Self.header + buffer }
        let count = docent_write_all(file.descriptor, buffer, buffer.count)
        if count < 0 {
            // Half an entry must not stay in the middle of the file.
            _ = docent_ftruncate(file.descriptor, size)
            try check(count)
        }
        size += Int64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
        isSynced = false
    }

    private func check(_ result: some BinaryInteger) throws(DocumentError) {
        guard result < 0 else { return }
        throw SystemFailure(result).error(.local, "The provider's state in “\(path)” cannot be written")
    }

    private static func encode(_ entry: StateEntry, into buffer: inout [UInt8]) {
        let payload = entry.bytes
        var writer = ByteWriter()
        writer.number(UInt32(payload.count))
        writer.number(checksum(payload[...]))
        buffer += writer.bytes
        buffer += payload
    }

    /// FNV-1a.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
