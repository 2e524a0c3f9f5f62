internal import DocumentModel
internal import Logging

/// Documents' files that lie in a folder where something else is to be.
extension DocumentStore {
    /// Gives them their places back. Whoever has put them there, they cannot stay: the documents could follow them only once the
    /// tree has followed the index, and that waits for them to leave.
    ///
    /// - Returns: whether any has left.
    func putBackFiles(in folder: Location) throws -> Bool {
        let files = Dictionary(grouping: try tree.files(within: folder), by: \.inode)
        guard !files.isEmpty else { return false }
        let domain = folder.domain
        var hasLeft = false
        for item in try index.read({ try $0.present(within: .root, in: domain) }) {
            for file in item.local.flatMap({ files[$0.inode] }) ?? []
            where try putBack(item.id, in: domain, from: file.location) {
                hasLeft = true
                logger.notice(
                    "a document's file is at its place again: it lay where something else is to be",
                    metadata: ["domain": "\(domain)", "item.id": "\(item.id)", "location": "\(file.location)"])
            }
        }
        return hasLeft
    }
}
