internal import DocumentModel

/// Answers that others may have overtaken: of news, all that comes later is told, too, but only once; an answer may have
/// been on its way for long.
extension IndexTransaction {
    func known(_ id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        guard let item = try item(id, in: domain) else { throw Self.unknown(id, domain) }
        return item
    }

    /// What a provider has answered, unless it has told of something newer since.
    ///
    /// - Parameter began: the item as it was when the provider was asked.
    /// - Returns: nil when it has told of newer contents, or that it is gone.
    func apply(_ answer: Item, answering began: IndexedItem) throws -> ApplyOutcome? {
        let now = try known(began.id, in: began.domain)
        if hasNewerContents(now, than: answer, since: began) || now.isGone && !began.isGone { return nil }
        return try apply([try placed(answer, as: now, since: began)], in: began.domain)
    }

    /// What a provider has answered to a move, but for what it has told since.
    ///
    /// - Parameter began: the item as it was when the provider was asked.
    func apply(_ answer: Item, answeringMoveOf began: IndexedItem) throws -> ApplyOutcome {
        // One whose identifiers follow names has another item by that.
        guard answer.id == began.id else { return try apply([answer], in: began.domain) }
        guard let now = try item(began.id, in: began.domain), !now.isGone || began.isGone else { return ApplyOutcome() }
        var answer = try placed(answer, as: now, since: began)
        if hasNewerContents(now, than: answer, since: began) {
            answer.version = try ItemVersion(
                content: now.item.version.content, metadata: answer.version.metadata)
            (answer.size, answer.modified) = (now.item.size, now.item.modified)
        }
        return try apply([answer], in: began.domain)
    }

    private func hasNewerContents(_ now: IndexedItem, than answer: Item, since began: IndexedItem) -> Bool {
        now.item.version.content != began.item.version.content && now.item.version.content != answer.version.content
    }

    /// At the place that was told of since, be it where the item was before: there it has another version, then.
    private func placed(_ answer: Item, as now: IndexedItem, since began: IndexedItem) throws -> Item {
        guard let place = now.place, place != answer.place else { return answer }
        let told = now.item.version.metadata
        guard place != began.place || told != began.item.version.metadata && told != answer.version.metadata else {
            return answer
        }
        var answer = answer
        (answer.parentID, answer.name) = (place.parentID, place.name)
        answer.version = try ItemVersion(content: answer.version.content, metadata: told)
        return answer
    }

    /// What was told to be gone, and could not be cleared before what was under way with it had ended.
    func removeIfGone(_ id: ItemIdentifier, in domain: DomainName, _ outcome: inout ApplyOutcome) throws {
        guard try known(id, in: domain).isGone else { return }
        outcome.work += try delete([id], in: domain).work
    }
}

extension Item {
    fileprivate var place: IndexedItem.WantedPlace? {
        guard let parentID, let name else { return nil }
        return IndexedItem.WantedPlace(parentID: parentID, name: name)
    }
}

extension IndexedItem {
    /// Where the provider has it.
    fileprivate var place: WantedPlace? { wanted ?? item.place }
}
