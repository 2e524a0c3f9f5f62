import DocumentModel
import DocumentProvider
import Glibc
import Synchronization

/// The documents elsewhere: a tree and the contents, kept in a folder. What was answered is in its files.
final class Remote: Sendable {
    /// As text: paths are put together hundreds of times a second.
    private let folder: String
    private let mistake: Mistake?
    private let tree: Mutex<RemoteTree>
    private let fileNumber = Atomic<UInt64>(0)

    init(folder: FilePath, mistake: Mistake?) throws {
        self.folder = folder.string
        self.mistake = mistake
        _ = mkdir("\(folder)/contents", 0o700)
        var tree = RemoteTree()
        let file = FilePath("\(folder)/tree")
        if mistake != .changesForgottenAtRestart, access(file.string, F_OK) == 0 {
            tree = try RemoteTree(lines: String(decoding: Transfer().read(file), as: UTF8.self))
        }
        tree.mistake = mistake
        self.tree = Mutex(tree)
        if tree.nextSerial == 1 {
            try StockDocuments.fill(self)
        } else {
            try self.tree.withLock { try $0.forgetAtRestart() }
        }
    }

    // MARK: The tree

    func look<Result>(_ body: (RemoteTree) throws -> Result) rethrows -> Result {
        try tree.withLock { try body($0) }
    }

    /// Changes the tree as a whole: when the body fails, or the file cannot be written, nothing has changed.
    ///
    /// - Parameter contents: a file of this folder, which becomes the contents of the item that the body returns.
    @discardableResult
    func change(
        contents: FilePath? = nil, _ body: (inout RemoteTree) throws -> RemoteRecord?
    ) throws -> RemoteRecord? {
        try tree.withLock { tree in
            var changed = tree
            var record = try body(&changed)
            var replaced: FilePath?
            if let contents, var made = record, made != tree.records[made.id] {
                replaced = tree.records[made.id].map(place)
                // A file of its own: the old contents are there until the tree says otherwise.
                made.contentsNumber = changed.sequence
                changed.records[made.id] = made
                try rename(contents, to: place(of: made))
                record = made
            }
            try save(changed)
            tree = changed
            if let replaced { unlink(replaced.string) }
            return record
        }
    }

    /// Keeps a file of this folder as the contents of a version.
    func keep(
        _ contents: FilePath, _ body: (inout RemoteTree) throws -> KeptContents
    ) throws -> KeptContents {
        try tree.withLock { tree in
            var changed = tree
            let kept = try body(&changed)
            if tree.kept[kept.id] == nil { try rename(contents, to: place(of: kept)) }
            try save(changed)
            tree = changed
            return kept
        }
    }

    func place(of kept: KeptContents) -> FilePath { FilePath("\(folder)/contents/kept-\(kept.id)") }

    private func save(_ tree: RemoteTree) throws {
        let file = fresh()
        let descriptor = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        try descriptor.closeAfter { _ = try descriptor.writeAll(tree.lines.utf8) }
        try rename(file, to: FilePath("\(folder)/tree"))
    }

    private func rename(_ file: FilePath, to place: FilePath) throws {
        guard Glibc.rename(file.string, place.string) == 0 else { throw Errno(rawValue: errno) }
    }

    // MARK: Contents

    /// A new file's place, on its way into the remote.
    func fresh() -> FilePath {
        FilePath("\(folder)/new-\(fileNumber.wrappingAdd(1, ordering: .relaxed).newValue)")
    }

    /// Where the contents of an item are.
    func place(of record: RemoteRecord) -> FilePath {
        FilePath("\(folder)/contents/\(record.serial)-\(record.contentsNumber)")
    }

    /// An item of one moment, and its contents of that moment.
    func open(_ id: ItemIdentifier, contentVersion: [UInt8]) throws -> (RemoteRecord, FileDescriptor) {
        try tree.withLock { tree in
            let record = try tree.record(id)
            guard record.kind == .document else {
                throw DocumentError(.invalidArgument, "“\(record.name)” is a folder, and has no contents of its own.")
            }
            if try !contentVersion.isEmpty && contentVersion != record.version.content {
                if mistake == .unknownVersionIsInternalError {
                    throw DocumentError(.internal, "Something is wrong with “\(record.name)”.")
                }
                guard mistake == .unknownVersionProvided else {
                    throw DocumentError(
                        .versionNoLongerAvailable, "This version of “\(record.name)” is gone. Take the current one."
                    )
                }
            }
            return (record, try FileDescriptor.open(place(of: record), .readOnly, options: .closeOnExec))
        }
    }
}

extension RemoteTree {
    /// Loses what a mistaken provider does not keep over a restart.
    fileprivate mutating func forgetAtRestart() throws(DocumentError) {
        switch mistake {
        case .operationsForgottenAtRestart: operations = [:]
        case .anchorsForgottenAtRestart: epoch = UInt64(getpid())
        case .identifiersForgottenAtRestart:
            identifierPrefix = "start\(getpid())-"
            var names: [ItemIdentifier: ItemIdentifier] = [.root: .root]
            for record in records.values {
                names[record.id] = try ItemIdentifier("\(identifierPrefix)\(record.serial)")
            }
            for var record in records.values {
                records[record.id] = nil
                record.id = names[record.id] ?? record.id
                record.parentID = names[record.parentID] ?? record.parentID
                records[record.id] = record
            }
        default: break
        }
    }
}
