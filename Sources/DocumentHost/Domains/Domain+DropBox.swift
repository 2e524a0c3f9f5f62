import DocumentModel
import ProviderLauncher

extension Domain {
    /// Documents can be put in, and nothing of what is there can be seen (PICK-13).
    var isDropBox: Bool { bundle.manifest.modes == [.export] }

    /// Refuses every look into a drop box, whether there is something or not.
    func requireVisible() throws(DocumentError) {
        guard isDropBox else { return }
        throw DocumentError(
            .notPermitted,
            "\(name) is a drop box: documents can be put into its top folder, and nothing of what is in it can be seen."
        )
    }
}
