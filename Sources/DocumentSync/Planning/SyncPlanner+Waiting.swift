internal import DocumentModel

/// Items that wait for each other, and how that ends.
extension SyncPlanner {
    struct Wait {
        enum Reason {
            /// The other one has the name here.
            case nameHere
            /// The other one has the name at the provider.
            case nameThere
            case other
        }

        let on: ItemIdentifier
        let reason: Reason
    }

    mutating func wait(_ id: ItemIdentifier, for other: ItemIdentifier, _ reason: Wait.Reason) {
        edges[id] = Wait(on: other, reason: reason)
    }

    /// Two names that change places, or a folder that takes the name of what moves into it, wait for each other: one of
    /// them gets out of the way for a moment.
    mutating func breakCircles() {
        var done: Set<ItemIdentifier> = []
        for start in edges.keys.sorted() where !done.contains(start) {
            var path: [ItemIdentifier] = []
            var next = start
            while let edge = edges[next], done.insert(next).inserted {
                path.append(next)
                next = edge.on
            }
            if let first = path.firstIndex(of: next) { breakCircle(Array(path[first...])) }
        }
    }

    private mutating func breakCircle(_ members: [ItemIdentifier]) {
        for wait in members.compactMap({ edges[$0] }).sorted(by: { $0.on < $1.on }) {
            if getOutOfTheWay(wait) { return }
        }
        takeBack(members)
    }

    private mutating func getOutOfTheWay(_ wait: Wait) -> Bool {
        switch wait.reason {
        case .nameHere:
            guard let node = trees.local[wait.on]?.node,
                let place = freePlace(beside: node.place, mark: "moving", here: true)
            else { return false }
            return emit(.relocateHere(wait.on, from: node.place, to: place, parked: true))
        case .nameThere:
            // It goes on from there to where somebody moved it, or is deleted: others hardly see it.
            guard let there = trees.remote[wait.on]?.node, trees.synced[wait.on]?.place == there.place,
                trees.local[wait.on]?.node?.place != there.place, trees.local[wait.on]?.node?.isParked != true,
                let place = freePlace(beside: there.place, mark: "moving", here: false)
            else { return false }
            return emit(.relocate(wait.on, from: there.place, to: place))
        case .other: return false
        }
    }

    /// Moves made here that wait for each other: one of them is taken back.
    private mutating func takeBack(_ members: [ItemIdentifier]) {
        for id in members.sorted() {
            guard let here = trees.local[id]?.node, let there = trees.remote[id]?.node, here.place != there.place,
                trees.synced[id]?.place == there.place
            else { continue }
            let before = plan.operations.count
            arrive(id, there, from: here)
            if plan.operations.count > before { return }
        }
    }
}
