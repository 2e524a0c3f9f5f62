import DocumentModel
import DocumentStorage

extension DocumentHost {
    /// A package is copied as one document, with all that is in it (COORD-21): where a part of it has no file here, the copy
    /// would lack it.
    func requireWhole(_ package: IndexedItem, at location: Location) throws(DocumentError) {
        let parts = try storage.read { try $0.subtree(of: package.id, in: package.domain) }
        for part in parts where part.exists {
            let name = part.item.name?.rawValue ?? ""
            if part.state == .nameClash {
                throw DocumentError(
                    .nameClash,
                    "“\(name)” in \(location) has another's name but for case or Unicode form, and is not here: rename one of them."
                )
            }
            if part.item.kind == .document, part.local == nil {
                throw DocumentError(
                    .busy, "“\(name)” in \(location) is not here: it has come to be just now; try again.")
            }
        }
    }
}
