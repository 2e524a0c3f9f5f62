import CDocentShims
import DocumentModel
import DocumentStorage
import Glibc
import Logging
import SystemPackage

/// A storage root of its own in the temporary folder, for the rows of storage.
final class StorageBench {
    let folder: FilePath
    let store: DocumentStore
    let domain: DomainName

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        folder = FilePath(base).appending("docent-bench-\(UInt64.random(in: 0 ... .max))")
        guard mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        domain = try DomainName("bench")
        let root = try StorageRoot(at: folder.appending("root"), logger: logger)
        store = DocumentStore(root, date: { 1_700_000_000 }, logger: logger)
        let record = DomainRecord(name: domain, provider: try ProviderIdentifier("org.example.bench"))
        try root.index.write { try $0.addDomain(record) }
    }

    deinit {
        try? store.root.close()
        Self.remove(folder)
    }

    /// A folder of its own for a floor, beside the root.
    func plainFolder(_ name: String) throws -> FilePath {
        let path = folder.appending(FilePath(name).components)
        guard mkdir(path.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        return path
    }

    func items(_ numbers: Range<Int>, in parent: ItemIdentifier = .root) throws -> [Item] {
        try numbers.map { number in
            Item(
                id: try ItemIdentifier("id-\(number &* 2_654_435_761 % 1_000_000_007)-\(number)"), parentID: parent,
                name: try ItemName("Document number \(number).pdf"), kind: .document, size: Int64(number),
                modified: Timestamp(seconds: 1_700_000_000 + Int64(number)), created: Timestamp(seconds: 1_600_000_000),
                version: try ItemVersion(content: Array("v\(number)".utf8), metadata: Array("m\(number)".utf8)))
        }
    }

    static func remove(_ path: FilePath) {
        if let folder = opendir(path.string) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove(path.appending(FilePath(name).components)) }
            }
            closedir(folder)
            rmdir(path.string)
        } else {
            unlink(path.string)
        }
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
