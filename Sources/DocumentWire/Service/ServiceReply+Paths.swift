package import DocumentModel

extension ServiceReply {
    /// The same, for those who are told no paths (PICK-21).
    ///
    /// - Parameter root: where the host keeps its files; texts for people may name some of them.
    package func withoutPaths(below root: String) -> ServiceReply {
        switch self {
        case .hostStatus(var status):
            (status.root, status.findings) = ("", [])
            return .hostStatus(status)
        case .listDomains(let domains): return .listDomains(domains.map { $0.withoutPaths(root) })
        case .listItems(var page):
            page.items = page.items.map { $0.withoutPath(root) }
            return .listItems(page)
        case .item(let item): return .item(item.withoutPath(root))
        case .beginAccess(let access, _, let item, let also):
            return .beginAccess(
                access: access, path: "", item: item.withoutPath(root),
                also: also.map { AccessedItem(path: "", item: $0.item.withoutPath(root)) })
        case .status(let domains, let items, let transfers, let broughtFor):
            return .status(
                domains: domains.map { $0.withoutPaths(root) }, items: items.map { $0.withoutPath(root) },
                transfers: transfers, broughtFor: broughtFor)
        case .versions(let versions):
            return .versions(
                versions.map { version in
                    var version = version
                    version.path = nil
                    return version
                })
        case .browsePicker(var listing):
            listing.entries = listing.entries.map { $0.withoutPath(root) }
            listing.folder = listing.folder.withoutPath(root)
            return .browsePicker(listing)
        case .pickerEntry(let entry): return .pickerEntry(entry.withoutPath(root))
        case .searchPicker(var findings):
            findings.entries = findings.entries.map { $0.withoutPath(root) }
            return .searchPicker(findings)
        case .choosePicker(let items):
            return .choosePicker(
                items.map { item in
                    var item = item
                    item.status = item.status.withoutPath(root)
                    return item
                })
        case .bookmark(.resolve(var resolved)):
            resolved.item = resolved.item.withoutPath(root)
            return .bookmark(.resolve(resolved))
        case .transfers(.events(let events)): return .transfers(.events(events.map { $0.withoutPath(root) }))
        case .done, .listProviders, .lastFailure, .recordProvider, .coordinationStatus, .evict, .beginPicker,
            .thumbnails, .bookmark, .tools, .transfers, .safeguards:
            return self
        }
    }
}

extension ItemStatus {
    fileprivate func withoutPath(_ root: String) -> ItemStatus {
        var status = self
        status.path = ""
        status.conflictPath = nil
        status.problem = status.problem?.withoutPaths(below: root)
        status.transfers.download = transfers.download.map { $0.withoutPaths(root) }
        status.transfers.upload = transfers.upload.map { $0.withoutPaths(root) }
        return status
    }
}

extension TransferStatus {
    fileprivate func withoutPaths(_ root: String) -> TransferStatus {
        var status = self
        status.problem = problem?.withoutPaths(below: root)
        return status
    }
}

extension DomainStatus {
    fileprivate func withoutPaths(_ root: String) -> DomainStatus {
        var status = self
        status.domain = domain.withoutPaths(root)
        return status
    }
}

extension DomainDescription {
    fileprivate func withoutPaths(_ root: String) -> DomainDescription {
        var description = self
        description.recordings = nil
        description.problem = problem?.withoutPaths(below: root)
        return description
    }
}

extension PickerEntry {
    fileprivate func withoutPath(_ root: String) -> PickerEntry {
        var entry = self
        entry.status = entry.status.withoutPath(root)
        return entry
    }
}

extension ItemEvent {
    fileprivate func withoutPath(_ root: String) -> ItemEvent {
        switch self {
        case .appeared(let status): .appeared(status.withoutPath(root))
        case .changed(let status): .changed(status.withoutPath(root))
        case .moved(let status, let origin): .moved(status.withoutPath(root), from: origin)
        case .domain(let description): .domain(description.withoutPaths(root))
        case .removed, .domainRemoved, .lost: self
        }
    }
}

extension DocumentError {
    /// The same, for those who are told no paths: names within the folder stay.
    package func withoutPaths(below root: String) -> DocumentError {
        var error = self
        let texts = [root + "/documents/", root + "/", root]
        func blinded(_ text: String) -> String {
            texts.reduce(text) { $0.replacing($1, with: "") }
        }
        error.message = blinded(message)
        error.detail = blinded(detail)
        error.causes = causes.map(blinded)
        return error
    }
}
