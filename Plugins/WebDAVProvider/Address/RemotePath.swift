internal import DocumentModel

/// Where an item is, as names from the domain's top folder down. On a WebDAV server the path is all the identity that
/// an item has (ID-2, ID-4).
struct RemotePath: Hashable, Sendable {
    static let root = RemotePath(names: [])

    let names: [RemoteName]

    init(names: [RemoteName]) {
        self.names = names
    }

    /// Nil for what was never an identifier of this provider.
    init?(_ id: ItemIdentifier) {
        if id == .root {
            names = []
            return
        }
        var names: [RemoteName] = []
        for part in id.rawValue.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let name = try? RemoteName(String(Substring(part))) else { return nil }
            names.append(name)
        }
        self.names = names
    }

    /// - Throws: `invalidArgument` when the path is longer than an identifier may be.
    var identifier: ItemIdentifier {
        get throws(DocumentError) {
            isRoot ? .root : try ItemIdentifier(names.map(\.rawValue).joined(separator: "/"))
        }
    }

    var isRoot: Bool { names.isEmpty }

    var name: RemoteName? { names.last }

    var hasLongName: Bool { names.contains(where: \.isLong) }

    /// Nil for the top folder.
    var parent: RemotePath? { isRoot ? nil : RemotePath(names: Array(names.dropLast())) }

    func appending(_ name: RemoteName) -> RemotePath { RemotePath(names: names + [name]) }

    func appending(_ name: ItemName) -> RemotePath { appending(RemoteName(name)) }

    /// For messages.
    var quoted: String { isRoot ? "The top folder" : "“\(names.map(\.shown.rawValue).joined(separator: "/"))”" }
}
