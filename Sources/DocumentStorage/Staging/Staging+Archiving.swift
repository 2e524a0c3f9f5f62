package import DocumentModel

/// One part of a folder that is made into a ZIP file.
package struct ArchivedItem: Hashable, Sendable {
    /// Within the archive, with the folder's own name first: `Report.pages/Images/1.png`.
    package let path: String
    /// Where its file is; nil for a folder.
    package let file: Location?
    package let modified: Timestamp

    package init(path: String, file: Location?, modified: Timestamp) {
        self.path = path
        self.file = file
        self.modified = modified
    }
}

extension Staging {
    private static let archivingAttempts = 4

    /// A ZIP file of a folder's items, for uploading (COORD-14). Each file's bytes are of one moment: when one changes
    /// meanwhile, it is begun again; `busy` when they keep changing, `localStorage` when one is gone.
    package func archive(_ items: [ArchivedItem], in request: StagingRequest) throws -> StagedFile {
        let made = try request.makeFile(attempts: Self.archivingAttempts) { target in
            try withNamesInUTF8 { try write(items, into: target) }
        }
        if let made { return made }
        throw DocumentError(
            .busy,
            "“\(items.first?.path ?? "")” keeps changing while it is packed: wait until the program that writes it is done."
        )
    }

    /// - Returns: false when a file has changed meanwhile.
    private func write(_ items: [ArchivedItem], into target: OpenFile) throws -> Bool {
        let writer = try ZipWriter(into: target)
        for item in items {
            guard let location = item.file else {
                try writer.addFolder(item.path, modified: item.modified)
                continue
            }
            guard let source = try tree.open(location) else {
                throw DocumentError(.localStorage, "\(tree.path(of: location)) is gone: open it again.")
            }
            let before = try source.status().identity
            let isWhole = try writer.add(source, as: item.path, size: before.size, modified: before.modified)
            guard isWhole, try source.status().identity == before else { return false }
        }
        try writer.finish()
        return true
    }
}
