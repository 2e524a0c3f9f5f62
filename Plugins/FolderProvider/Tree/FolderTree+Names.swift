internal import DocumentModel

// Hosts and people know items by the names that they are shown by. Nearly all of these are what is on the disk, or come back
// from it; a shorter one (``EntryName``) is looked for among those that are there.

extension FolderTree {
    /// What an item in a folder is known by here: one that is really called so before one that is only shown so.
    func entry(called name: ItemName, in folder: RecordID) -> EntryName {
        let own = EntryName(name)
        if children[folder]?[own] != nil { return own }
        return shortened(to: name, in: folder).min() ?? own
    }

    /// The names in a folder that are shown by a shorter one.
    func shortened(to name: ItemName, in folder: RecordID) -> [EntryName] {
        guard EntryName.mayBeShortened(name) else { return [] }
        return (children[folder] ?? [:]).keys.filter { $0.isShortened && (try? $0.shown) == name }
    }

    /// The item at a path, as people know it.
    func record(called path: [ItemName]) -> FolderRecord? {
        var id = RecordID.root
        for name in path {
            guard let next = children[id]?[entry(called: name, in: id)] else { return nil }
            id = next
        }
        return records[id]
    }
}
