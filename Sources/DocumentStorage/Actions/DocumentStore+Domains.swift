package import DocumentModel
internal import Logging
internal import SystemPackage

extension DocumentStore {
    /// Everything of a domain goes from this machine: rows, placeholders, clean contents, kept versions, the
    /// provider's state. Files that belong to no item are nobody's to remove.
    ///
    /// - Throws: `unsyncedEdits`, and nothing is removed, when something is unsent and may not be discarded;
    ///   `directoryNotEmpty`, and nothing is removed, when there are files that belong to no item.
    package func removeDomain(_ name: DomainName, discardingEdits: Bool) throws {
        try clear(name, discardingEdits: discardingEdits)
        try index.write { try $0.removeDomain(name) }
        // What was under way may have written a placeholder since.
        try moves.exclusively { try tree.removeDerived(of: name) }
        try root.removeProviderFolder(of: name)
    }

    /// Signs a domain out: what it signs in with, its placeholders and its contents go from this machine; the domain stays,
    /// with its settings, rules and bookmarks. Written down beforehand: cut off, it is finished, or taken back, by
    /// ``finishSignOuts(forgetting:)``.
    ///
    /// - Throws: `unsyncedEdits`, `inConflict` or `directoryNotEmpty`, and the domain is as it was, as in
    ///   ``removeDomain(_:discardingEdits:)``.
    package func signOut(_ name: DomainName, discardingEdits: Bool, forgetting secrets: any SecretStore) throws {
        let before = try index.read { try $0.domain(name) }?.signIn
        try index.write { try $0.setSignIn(discardingEdits ? .endingWithUnsent : .ending, of: name) }
        do {
            if !discardingEdits { try refuseConflicts(in: name) }
            try clear(name, discardingEdits: discardingEdits)
        } catch {
            // What had gone of what is clean can come again; but not when it cannot be signed in with any more.
            if try before == .done || secrets.domains().contains(name) {
                try index.write { try $0.setSignIn(.done, of: name) }
            }
            throw error
        }
        try secrets.remove(of: name)
        try index.write { try $0.emptyDomain(name) }
        try moves.exclusively { try tree.removeDerived(of: name) }
        try root.removeProviderFolder(of: name)
        // Said when it is so: a host that ends before does the rest again.
        try index.write { try $0.setSignIn(.needed, of: name) }
    }

    /// Finishes what was cut off when a host ended. To be called once, before anything else.
    ///
    /// - Returns: what became of it, one sentence each.
    package func finishSignOuts(forgetting secrets: any SecretStore) throws -> [String] {
        try index.read { try $0.domains() }.compactMap { domain in
            guard domain.signIn == .ending || domain.signIn == .endingWithUnsent else { return nil }
            do {
                try signOut(
                    domain.name, discardingEdits: domain.signIn == .endingWithUnsent, forgetting: secrets)
                return "\(domain.name) was being signed out when the host ended: that is done now."
            } catch let error as DocumentError {
                return
                    "\(domain.name) was being signed out when the host ended, and is signed in still: \(error.message)"
            }
        }
    }

    private func refuseConflicts(in name: DomainName) throws {
        guard let conflict = try index.read({ try $0.conflicts(in: name).first }) else { return }
        let location = (try? locate(conflict.itemID, in: name).location) ?? Location(domain: name)
        throw DocumentError(
            .inConflict, "\(location) has a conflict that was not resolved: docent resolve \(location).",
            itemID: conflict.itemID)
    }

    /// Placeholders, clean contents and kept versions go.
    private func clear(_ name: DomainName, discardingEdits: Bool) throws {
        let own = try contents(of: name, discardingEdits: discardingEdits)
        try refuseStrays(of: name, own: Set(own.map(\.location)))
        // Looking at all of them takes its time: nothing goes before nothing has changed meanwhile.
        if !discardingEdits {
            let unsent = try index.read { index in
                try [ItemState.changed, .sending, .conflict].flatMap { try index.items(in: $0, of: name, limit: 1) }
            }
            if let item = unsent.first { throw self.unsent(item) }
            if let id = try index.read({ try $0.unansweredArrangement(in: name) }),
                let item = try index.read({ try $0.item(id, in: name) })
            {
                throw self.unsent(item)
            }
            for (item, location, file) in own {
                if let now = try tree.file(at: location), !now.hasSameContents(as: file) { throw self.unsent(item) }
            }
        }
        for (_, location, file) in own {
            let expected = try discardingEdits ? tree.file(at: location) : file
            if let expected { try tree.removeFile(at: location, expecting: expected) }
        }
        // Who still looks at what is gone would make its placeholder anew in between.
        try moves.exclusively { try tree.removeDerived(of: name) }
        try tree.flushFolders(left: own.map(\.location))
        try root.versions.removeAll(of: name)
        try root.trash.removeAll(of: name)
    }

    /// The domain's documents that have contents here, and their files as they were looked at.
    ///
    /// - Throws: `unsyncedEdits` when something is unsent and may not be discarded.
    private func contents(
        of domain: DomainName, discardingEdits: Bool
    ) throws -> [(item: IndexedItem, location: Location, file: FileIdentity)] {
        var found: [(IndexedItem, Location, FileIdentity)] = []
        var row: Int64 = 0
        while true {
            let page = try index.read { try $0.present(in: domain, after: row, limit: 500) }
            for item in page where item.item.kind == .document && item.local != nil {
                let now = item.isUnsent ? item : try recordChange(of: item.id, in: domain)
                guard discardingEdits || !now.isUnsent else { throw unsent(now) }
                if let file = now.local, let place = try? locate(item.id, in: domain).location {
                    found.append((now, place, file))
                }
            }
            guard let last = page.last, page.count == 500 else { return found }
            row = last.row
        }
    }

    /// An editor's backup, for example: only its user knows whether it is wanted.
    private func refuseStrays(of domain: DomainName, own: Set<Location>) throws {
        var strays: [String] = []
        try tree.forEachFile(of: domain) {
            strays.append($0)
        } _: { file in
            if !own.contains(file.location) { strays.append(tree.path(of: file.location).string) }
        }
        guard !strays.isEmpty else { return }
        let named = strays.sorted().prefix(3).joined(separator: ", ")
        throw DocumentError(
            .directoryNotEmpty,
            "The folder of \(domain) holds what belongs to none of its documents: \(named)\(strays.count > 3 ? " and \(strays.count - 3) more" : ""). Move or remove that first; nothing was removed."
        )
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
