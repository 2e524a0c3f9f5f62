/// The claims and presenters at each item, and what lies inside what: only of items that somebody claims or presents,
/// and of the folders around them. What a claim meets is found without looking at any other.
struct CoordinationTree: Sendable {
    typealias Subject = CoordinatedItem.Subject

    struct Node: Sendable {
        var parent: Subject?
        var children: Set<Subject> = []
        var readers: Set<ClaimID> = []
        var writers: Set<ClaimID> = []
        /// Those of the writers that also exclude claims inside (COORD-3, COORD-4).
        var covering: Set<ClaimID> = []
        /// In the order of their registration.
        var presenters: [PresenterID] = []

        var isUnused: Bool { children.isEmpty && readers.isEmpty && writers.isEmpty && presenters.isEmpty }
    }

    private(set) var nodes: [Subject: Node] = [:]

    subscript(_ subject: Subject) -> Node? { nodes[subject] }

    mutating func insert(_ claim: ClaimID, _ intention: AccessIntention) {
        let subject = intention.item.claimed
        makeNode(subject, in: intention.item.aroundClaimed)
        if intention.intent.isWriting {
            nodes[subject]?.writers.insert(claim)
            if intention.covers { nodes[subject]?.covering.insert(claim) }
        } else {
            nodes[subject]?.readers.insert(claim)
        }
    }

    mutating func remove(_ claim: ClaimID, _ intention: AccessIntention) {
        let subject = intention.item.claimed
        if intention.intent.isWriting {
            nodes[subject]?.writers.remove(claim)
            if intention.covers { nodes[subject]?.covering.remove(claim) }
        } else {
            nodes[subject]?.readers.remove(claim)
        }
        prune(subject)
    }

    mutating func insert(_ presenter: PresenterID, at item: CoordinatedItem) {
        makeNode(item.subject, in: item.enclosing[...])
        nodes[item.subject]?.presenters.append(presenter)
    }

    mutating func remove(_ presenter: PresenterID, at item: CoordinatedItem) {
        nodes[item.subject]?.presenters.removeAll { $0 == presenter }
        prune(item.subject)
    }

    /// Calls the closure with everything strictly inside, until it returns false.
    func forEachInside(_ subject: Subject, _ body: (Node) -> Bool) {
        var pending = Array(nodes[subject]?.children ?? [])
        while let next = pending.popLast() {
            guard let node = nodes[next] else { continue }
            guard body(node) else { return }
            pending += node.children
        }
    }

    func presentersInside(_ subject: Subject) -> [PresenterID] {
        var found: [PresenterID] = []
        forEachInside(subject) { node in
            found += node.presenters
            return true
        }
        return found.sorted()
    }

    private mutating func makeNode(_ subject: Subject, in around: ArraySlice<CoordinatedItem.Folder>) {
        guard nodes[subject] == nil else { return }
        var child = subject
        for folder in around.reversed() {
            nodes[child] = Node(parent: folder.subject, children: nodes[child]?.children ?? [])
            let isKnown = nodes[folder.subject] != nil
            nodes[folder.subject, default: Node()].children.insert(child)
            if isKnown { return }
            child = folder.subject
        }
        if nodes[child] == nil { nodes[child] = Node() }
    }

    private mutating func prune(_ subject: Subject) {
        var next: Subject? = subject
        while let subject = next, let node = nodes[subject], node.isUnused {
            nodes[subject] = nil
            next = node.parent
            if let parent = node.parent { nodes[parent]?.children.remove(subject) }
        }
    }
}
