internal import DocumentModel

/// The items that a reader was asked for last: what is decided of one item asks for it again and again, and a look takes longer
/// than all that is decided with it. They hold until something is written in the same transaction; what others write is not seen
/// in it anyway.
struct RecentItems {
    /// An item, and the folders around it that are asked for with it.
    private static let mostKept = 4

    private var items: [(asked: ItemIdentifier, item: IndexedItem)] = []
    /// How much had been written when the first of them was read.
    private var writes = 0

    /// - Parameter writes: how many rows the connection has written by now.
    mutating func item(_ id: ItemIdentifier, in domain: DomainName, after writes: Int) -> IndexedItem? {
        guard writes == self.writes else {
            items = []
            return nil
        }
        guard let index = items.firstIndex(where: { $0.asked == id && $0.item.domain == domain }) else { return nil }
        // Folders are asked for with each of the items in them.
        if index < items.count - 1 { items.append(items.remove(at: index)) }
        return items.last?.item
    }

    mutating func keep(_ item: IndexedItem, askedAs id: ItemIdentifier, after writes: Int) {
        if writes != self.writes { items = [] }
        self.writes = writes
        if items.count == Self.mostKept { items.removeFirst() }
        items.append((id, item))
    }
}
