import CoordinationHistories
import DocumentModel
import FileCoordination
import Testing

/// Folders that others move about on the remote, also into what lay in them, while documents are claimed and presented.
@Suite struct RemoteMoveHistoryTests {
    /// Where the items of one history lie by now.
    private struct Tree {
        static let folders = ["a", "b", "c", "d", "e"]
        static let documents = ["1", "2", "3"]
        static let names = folders + documents

        /// The folder that each lies in; nil for the top.
        private(set) var parents: [String: String] = [:]

        func path(of name: String) -> [String] { (parents[name].map { path(of: $0) } ?? []) + [name] }

        func item(_ name: String) throws -> CoordinatedItem {
            let path = path(of: name)
            let around = try path.dropLast().map { CoordinatedItem.Folder(key: try Scene.key($0), isPackage: false) }
            return CoordinatedItem(
                subject: .item(try Scene.key(name)), kind: Self.folders.contains(name) ? .folder : .document,
                enclosing: [CoordinatedItem.Folder(key: try Scene.key(""), isPackage: false)] + around,
                location: Location(domain: try DomainName("work"), components: try path.map { try ItemName($0) }))
        }

        /// Puts one into another folder, which does not lie in it.
        mutating func move(using random: inout SplitMix64) -> String? {
            guard let name = Self.names.randomElement(using: &random),
                let folder = (Self.folders + [""]).randomElement(using: &random), !path(of: folder).contains(name)
            else { return nil }
            parents[name] = folder.isEmpty ? nil : folder
            return name
        }
    }

    @Test(
        "COORD-28: whatever folders others turn inside out, whoever is at something in them follows, and nothing lies in itself"
    )
    func turnedInsideOut() throws {
        for seed in UInt64(0)..<1_000 {
            let complaint = try complaint(about: seed)
            #expect(complaint == nil, "history \(seed)")
            if complaint != nil { return }
        }
    }

    private func complaint(about seed: UInt64) throws -> String? {
        var random = SplitMix64(seed: seed)
        var tree = Tree()
        var machine = CoordinationStateMachine()
        var claims: Set<UInt64> = []
        var presented: [(id: PresenterID, name: String)] = []
        for step in UInt64(1)...60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let name = Tree.names[Int.random(in: 0..<Tree.names.count, using: &random)]
                let intent: ClaimIntent = Bool.random(using: &random) ? .reading : .writing(nil)
                _ = machine.request(
                    Claim(
                        id: ClaimID(step), owner: Scene.alice,
                        intentions: [AccessIntention(try tree.item(name), intent)]))
                claims.insert(step)
            case 1:
                guard let claim = claims.sorted().randomElement(using: &random) else { continue }
                claims.remove(claim)
                _ = machine.end(ClaimID(claim))
            case 2 where presented.count < 8:
                let name = Tree.names[Int.random(in: 0..<Tree.names.count, using: &random)]
                let id = PresenterID(step)
                _ = machine.add(
                    Presenter(
                        id: id, owner: Scene.bob, item: try tree.item(name), capabilities: .all,
                        observedAttributes: [], patience: .seconds(30)))
                presented.append((id, name))
            default:
                // A page of what the remote tells has one or more of them, and they are told of when all are where it says.
                let moved = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in tree.move(using: &random) }
                for name in moved.shuffled(using: &random) {
                    _ = machine.placed(try tree.item(name))
                    if let nested = inItself(presented.map(\.id), of: machine) { return "step \(step): \(nested)" }
                }
                // What lies in them is told of with them.
                for name in Tree.names { _ = machine.placed(try tree.item(name)) }
                for (id, name) in presented {
                    let (known, there) = (machine.presented(by: id), try tree.item(name))
                    if known != there {
                        return "step \(step): \(name) is at \(there.location), known at \(known?.location as Location?)"
                    }
                }
            }
        }
        for claim in claims { _ = machine.end(ClaimID(claim)) }
        for (id, _) in presented { _ = machine.remove(id) }
        return machine.isIdle ? nil : "something is left"
    }

    private func inItself(_ presenters: [PresenterID], of machine: CoordinationStateMachine) -> String? {
        for item in presenters.compactMap({ machine.presented(by: $0) }) {
            let around = item.enclosing.map { CoordinatedItem.Subject.item($0.key) } + [item.subject]
            if Set(around).count < around.count { return "\(item.location) lies in itself" }
        }
        return nil
    }
}
