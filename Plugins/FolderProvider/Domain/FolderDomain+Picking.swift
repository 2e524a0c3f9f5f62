internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Synchronization
internal import SystemPackage

// What can be known before a document is brought here is said before: that the folder is read-only, and that the disk
// is full.

extension FolderDomain {
    func presentation(for picker: PickerContext) throws -> PickerPresentation {
        guard picker.documentPickerMode == .export || picker.documentPickerMode == .move else { return .plain }
        do {
            return PickerPresentation(message: try obstacle(to: picker)?.message ?? "")
        } catch let error as DocumentError where error.code == .serverUnreachable {
            // What the host knows of the folder can still be looked at.
            return PickerPresentation(message: error.message)
        }
    }

    func validate(_ choice: PickerChoice, in picker: PickerContext) throws {
        switch choice {
        case .item(let id): _ = try item(for: id)
        case .destination(let container, _, _):
            _ = try item(for: container)
            if let obstacle = try obstacle(to: picker) { throw obstacle }
        }
    }

    /// What keeps anything, or this document, from being put here.
    private func obstacle(to picker: PickerContext) throws -> DocumentError? {
        let root = try mirror.withLock { mirror in try mirror.openRoot() }
        var system = docent_file_system()
        try SystemFailure.check(
            docent_fstatfs(root.descriptor, &system), .remote, "“\(settings.folder)” cannot be used")
        if settings.isReadOnly || system.is_read_only != 0 {
            return DocumentError(
                .notPermitted, "“\(settings.folder)” is read-only: nothing can be put there. Choose another domain.")
        }
        let (room, isHuge) = system.available_blocks.multipliedReportingOverflow(by: system.block_size)
        guard !isHuge, let size = picker.originalSize, size > 0, UInt64(size) > room else { return nil }
        return DocumentError(
            .insufficientQuota,
            "The document has \(size) bytes, and the disk of “\(settings.folder)” has room for \(room). Make room there, or choose another domain."
        )
    }
}
