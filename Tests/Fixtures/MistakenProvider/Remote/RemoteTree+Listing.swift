import DocumentModel

extension RemoteTree {
    /// A page of a folder's items. A token names the item that the page before ended with, so that an item which stays
    /// is listed once, whatever comes and goes between two pages.
    func page(of container: ItemIdentifier, token: PageToken?, count: Int) throws(DocumentError) -> ItemPage {
        if mistake == .documentListed, let record = records[container], record.kind == .document {
            return ItemPage(items: [try record.item])
        }
        var container = container
        if mistake == .pageTokenOfAnyFolder, let token { container = try folder(of: token) ?? container }
        if mistake == .emptyFolderShowsTop, children(of: container).isEmpty { container = .root }
        try checkFolder(container)
        let last = try token.map { token throws(DocumentError) in try serial(in: token, container) }
        var all = children(of: container)
        if mistake == .dottedNamesHidden { all.removeAll { $0.name.rawValue.hasPrefix(".") } }
        let rest: ArraySlice<RemoteRecord>
        if mistake == .pagesSkipAfterRemoval {
            rest = all.dropFirst(Int(last ?? 0))
        } else {
            rest = all.drop { $0.serial <= last ?? 0 }
        }
        let count = mistake == .pageIgnoresSuggestedCount ? rest.count : max(count, 1)
        var page = Array(rest.prefix(count))
        var next: PageToken?
        if rest.count > count, let end = page.last {
            next = try self.token(
                container, mistake == .pagesSkipAfterRemoval ? (last ?? 0) + UInt64(count) : end.serial)
        }
        switch mistake {
        case .pageTokenLoops where token != nil:
            next = token
        case .listingOmitsItem where token == nil && next != nil:
            page.removeLast()
        case .listingRepeatsItem where token != nil:
            if let before = all.last(where: { $0.serial <= last ?? 0 }) { page.insert(before, at: 0) }
        default:
            break
        }
        var items: [Item] = []
        for record in page { items.append(try record.item) }
        return ItemPage(items: items, next: next)
    }

    private func token(_ container: ItemIdentifier, _ serial: UInt64) throws(DocumentError) -> PageToken {
        try PageToken(Array("page \(epoch) \(serial) \(container)".utf8))
    }

    private func folder(of token: PageToken) throws(DocumentError) -> ItemIdentifier? {
        let parts = String(decoding: token.bytes, as: UTF8.self).split(separator: " ", maxSplits: 3)
        return parts.count == 4 ? try ItemIdentifier(String(parts[3])) : nil
    }

    private func serial(in token: PageToken, _ container: ItemIdentifier) throws(DocumentError) -> UInt64 {
        let parts = String(decoding: token.bytes, as: UTF8.self).split(separator: " ", maxSplits: 3)
        guard parts.count == 4, parts[0] == "page", UInt64(parts[1]) == epoch, let serial = UInt64(parts[2]),
            parts[3] == container.rawValue
        else {
            if mistake == .unknownPageAccepted { return 0 }
            throw DocumentError(.pageExpired, "This page of “\(container)” is not known. Begin the listing again.")
        }
        return serial
    }
}
