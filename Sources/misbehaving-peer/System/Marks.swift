import Glibc

/// Files with telling names beside the notes of the traffic: a judge sees by them that what it judges has happened.
enum Marks {
    static let prefix = "mark-"
    /// The environment variable that names the folder; without it nothing is marked.
    static let folderKey = "MISBEHAVING_PEER_MARKS"

    private static var folder: String? { getenv(folderKey).map { String(cString: $0) } }

    static func leave(_ name: String) {
        guard let folder else { return }
        let file = open("\(folder)/\(prefix)\(name)", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file >= 0 { close(file) }
    }

    /// How many there are whose names begin so; nil when nothing is marked.
    static func count(_ beginning: String) -> Int? {
        folder.map { Folder.names(in: $0).count { $0.hasPrefix(prefix + beginning) } }
    }
}
