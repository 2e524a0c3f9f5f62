internal import DocumentModel

/// What thumbnails are kept, and in which order they were used. There is one place for each item and size, so that no two
/// versions are kept of the same. Without I/O.
struct ThumbnailLedger {
    /// Where a thumbnail is kept.
    struct Place: Hashable, Sendable {
        var domain: DomainName
        var id: ItemIdentifier
        var size: Int

        init(_ key: ThumbnailKey) {
            (domain, id, size) = (key.domain, key.id, key.size)
        }
    }

    private struct Entry {
        var contentVersion: [UInt8]
        var bytes: Int
        var lastUse: UInt64
    }

    /// In bytes, and how many.
    let limits: (bytes: Int, count: Int)
    private var entries: [Place: Entry] = [:]
    private var uses: UInt64 = 0
    /// In bytes.
    private(set) var total = 0

    init(limits: (bytes: Int, count: Int)) {
        self.limits = limits
    }

    var count: Int { entries.count }

    var keys: [ThumbnailKey] {
        entries.map { place, entry in
            ThumbnailKey(
                domain: place.domain, id: place.id, contentVersion: entry.contentVersion, size: place.size)
        }
    }

    /// Of these, the first that is kept; it is used now.
    mutating func use(_ keys: [ThumbnailKey]) -> ThumbnailKey? {
        for key in keys {
            guard entries[Place(key)]?.contentVersion == key.contentVersion else { continue }
            uses += 1
            entries[Place(key)]?.lastUse = uses
            return key
        }
        return nil
    }

    /// Takes one up, in the place of an older version.
    ///
    /// - Returns: the places of those that have to go, so that all are within the limits.
    mutating func add(_ key: ThumbnailKey, bytes: Int) -> [Place] {
        let place = Place(key)
        remove(place)
        uses += 1
        entries[place] = Entry(contentVersion: key.contentVersion, bytes: bytes, lastUse: uses)
        total += bytes
        guard total > limits.bytes || entries.count > limits.count else { return [] }
        var leaving: [Place] = []
        // Some more than is needed, so that not every new one has to look for the oldest.
        for (oldest, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse })
        where oldest != place && (total > limits.bytes / 8 * 7 || entries.count > limits.count / 8 * 7) {
            remove(oldest)
            leaving.append(oldest)
        }
        return leaving
    }

    /// - Returns: whether it was kept.
    @discardableResult
    mutating func remove(_ place: Place) -> Bool {
        guard let entry = entries.removeValue(forKey: place) else { return false }
        total -= entry.bytes
        return true
    }

    /// Where the same version is not kept any more, nothing happens.
    mutating func remove(_ key: ThumbnailKey) -> Bool {
        guard entries[Place(key)]?.contentVersion == key.contentVersion else { return false }
        return remove(Place(key))
    }

    mutating func removeAll(of domain: DomainName) {
        for place in entries.keys where place.domain == domain { remove(place) }
    }
}
