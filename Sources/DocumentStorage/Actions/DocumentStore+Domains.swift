package import DocumentModel
internal import Logging

extension DocumentStore {
    /// Everything of a domain goes from this machine: rows, placeholders, clean contents, kept versions, the
    /// provider's state. Files that belong to no item stay, and so do unsent ones, unless they may be discarded.
    ///
    /// - Throws: `unsyncedEdits`, and nothing is removed, when something is unsent and may not be discarded.
    package func removeDomain(_ name: DomainName, discardingEdits: Bool) throws {
        var row: Int64 = 0
        while true {
            let page = try index.read { try $0.present(in: name, after: row, limit: 500) }
            for item in page {
                row = item.row
                guard item.item.kind == .document, item.local != nil else { continue }
                let now = item.isUnsent ? item : try recordChange(of: item.id, in: name)
                guard discardingEdits || !now.isUnsent else { throw unsent(now) }
            }
            if page.count < 500 { break }
        }
        for item in try presentWithContents(in: name) {
            guard let location = try? locate(item.id, in: name).location, let file = try tree.file(at: location) else {
                continue
            }
            try tree.removeFile(at: location, expecting: file)
        }
        try tree.removeDerived(of: name)
        try root.versions.removeAll(of: name)
        try index.write { try $0.removeDomain(name) }
        try root.removeProviderFolder(of: name)
    }

    private func presentWithContents(in domain: DomainName) throws -> [IndexedItem] {
        var items: [IndexedItem] = []
        var row: Int64 = 0
        while true {
            let page = try index.read { try $0.present(in: domain, after: row, limit: 500) }
            items += page.filter { $0.item.kind == .document && $0.local != nil }
            guard let last = page.last, page.count == 500 else { return items }
            row = last.row
        }
    }

    private func unsent(_ item: IndexedItem) -> DocumentError {
        let location = (try? locate(item.id, in: item.domain).location) ?? Location(domain: item.domain)
        return DocumentError(
            .unsyncedEdits, "\(location) has changes that were not sent yet: send them first, or discard them.",
            itemID: item.id)
    }
}

extension DocumentTree {
    /// Placeholders, and folders that are empty then. What belongs to nobody stays, with the folders around it.
    func removeDerived(of domain: DomainName) throws {
        guard let folder = try documents.folderIfPresent([domain.rawValue]) else { return }
        try removeDerived(in: folder)
        _ = try documents.removeFolder(domain.rawValue)
    }

    private func removeDerived(in folder: DirectoryHandle) throws {
        var folders: [String] = []
        try folder.forEachEntry { name, kind in
            if kind == .folder, let name { folders.append(name) }
        }
        for name in folders {
            if name == ItemName.placeholderFolder {
                try folder.removeTree(name, .folder)
            } else if let inner = try folder.folderIfPresent([name]) {
                try removeDerived(in: inner)
                _ = try folder.removeFolder(name)
            }
        }
    }
}
