import DocumentModel

@testable import WebDAVProvider

/// A WebDAV server in memory, with what the servers that people run do wrong (RS, the table of section 1).
final class SimulatedServer {
    /// What a server does with conditions.
    enum Conditions: Sendable {
        /// Looked at and kept in one step.
        case atomic
        /// Looked at when a request begins; who else writes until it ends is overwritten.
        case lookedAtFirst
        case ignored
    }

    /// What tells two versions of a document apart.
    enum Tags: Sendable {
        /// Each has its own.
        case exact
        /// The same for two of one second and one length. `weak` for a second after the change.
        case ofSecondAndLength(weakAtFirst: Bool)
        /// The same for all of one length, and no date tells them apart either.
        case ofLength
    }

    struct Manner: Sendable {
        var conditions: Conditions
        var tags: Tags
        /// What is being sent is seen under its name before it is whole.
        var writesInPlace = false
        /// A folder that is moved to where another one is replaces that, whatever was asked for.
        var movesFoldersOverOthers = false
        /// What has a name with a dot at its beginning is in no listing.
        var hidesDotNames = false

        static let lighttpd = Manner(conditions: .atomic, tags: .exact)
        static let apache = Manner(conditions: .lookedAtFirst, tags: .ofSecondAndLength(weakAtFirst: true))
        static let nginx = Manner(conditions: .ignored, tags: .ofSecondAndLength(weakAtFirst: false))
        static let rclone = Manner(conditions: .ignored, tags: .exact, writesInPlace: true)
        static let wsgidav = Manner(
            conditions: .lookedAtFirst, tags: .ofSecondAndLength(weakAtFirst: false), writesInPlace: true)
    }

    struct Node: Hashable, Sendable {
        /// Nil for a folder.
        var bytes: [UInt8]?
        var modified: Int64
        var serial: Int
    }

    let manner: Manner
    private(set) var nodes: [RemotePath: Node]
    /// Counts what has changed.
    private(set) var serial = 0
    private let wallSeconds: () -> Int64

    init(_ manner: Manner, wallSeconds: @escaping () -> Int64) {
        self.manner = manner
        self.wallSeconds = wallSeconds
        nodes = [.root: Node(modified: wallSeconds(), serial: 0)]
    }

    var date: Int64 { wallSeconds() }

    func isFolder(_ path: RemotePath) -> Bool { nodes[path].map { $0.bytes == nil } ?? false }

    func children(of folder: RemotePath) -> [RemotePath] {
        nodes.keys.filter { !$0.isRoot && $0.parent == folder }.sorted {
            $0.names.lexicographicallyPrecedes($1.names)
        }
    }

    /// As it stands in an answer now.
    func tag(of node: Node) -> String? {
        guard let bytes = node.bytes else { return nil }
        switch manner.tags {
        case .exact: return "\"\(node.serial)-\(bytes.count)\""
        case .ofLength: return "\"\(bytes.count)\""
        case .ofSecondAndLength(let weakAtFirst):
            return (weakAtFirst && date <= node.modified + 1 ? "W/" : "") + "\"\(node.modified)-\(bytes.count)\""
        }
    }

    // MARK: Changes, each of them in one step

    func put(_ bytes: [UInt8], at path: RemotePath) {
        serial += 1
        let modified = if case .ofLength = manner.tags { nodes[.root]?.modified ?? 0 } else { date }
        nodes[path] = Node(bytes: bytes, modified: modified, serial: serial)
    }

    func makeFolder(_ path: RemotePath) -> Int {
        guard let parent = path.parent, isFolder(parent) else { return 409 }
        guard nodes[path] == nil else { return 405 }
        serial += 1
        nodes[path] = Node(modified: date, serial: serial)
        return 201
    }

    func move(_ from: RemotePath, to target: RemotePath, mayReplace: Bool) -> Int {
        guard nodes[from] != nil, !from.isRoot else { return 404 }
        guard let parent = target.parent, isFolder(parent) else { return 409 }
        guard !target.names.starts(with: from.names) else { return 409 }
        if nodes[target] != nil {
            let isReplaced = mayReplace || manner.movesFoldersOverOthers && isFolder(from) && isFolder(target)
            guard isReplaced else { return 412 }
            _ = remove(target)
        }
        serial += 1
        for (path, node) in nodes where path.names.starts(with: from.names) {
            nodes[path] = nil
            nodes[RemotePath(names: target.names + path.names.dropFirst(from.names.count))] = node
        }
        return 201
    }

    func remove(_ path: RemotePath) -> Int {
        guard nodes[path] != nil, !path.isRoot else { return 404 }
        serial += 1
        nodes = nodes.filter { !$0.key.names.starts(with: path.names) }
        return 204
    }

    /// Whether a request's conditions hold now.
    func holds(ifMatch: String?, ifNoneMatch: String?, at path: RemotePath) -> Bool {
        if manner.conditions == .ignored { return true }
        if ifNoneMatch != nil, nodes[path] != nil { return false }
        guard let ifMatch else { return true }
        return nodes[path].flatMap(tag) == ifMatch
    }
}
