import Foundation

/// What the provider RemoteTree provides: what a test says.
struct RemoteTree: Codable {
    /// By identifier: folder, name, and contents, which are nil for a folder.
    var items: [String: [String?]] = [:]
    /// Identifiers of what was updated and of what was deleted, one change after the other.
    var feed: [[[String]]] = []
    /// The first anchor that holds.
    var oldest = 0
    /// How many items of a folder are told before its listing fails; what else fails, by its method.
    var failing: [String: Int] = [:]
    /// What ends the provider's process once it is done; once.
    var dying: [String] = []
    /// Names that are gone as soon as they are made.
    var vanishing: [String] = []
    /// Identifiers of what is not changed or removed, by method.
    var refusing: [String: [String]] = [:]
    /// Files that it waits for before it does what it is asked, by method.
    var waiting: [String: String] = [:]
}

extension Machine {
    /// Adds a domain of RemoteTree.
    func addRemoteTree(_ domain: String, hasFeed: Bool = true, isWritable: Bool = false) throws {
        let kind =
            isWritable ? hasFeed ? "writable" : "writable-without-feed" : hasFeed ? "provider" : "without-feed"
        let support = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let sources = support.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        let folder = self.folder + "/bin/providers/RemoteTree-" + kind
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let from = support.path + "/RemoteTree/"
        try manager.copyItem(
            atPath: from + kind + ".toml", toPath: folder + "/provider.toml")
        try manager.copyItem(atPath: from + "remote-tree", toPath: folder + "/remote-tree")
        let example = sources + "/Examples/memory-provider-python/"
        for name in ["docent_provider.py", "generate"] {
            try manager.copyItem(atPath: example + name, toPath: folder + "/" + name)
        }
        let made = try run(folder + "/generate", [sources + "/Sources/DocumentWire/Protos"])
        guard made.status == 0 else { throw Failure(description: made.errors) }
        let provider = "org.example.remote-tree" + (kind == "provider" ? "" : "-" + kind)
        try succeed("domain", "add", domain, "--provider", provider)
    }

    /// What the provider of a domain provides now.
    func provided(in domain: String) throws -> RemoteTree {
        let path = root + "/.docent/providers/\(domain)/tree.json"
        return try JSONDecoder().decode(RemoteTree.self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// From now on the provider of a domain provides this.
    func provide(_ tree: RemoteTree, in domain: String) throws {
        let path = root + "/.docent/providers/\(domain)/tree.json"
        try JSONEncoder().encode(tree).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
