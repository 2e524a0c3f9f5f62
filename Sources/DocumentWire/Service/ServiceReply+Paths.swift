import DocumentModel

extension ServiceReply {
    /// The same, for those who are told no paths (PICK-21).
    package var withoutPaths: ServiceReply {
        switch self {
        case .listItems(var page):
            page.items = page.items.map(\.withoutPath)
            return .listItems(page)
        case .item(let item): return .item(item.withoutPath)
        case .beginAccess(let access, _, let item, let also):
            return .beginAccess(
                access: access, path: "", item: item.withoutPath,
                also: also.map { AccessedItem(path: "", item: $0.item.withoutPath) })
        case .status(let domains, let items, let transfers, let broughtFor):
            return .status(
                domains: domains, items: items.map(\.withoutPath), transfers: transfers, broughtFor: broughtFor)
        case .versions(let versions):
            return .versions(
                versions.map { version in
                    var version = version
                    version.path = nil
                    return version
                })
        case .browsePicker(var listing):
            listing.entries = listing.entries.map(\.withoutPath)
            listing.folder = listing.folder.withoutPath
            return .browsePicker(listing)
        case .pickerEntry(let entry): return .pickerEntry(entry.withoutPath)
        case .searchPicker(var findings):
            findings.entries = findings.entries.map(\.withoutPath)
            return .searchPicker(findings)
        case .choosePicker(let items):
            return .choosePicker(
                items.map { item in
                    var item = item
                    item.status = item.status.withoutPath
                    return item
                })
        case .bookmark(.resolve(var resolved)):
            resolved.item = resolved.item.withoutPath
            return .bookmark(.resolve(resolved))
        case .transfers(.events(let events)): return .transfers(.events(events.map(\.withoutPath)))
        case .done, .hostStatus, .listProviders, .lastFailure, .recordProvider, .listDomains, .coordinationStatus,
            .evict,
            .beginPicker, .bookmark, .tools, .transfers:
            return self
        }
    }
}

extension ItemStatus {
    fileprivate var withoutPath: ItemStatus {
        var status = self
        status.path = ""
        return status
    }
}

extension PickerEntry {
    fileprivate var withoutPath: PickerEntry {
        var entry = self
        entry.status = entry.status.withoutPath
        return entry
    }
}

extension ItemEvent {
    fileprivate var withoutPath: ItemEvent {
        switch self {
        case .appeared(let status): .appeared(status.withoutPath)
        case .changed(let status): .changed(status.withoutPath)
        case .moved(let status, let origin): .moved(status.withoutPath, from: origin)
        case .removed, .domain, .domainRemoved, .lost: self
        }
    }
}
