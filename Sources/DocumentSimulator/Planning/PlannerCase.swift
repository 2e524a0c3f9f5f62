internal import DocumentModel
package import DocumentSync

/// Three trees that grew from one: both sides were changed by themselves since they agreed.
package struct PlannerCase: Sendable {
    package private(set) var trees = SyncTrees()
    private var random: SeededRandom
    private var lastToken: UInt64 = 0
    private var lastItem = 0
    /// Whether the provider takes names that differ only by case.
    private let allowsClashes: Bool

    /// Names that meet each other often, also by case and by Unicode form.
    static let names = ["a", "b", "c", "A", "é.txt", "e\u{301}.txt", "É.txt"].compactMap { try? ItemName($0) }

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        allowsClashes = random.once(in: 4)
        for _ in 0..<random.below(7) { addAgreed() }
        for _ in 0..<random.below(4) { changeThere() }
        for _ in 0..<random.below(4) { changeHere() }
    }

    // MARK: What both sides agreed on

    private mutating func addAgreed() {
        guard let place = freePlace(in: folders(here: true), here: true), holds(place, there: false) == nil else {
            return
        }
        let kind = newKind()
        let id = newID("i")
        let token = kind == .folder ? [] : bytes(newToken())
        let isHere = kind != .folder && random.once(in: 2)
        let revision = isHere ? lastToken : nil
        trees.remote[id] = .present(.init(place: place, kind: kind, version: token, stamp: stamp()))
        trees.local[id] = .present(.init(place: place, kind: kind, revision: revision, stamp: stamp()))
        trees.synced[id] = .init(place: place, kind: kind, version: token, revision: revision)
    }

    private mutating func newKind() -> ItemKind {
        switch random.below(10) {
        case 0...3: .folder
        case 4: .package
        default: .document
        }
    }

    // MARK: What changed at the provider

    private mutating func changeThere() {
        let known = trees.identifiers.filter { trees.remote[$0]?.node != nil }
        switch random.below(10) {
        case 0...2:
            guard let place = freePlace(in: folders(here: false), here: false) else { return }
            let kind = newKind()
            let version = kind == .folder ? [] : bytes(newToken())
            trees.remote[newID("r")] = .present(.init(place: place, kind: kind, version: version, stamp: stamp()))
        case 3...5:
            guard let id = random.pick(known), case .present(var node) = trees.remote[id], node.kind != .folder else {
                return
            }
            node.version = bytes(newToken())
            node.stamp = stamp()
            trees.remote[id] = .present(node)
        case 6...7:
            guard let id = random.pick(known), case .present(var node) = trees.remote[id],
                let place = freePlace(in: folders(here: false), here: false), !isBelow(place.parentID, id, here: false)
            else { return }
            node.place = place
            trees.remote[id] = .present(node)
        default:
            guard let id = random.pick(known) else { return }
            for id in below(id, here: false) { trees.remote[id] = .gone }
        }
    }

    // MARK: What changed here

    private mutating func changeHere() {
        let known = trees.identifiers.filter { trees.local[$0]?.node != nil }
        switch random.below(10) {
        case 0...2:
            guard let place = freePlace(in: folders(here: true), here: true) else { return }
            let kind = newKind()
            let revision = kind == .folder ? nil : newToken()
            trees.local[newID("n")] = .present(.init(place: place, kind: kind, revision: revision, stamp: stamp()))
        case 3...5:
            guard let id = random.pick(known), case .present(var node) = trees.local[id], node.kind != .folder else {
                return
            }
            // Sometimes the very contents that the remote has, too (VER-15).
            if random.once(in: 6), let there = trees.remote[id]?.node {
                node.revision = Self.token(there.version)
            } else {
                node.revision = newToken()
            }
            node.stamp = stamp()
            trees.local[id] = .present(node)
        case 6...7:
            guard let id = random.pick(known), case .present(var node) = trees.local[id],
                let place = freePlace(in: folders(here: true), here: true), !isBelow(place.parentID, id, here: true)
            else { return }
            node.place = place
            trees.local[id] = .present(node)
        default:
            guard let id = random.pick(known) else { return }
            for id in below(id, here: true) { trees.local[id] = trees.synced[id] == nil ? nil : .gone }
        }
    }

    // MARK: Shapes

    private func place(_ id: ItemIdentifier, here: Bool) -> (SyncPlace, ItemKind)? {
        here
            ? trees.local[id]?.node.map { ($0.place, $0.kind) } : trees.remote[id]?.node.map { ($0.place, $0.kind) }
    }

    private func folders(here: Bool) -> [ItemIdentifier] {
        [trees.root] + trees.identifiers.filter { place($0, here: here)?.1 == .folder }
    }

    private func holds(_ wanted: SyncPlace, there: Bool) -> ItemIdentifier? {
        trees.identifiers.first { id in
            guard let (place, _) = place(id, here: !there), place.parentID == wanted.parentID else { return false }
            if there, allowsClashes { return place.name == wanted.name }
            return Self.folded(place.name) == Self.folded(wanted.name)
        }
    }

    /// What the planner has its own idea of, computed in another way.
    static func folded(_ name: ItemName) -> String {
        name.rawValue.lowercased()
    }

    private mutating func freePlace(in folders: [ItemIdentifier], here: Bool) -> SyncPlace? {
        guard let folder = random.pick(folders), let name = random.pick(Self.names) else { return nil }
        let place = SyncPlace(parentID: folder, name: name)
        return holds(place, there: !here) == nil ? place : nil
    }

    private func isBelow(_ id: ItemIdentifier, _ folder: ItemIdentifier, here: Bool) -> Bool {
        var next = id
        while next != trees.root {
            if next == folder { return true }
            guard let (place, _) = place(next, here: here) else { return false }
            next = place.parentID
        }
        return false
    }

    private func below(_ id: ItemIdentifier, here: Bool) -> [ItemIdentifier] {
        trees.identifiers.filter { place($0, here: here) != nil && isBelow($0, id, here: here) }
    }

    private mutating func newID(_ kind: String) -> ItemIdentifier {
        lastItem += 1
        return (try? ItemIdentifier("\(kind)\(lastItem)")) ?? trees.root
    }

    private mutating func newToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    private mutating func stamp() -> VersionStamp {
        VersionStamp(time: Int64(random.below(5)), device: UInt64(random.below(3)))
    }

    static func bytes(_ token: UInt64) -> [UInt8] { withUnsafeBytes(of: token.littleEndian) { Array($0) } }
    private func bytes(_ token: UInt64) -> [UInt8] { Self.bytes(token) }

    static func token(_ version: [UInt8]) -> UInt64 {
        version.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
