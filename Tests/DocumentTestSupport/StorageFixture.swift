package import DocumentModel
package import DocumentStorage
internal import Glibc
package import Logging
internal import Synchronization
package import SystemPackage

/// A storage root of its own for a test, with one domain, `work`; removed with the fixture.
package final class StorageFixture {
    /// A temporary folder: the storage root is `root` in it, and there is room beside that.
    package let folder: FilePath
    package let domain: DomainName
    package private(set) var store: DocumentStore
    package let logger: Logger
    private let clock = TestDate()
    /// In seconds since 1970, as the store sees it.
    package var now: Int64 {
        get { clock.now.withLock { $0 } }
        set { clock.now.withLock { $0 = newValue } }
    }

    package var root: StorageRoot { store.root }
    package var index: ItemIndex { store.root.index }
    package var tree: DocumentTree { store.root.tree }
    package var rootPath: FilePath { folder.appending("root") }

    /// - Parameter place: the folder around it, where it is not to be the usual one.
    package init(observer: (any StepObserver)? = nil, in place: String? = nil) throws {
        var logger = Logger(label: "test.storage")
        logger.logLevel = .critical
        self.logger = logger
        folder = try TemporaryFolder.make(in: place)
        domain = try DomainName("work")
        let root = try StorageRoot(at: folder.appending("root"), logger: logger)
        store = DocumentStore(root, observer: observer, date: clock.date, logger: logger)
        let record = DomainRecord(name: domain, provider: try ProviderIdentifier("org.example.test"))
        try root.index.write { try $0.addDomain(record) }
    }

    deinit {
        TemporaryFolder.remove(folder)
    }

    /// Closes everything and opens it again, as another process would; nothing is reconciled yet.
    package func reopen(observer: (any StepObserver)? = nil) throws {
        try store.root.close()
        store = DocumentStore(
            try StorageRoot(at: rootPath, logger: logger), observer: observer, date: clock.date, logger: logger)
    }

    /// Makes the store use another observer.
    package func observe(_ observer: (any StepObserver)?) {
        store = DocumentStore(store.root, observer: observer, date: clock.date, logger: logger)
    }

    // MARK: Items

    package func item(
        _ id: String, _ name: String, in parent: String = "/", kind: ItemKind = .document, contents: String? = nil,
        size: Int64? = nil, version: String = "1"
    ) throws -> Item {
        Item(
            id: try ItemIdentifier(id), parentID: try ItemIdentifier(parent), name: try ItemName(name), kind: kind,
            size: contents.map { Int64($0.utf8.count) } ?? size,
            modified: Timestamp(seconds: 1_700_000_000, nanoseconds: 5),
            created: Timestamp(seconds: 1_600_000_000),
            version: try ItemVersion(
                content: kind == .folder ? [] : Array(version.utf8), metadata: Array("m\(version)".utf8))
        )
    }

    /// Tells the store of items.
    @discardableResult
    package func tell(_ items: Item...) throws -> ApplyOutcome {
        try store.apply(items, in: domain)
    }

    /// Tells the store of all that is in a folder.
    package func list(_ folder: ItemIdentifier, _ items: Item...) throws {
        let generation = try store.beginListing(of: folder, in: domain)
        _ = try store.apply(ItemPage(items: items), of: folder, in: domain, generation: generation)
    }

    package func indexed(_ id: String) throws -> IndexedItem {
        guard let item = try index.read({ try $0.item(ItemIdentifier(id), in: domain) }) else {
            throw DocumentError(.noSuchItem, "The test has no item “\(id)”.")
        }
        return item
    }

    package func location(_ path: String) throws -> Location { try Location("\(domain):/\(path)") }

    /// Makes an item's contents come, as its provider would.
    @discardableResult
    package func provide(_ item: Item, _ contents: String) throws -> IndexedItem {
        let coming = try store.beginMaterialising(item.id, in: domain)
        try write(contents, to: coming.file.path)
        var item = item
        item.size = Int64(contents.utf8.count)
        return try store.finish(coming, as: item)
    }

    /// As if nobody had read an item's contents yet.
    package func forgetDigest(of id: String) throws {
        let known = try indexed(id)
        guard let version = known.synced, let file = known.local else { return }
        try index.write {
            try $0.setMaterialised(known.id, in: domain, version: version, file: file, state: known.state)
        }
    }

    // MARK: Files

    /// Overwrites a file in its place, as a program that has it open does; makes it when it is missing.
    package func write(_ text: String, to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        try file.closeAfter { _ = try file.writeAll(text.utf8) }
    }

    /// Replaces a file as editors do: a new one beside it, renamed over it.
    package func save(_ text: String, to path: FilePath) throws {
        let beside = path.removingLastComponent().appending(".save-\(UInt64.random(in: 0 ... .max))")
        try write(text, to: beside)
        guard rename(beside.string, path.string) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Nil when there is no such file.
    package func read(_ path: FilePath) throws -> String? {
        do {
            let file = try FileDescriptor.open(path, .readOnly)
            return try file.closeAfter {
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { break }
                    bytes += buffer[..<count]
                }
                return String(decoding: bytes, as: UTF8.self)
            }
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    package func document(_ path: String) throws -> String? {
        try read(tree.path(of: location(path)))
    }

    package func placeholder(_ path: String) throws -> Placeholder? {
        try root.placeholders.read(at: location(path))
    }

    /// What a coordinated write leaves: an item's contents replaced, and the change recorded.
    @discardableResult
    package func edit(_ id: String, _ text: String) throws -> IndexedItem {
        let id = try ItemIdentifier(id)
        let entry = try store.expectChange(of: id, in: domain)
        try write(text, to: tree.path(of: store.locate(id, in: domain).location))
        return try store.recordChange(entry)
    }
}

private final class TestDate: Sendable {
    let now = Mutex<Int64>(1_700_000_000)

    var date: @Sendable () -> Int64 { { [self] in now.withLock { $0 } } }
}
