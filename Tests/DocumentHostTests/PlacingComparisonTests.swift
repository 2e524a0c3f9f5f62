import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentTestSupport
import Testing

/// What the index makes of what a provider tells, beside what the planner makes of it: the same tree, whatever it was told
/// before, and in whatever order.
struct PlacingComparisonTests {
    private struct Remote {
        var places: [String: (parent: String, name: String, isFolder: Bool)] = [:]
        var random: any RandomNumberGenerator
        var last = 0

        static let names = ["a", "A", "b", "B", "é", "e\u{301}"]

        func isBelow(_ id: String, _ folder: String) -> Bool {
            var next = id
            while next != "/" {
                if next == folder { return true }
                guard let above = places[next]?.parent else { return false }
                next = above
            }
            return false
        }

        mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

        mutating func pick(_ ids: [String]) -> String? { ids.isEmpty ? nil : ids[below(ids.count)] }

        /// - Returns: what changed, and what is gone.
        mutating func step(_ clashes: Bool) -> (updated: [String], gone: [String]) {
            let ids = places.keys.sorted()
            let folders = ["/"] + ids.filter { places[$0]?.isFolder == true }
            let folder = pick(folders) ?? "/"
            let name = Self.names[below(Self.names.count)]
            let isTaken = places.contains { _, place in
                place.parent == folder
                    && (clashes
                        ? place.name.utf8.elementsEqual(name.utf8) : Self.fold(place.name) == Self.fold(name))
            }
            switch below(10) {
            case 0...3 where !isTaken && ids.count < 12:
                // Identifiers do not grow with time: any may be the smallest.
                last += 1
                let id = "\(below(90) + 10)-\(last)"
                places[id] = (folder, name, below(2) == 0)
                return ([id], [])
            case 4...7 where !isTaken:
                guard let id = pick(ids), !isBelow(folder, id) else { return ([], []) }
                places[id]?.parent = folder
                places[id]?.name = name
                return ([id], [])
            case 8:
                // Two exchange their places, or what was outside is inside now.
                guard let one = pick(ids), let other = pick(ids), let first = places[one], let second = places[other],
                    one != other
                else { return ([], []) }
                if isBelow(other, one), second.isFolder, first.parent != other {
                    places[other]?.parent = first.parent
                    places[other]?.name = first.name
                    places[one]?.parent = other
                    let inside = places.filter { $0.key != one && $0.value.parent == other }
                        .map { Self.fold($0.value.name) }
                    guard !inside.contains(Self.fold(first.name)) else {
                        places[one] = first
                        places[other] = second
                        return ([], [])
                    }
                } else if !isBelow(other, one), !isBelow(one, other) {
                    places[one] = (second.parent, second.name, first.isFolder)
                    places[other] = (first.parent, first.name, second.isFolder)
                } else {
                    return ([], [])
                }
                return ([one, other], [])
            case 9:
                guard let id = pick(ids) else { return ([], []) }
                let gone = ids.filter { isBelow($0, id) }
                for id in gone { places[id] = nil }
                return ([], gone)
            default: return ([], [])
            }
        }

        static func fold(_ name: String) -> String { name.lowercased() }
    }

    private func item(_ id: String, _ place: (parent: String, name: String, isFolder: Bool)) throws -> Item {
        Item(
            id: try ItemIdentifier(id), parentID: try ItemIdentifier(place.parent), name: try ItemName(place.name),
            kind: place.isFolder ? .folder : .document, size: 1, version: try ItemVersion(content: [1]))
    }

    /// Where the planner shows what; nil for what it hides.
    private func planned(_ places: [String: (parent: String, name: String, isFolder: Bool)]) throws
        -> [ItemIdentifier: SyncPlace?]
    {
        var trees = SyncTrees()
        for (id, place) in places {
            let lies = SyncPlace(parentID: try ItemIdentifier(place.parent), name: try ItemName(place.name))
            trees.remote[try ItemIdentifier(id)] = .present(
                .init(place: lies, kind: place.isFolder ? .folder : .document, version: [1]))
        }
        for _ in 0..<50 {
            let plan = SyncPlanner.plan(trees)
            if plan.operations.isEmpty { break }
            for operation in plan.operations {
                let answer: SyncAnswer?
                switch operation {
                case .place(_, let node): answer = .here(.init(place: node.place, kind: node.kind))
                case .hide(_, let node), .show(_, let node): answer = .here(node)
                default: answer = nil
                }
                for change in SyncRecorder.changes(of: operation, answer, in: trees, fresh: .root) {
                    trees.apply(change)
                }
            }
        }
        var shown: [ItemIdentifier: SyncPlace?] = [:]
        for (id, sighting) in trees.local {
            guard let node = sighting.node else { continue }
            shown[id] = .some(node.isHidden ? nil : node.place)
        }
        return shown
    }

    private func indexed(_ storage: StorageFixture, _ ids: [String]) throws -> [ItemIdentifier: SyncPlace?] {
        try storage.index.read { index in
            var shown: [ItemIdentifier: SyncPlace?] = [:]
            for text in ids {
                let id = try ItemIdentifier(text)
                guard let item = try index.item(id, in: storage.domain), let parent = item.item.parentID,
                    let name = item.item.name
                else { continue }
                do {
                    _ = try index.location(of: id, in: storage.domain)
                    shown[id] = .some(SyncPlace(parentID: parent, name: name))
                } catch let error as DocumentError where error.code == .nameClash {
                    shown[id] = .some(nil)
                }
            }
            return shown
        }
    }

    private func tell(_ storage: StorageFixture, _ remote: inout Remote, _ updated: Set<String>, _ gone: Set<String>)
        throws -> ApplyOutcome
    {
        let ids = updated.sorted()
        let changes = ItemChanges(
            updated: try (remote.below(2) == 0 ? ids : ids.reversed()).compactMap { id in
                try remote.places[id].map { try item(id, $0) }
            },
            deleted: try gone.sorted().map { try ItemIdentifier($0) }, anchor: try SyncAnchor([1]), more: false)
        return try storage.store.apply(changes, in: storage.domain)
    }

    private func steps(_ remote: inout Remote, clashes: Bool) -> (updated: Set<String>, gone: Set<String>) {
        var updated: Set<String> = []
        var gone: Set<String> = []
        for _ in 0..<(1 + remote.below(4)) {
            let step = remote.step(clashes)
            updated.formUnion(step.updated)
            gone.formUnion(step.gone)
            updated.subtract(step.gone)
        }
        return (updated, gone)
    }

    /// - Returns: what is wrong; nil when the index shows what the planner shows.
    private func difference(_ storage: StorageFixture, _ remote: Remote) throws -> String? {
        let (here, expected) = (try indexed(storage, remote.places.keys.sorted()), try planned(remote.places))
        return here == expected ? nil : "\(here) instead of \(expected), of \(remote.places)"
    }

    @Test("INV-2, INV-3: the index shows what the planner shows, whatever was told before, and in whatever order")
    func same() throws {
        for seed in TestShare.of(0..<120) {
            let storage = try StorageFixture()
            var remote = Remote(random: SplitMix(state: UInt64(seed)))
            for round in 0..<12 {
                let (updated, gone) = steps(&remote, clashes: false)
                let outcome = try tell(storage, &remote, updated, gone)
                let wrong = try difference(storage, remote)
                try #require(outcome.rejected.isEmpty, "seed \(seed), round \(round): \(outcome.rejected)")
                try #require(wrong == nil, "seed \(seed), round \(round): \(wrong ?? "")")
            }
        }
    }

    @Test("CONT-12, INV-3: names that clash are never shown twice; when they clash no more, all is where it belongs")
    func clashing() throws {
        for seed in TestShare.of(0..<120) {
            let storage = try StorageFixture()
            var remote = Remote(random: SplitMix(state: UInt64(seed)))
            for round in 0..<10 {
                let (updated, gone) = steps(&remote, clashes: true)
                _ = try tell(storage, &remote, updated, gone)
                var shown: Set<SyncPlace> = []
                for case (let id, let place?) in try indexed(storage, remote.places.keys.sorted()) {
                    let folded = SyncPlace(
                        parentID: place.parentID, name: try ItemName(Remote.fold(place.name.rawValue)))
                    try #require(shown.insert(folded).inserted, "seed \(seed), round \(round): \(id)")
                }
            }
            for (number, id) in remote.places.keys.sorted().enumerated() { remote.places[id]?.name = "own \(number)" }
            _ = try tell(storage, &remote, Set(remote.places.keys), [])
            let wrong = try difference(storage, remote)
            try #require(wrong == nil, "seed \(seed): \(wrong ?? "")")
        }
    }
}
