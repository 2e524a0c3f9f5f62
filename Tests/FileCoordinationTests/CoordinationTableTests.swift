import DocumentModel
import FileCoordination
import Testing

/// Every option against every other one: who waits, and what presenters are told. The table is written down, not
/// worked out: it is the rules COORD-1 to COORD-23 a second time, in other words than the machine's.
@Suite struct CoordinationTableTests {
    /// How the second item lies to the first.
    enum Relation: String, CaseIterable {
        /// The second is the first, a plain folder.
        case same
        /// The second is the first, a plain document.
        case sameDocument
        /// The second lies inside the first, a plain folder.
        case inside
        /// The second is the plain folder that the first lies in.
        case around
        /// The second is the package that the first lies in.
        case package
        /// The second lies in the first, a package.
        case partOfPackage
        /// The two lie in one package.
        case inPackage
        /// The second lies in a package that lies inside the first, a plain folder.
        case insidePackageOfFolder
        /// The second is the plain folder around the package that the first lies in.
        case folderAroundPart
        case unrelated

        /// Where the two are.
        var paths: (first: String, second: String) {
            switch self {
            case .same: ("f/", "f/")
            case .sameDocument: ("f/a", "f/a")
            case .inside: ("f/", "f/a")
            case .around: ("f/a", "f/")
            case .package: ("p.pkg/a", "p.pkg/")
            case .partOfPackage: ("p.pkg/", "p.pkg/a")
            case .inPackage: ("p.pkg/a", "p.pkg/b")
            case .insidePackageOfFolder: ("f/", "f/q.pkg/a")
            case .folderAroundPart: ("f/q.pkg/a", "f/")
            case .unrelated: ("f/a", "g/a")
            }
        }
    }

    static let intents: [(name: String, intent: ClaimIntent)] = [
        ("read", .reading), ("read withoutChanges", .reading(.withoutChanges)),
        ("read resolvesSymbolicLink", .reading(.resolvesSymbolicLink)),
        ("read immediatelyAvailableMetadataOnly", .reading(.immediatelyAvailableMetadataOnly)),
        ("read withoutChanges, metadata only", .reading([.withoutChanges, .immediatelyAvailableMetadataOnly])),
        ("write", .writing(nil)), ("write forMerging", .writing(.forMerging)),
        ("write contentIndependentMetadataOnly", .writing(.contentIndependentMetadataOnly)),
        ("write forDeleting", .writing(.forDeleting)), ("write forReplacing", .writing(.forReplacing)),
        ("write forMoving", .writing(.forMoving)), ("read forUploading", .reading(.forUploading)),
        ("read withoutChanges, forUploading", .reading([.withoutChanges, .forUploading])), ("evict", .evicting),
    ]

    /// For each second access a row; in it, for each relation, whether it waits (w) or goes on (-) when the first access
    /// is: read, write, forMerging, metadata only, forDeleting, forReplacing, forMoving, read forUploading, evict. Who reads for
    /// uploading is read a snapshot, and nobody waits for it any more (COORD-14).
    static let firsts = [
        "read", "write", "write forMerging", "write contentIndependentMetadataOnly", "write forDeleting",
        "write forReplacing", "write forMoving", "read forUploading", "evict",
    ]
    static let waits: [(second: String, [Relation: String])] = {
        let reading: [Relation: String] = [
            .same: "-wwwwww-w", .inside: "----www-w", .around: "---------", .package: "-wwwwww-w",
            .unrelated: "---------", .sameDocument: "-wwwwww-w", .inPackage: "-wwwwww-w",
            .partOfPackage: "-wwwwww-w", .insidePackageOfFolder: "----www-w", .folderAroundPart: "---------",
        ]
        let writing: [Relation: String] = [
            .same: "wwwwwww-w", .inside: "----www-w", .around: "---------", .package: "wwwwwww-w",
            .unrelated: "---------", .sameDocument: "wwwwwww-w", .inPackage: "wwwwwww-w",
            .partOfPackage: "wwwwwww-w", .insidePackageOfFolder: "----www-w", .folderAroundPart: "---------",
        ]
        let covering: [Relation: String] = [
            .same: "wwwwwww-w", .inside: "----www-w", .around: "wwwwwww-w", .package: "wwwwwww-w",
            .unrelated: "---------", .sameDocument: "wwwwwww-w", .inPackage: "wwwwwww-w",
            .partOfPackage: "wwwwwww-w", .insidePackageOfFolder: "----www-w", .folderAroundPart: "wwwwwww-w",
        ]
        return [
            ("read", reading), ("read withoutChanges", reading), ("read resolvesSymbolicLink", reading),
            ("read immediatelyAvailableMetadataOnly", reading), ("read withoutChanges, metadata only", reading),
            ("write", writing), ("write forMerging", writing),
            ("write contentIndependentMetadataOnly", writing), ("write forDeleting", covering),
            ("write forReplacing", covering), ("write forMoving", covering), ("read forUploading", reading),
            ("read withoutChanges, forUploading", reading), ("evict", covering),
        ]
    }()

    static let cells: [(second: String, relation: Relation, first: String, waits: Bool)] = waits.flatMap { row in
        Relation.allCases.flatMap { relation in
            zip(firsts, row.1[relation] ?? "").map { (row.second, relation, $0, $1 == "w") }
        }
    }

    @Test("The table has at least 240 cells, of either purpose")
    func size() {
        #expect(Self.cells.count == 1_260)
        #expect(Self.waits.map(\.second) == Self.intents.map(\.name))
    }

    /// Who presents what while the cells are gone through; each hears everything.
    static let presenters = ["f": "f/", "a": "f/a", "P": "p.pkg/", "c": "p.pkg/a", "d": "p.pkg/b", "b": "g/a"]

    /// What they hear of an access to each of the places before its accessor runs, and after it: by the kind of access.
    static let heard: [(accesses: [String], [String: (before: [String], after: [String])])] = [
        (
            ["read", "read resolvesSymbolicLink", "read immediatelyAvailableMetadataOnly"],
            [
                "f/": (["f reader", "f save"], ["f reacquire"]),
                "f/a": (["a reader", "a save"], ["a reacquire"]),
                "p.pkg/": (["P reader", "P save"], ["P reacquire"]),
                "p.pkg/a": (["c reader", "P reader", "c save", "P save"], ["c reacquire", "P reacquire"]),
                "p.pkg/b": (["d reader", "P reader", "d save", "P save"], ["d reacquire", "P reacquire"]),
                "g/a": (["b reader", "b save"], ["b reacquire"]),
                "f/q.pkg/a": ([], []),
            ]
        ),
        (
            ["read withoutChanges", "read withoutChanges, metadata only"],
            [
                "f/": (["f reader"], ["f reacquire"]), "f/a": (["a reader"], ["a reacquire"]),
                "p.pkg/": (["P reader"], ["P reacquire"]),
                "p.pkg/a": (["c reader", "P reader"], ["c reacquire", "P reacquire"]),
                "p.pkg/b": (["d reader", "P reader"], ["d reacquire", "P reacquire"]),
                "g/a": (["b reader"], ["b reacquire"]),
                "f/q.pkg/a": ([], []),
            ]
        ),
        (
            ["write", "write contentIndependentMetadataOnly"],
            [
                "f/": (["f writer"], ["f reacquire"]),
                "f/a": (["a writer"], ["a changed", "f changed f/a", "a reacquire"]),
                "p.pkg/": (["P writer"], ["P changed", "P reacquire"]),
                "p.pkg/a": (
                    ["c writer", "P writer"], ["c changed", "P changed p.pkg/a", "c reacquire", "P reacquire"]
                ),
                "p.pkg/b": (
                    ["d writer", "P writer"], ["d changed", "P changed p.pkg/b", "d reacquire", "P reacquire"]
                ),
                "g/a": (["b writer"], ["b changed", "b reacquire"]),
                "f/q.pkg/a": ([], ["f changed f/q.pkg/a"]),
            ]
        ),
        (
            ["write forMerging"],
            [
                "f/": (["f writer", "f save"], ["f reacquire"]),
                "f/a": (["a writer", "a save"], ["a changed", "f changed f/a", "a reacquire"]),
                "p.pkg/": (["P writer", "P save"], ["P changed", "P reacquire"]),
                "p.pkg/a": (
                    ["c writer", "P writer", "c save", "P save"],
                    ["c changed", "P changed p.pkg/a", "c reacquire", "P reacquire"]
                ),
                "p.pkg/b": (
                    ["d writer", "P writer", "d save", "P save"],
                    ["d changed", "P changed p.pkg/b", "d reacquire", "P reacquire"]
                ),
                "g/a": (["b writer", "b save"], ["b changed", "b reacquire"]),
                "f/q.pkg/a": ([], ["f changed f/q.pkg/a"]),
            ]
        ),
        (
            ["write forDeleting", "write forReplacing"],
            [
                "f/": (["f writer", "a writer", "f deletion", "a deletion"], ["f reacquire", "a reacquire"]),
                "f/a": (["a writer", "a deletion"], ["a changed", "f changed f/a", "a reacquire"]),
                "p.pkg/": (
                    ["P writer", "c writer", "d writer", "P deletion", "c deletion", "d deletion"],
                    ["P changed", "P reacquire", "c reacquire", "d reacquire"]
                ),
                "p.pkg/a": (
                    ["c writer", "P writer", "c deletion", "P deletion of p.pkg/a"],
                    ["c changed", "P changed p.pkg/a", "c reacquire", "P reacquire"]
                ),
                "p.pkg/b": (
                    ["d writer", "P writer", "d deletion", "P deletion of p.pkg/b"],
                    ["d changed", "P changed p.pkg/b", "d reacquire", "P reacquire"]
                ),
                "g/a": (["b writer", "b deletion"], ["b changed", "b reacquire"]),
                "f/q.pkg/a": ([], ["f changed f/q.pkg/a"]),
            ]
        ),
        (
            ["write forMoving"],
            [
                "f/": (["f writer", "a writer"], ["f reacquire", "a reacquire"]),
                "f/a": (["a writer"], ["a reacquire"]),
                "p.pkg/": (["P writer", "c writer", "d writer"], ["P reacquire", "c reacquire", "d reacquire"]),
                "p.pkg/a": (["c writer", "P writer"], ["c reacquire", "P reacquire"]),
                "p.pkg/b": (["d writer", "P writer"], ["d reacquire", "P reacquire"]),
                "g/a": (["b writer"], ["b reacquire"]),
                "f/q.pkg/a": ([], []),
            ]
        ),
        (
            // The item is given back as soon as its snapshot is made.
            ["read forUploading"],
            [
                "f/": (["f reader", "f save", "f reacquire"], []), "f/a": (["a reader", "a save", "a reacquire"], []),
                "p.pkg/": (["P reader", "P save", "P reacquire"], []),
                "p.pkg/a": (
                    ["c reader", "P reader", "c save", "P save", "c reacquire", "P reacquire"], []
                ),
                "p.pkg/b": (
                    ["d reader", "P reader", "d save", "P save", "d reacquire", "P reacquire"], []
                ),
                "g/a": (["b reader", "b save", "b reacquire"], []),
                "f/q.pkg/a": ([], []),
            ]
        ),
        (
            ["read withoutChanges, forUploading"],
            [
                "f/": (["f reader", "f reacquire"], []), "f/a": (["a reader", "a reacquire"], []),
                "p.pkg/": (["P reader", "P reacquire"], []),
                "p.pkg/a": (["c reader", "P reader", "c reacquire", "P reacquire"], []),
                "p.pkg/b": (["d reader", "P reader", "d reacquire", "P reacquire"], []),
                "g/a": (["b reader", "b reacquire"], []), "f/q.pkg/a": ([], []),
            ]
        ),
        (
            ["evict"],
            [
                "f/": (["f eviction", "a eviction"], []), "f/a": (["a eviction"], []),
                "p.pkg/": (["P eviction", "c eviction", "d eviction"], []),
                "p.pkg/a": (["c eviction", "P eviction"], []), "p.pkg/b": (["d eviction", "P eviction"], []),
                "g/a": (["b eviction"], []),
                "f/q.pkg/a": ([], []),
            ]
        ),
    ]

    @Test(
        "COORD-1 to COORD-6, COORD-14, COORD-41, COORD-22 to COORD-26: who waits, and the exact messages, in 1,260 cells of other purposes and as many of the same purpose"
    )
    func cells() throws {
        for cell in Self.cells {
            let paths = cell.relation.paths
            let first = try Self.heard(of: cell.first, at: paths.first)
            let second = try Self.heard(of: cell.second, at: paths.second)
            for purpose in [nil, Purpose.identifier("p")] {
                var scene = Scene()
                for (name, path) in Self.presenters.sorted(by: { $0.key < $1.key }) { try scene.present(name, path) }
                let waits = cell.waits && purpose == nil
                let name =
                    "\(cell.second) while \(cell.first), \(cell.relation), \(purpose == nil ? "other" : "same") purpose"
                try scene.request(1, Scene.alice, Self.intent(cell.first), paths.first, purpose: purpose)
                Self.expect(scene.news(), first.before + ["grant 1"], name)
                try scene.request(2, Scene.bob, Self.intent(cell.second), paths.second, purpose: purpose)
                // Nobody is asked before it is its turn.
                Self.expect(scene.news(), waits ? [] : second.before + ["grant 2"], name)
                scene.end(1)
                Self.expect(
                    scene.news(), first.after + (waits ? second.before + ["grant 2"] : []),
                    "\(name): after the first has ended")
                scene.end(2)
                Self.expect(scene.news(), second.after, "\(name): after the second has ended")
                #expect(scene.machine.heldCount + scene.machine.waitingCount == 0, "\(name)")
            }
        }
    }

    private static func heard(of access: String, at path: String) throws -> (before: [String], after: [String]) {
        let row = try #require(heard.first { $0.accesses.contains(access) })
        return try #require(row.1[path])
    }

    /// What each presenter hears is exactly this, in this order, and on the same side of each grant; between presenters
    /// no order is promised.
    private static func expect(_ news: [String], _ expected: [String], _ comment: String) {
        func told(_ news: [String]) -> [String: [String]] {
            Dictionary(
                uniqueKeysWithValues: presenters.keys.map { name in
                    (name, news.filter { $0.hasPrefix("grant") || $0.hasPrefix(name + " ") })
                })
        }
        #expect(told(news) == told(expected), "\(comment)")
    }

    /// What presenters hear of a single access, before its accessor and after: presenters of the item (I), of something
    /// inside it (i), of the package around (P) and of the folder around (F).
    static let told: [(access: String, item: String, before: [String], after: [String])] = [
        ("read", "f/a", ["I reader", "I save"], ["I reacquire"]),
        ("read withoutChanges", "f/a", ["I reader"], ["I reacquire"]),
        ("read resolvesSymbolicLink", "f/a", ["I reader", "I save"], ["I reacquire"]),
        ("read immediatelyAvailableMetadataOnly", "f/a", ["I reader", "I save"], ["I reacquire"]),
        ("write", "f/a", ["I writer"], ["I changed", "F changed f/a", "I reacquire"]),
        ("write forMerging", "f/a", ["I writer", "I save"], ["I changed", "F changed f/a", "I reacquire"]),
        (
            "write contentIndependentMetadataOnly", "f/a", ["I writer"], ["I changed", "F changed f/a", "I reacquire"]
        ),
        ("write forDeleting", "f/a", ["I writer", "I deletion"], ["I changed", "F changed f/a", "I reacquire"]),
        ("write forReplacing", "f/a", ["I writer", "I deletion"], ["I changed", "F changed f/a", "I reacquire"]),
        ("write forMoving", "f/a", ["I writer"], ["I reacquire"]),
        ("read", "f/d/", ["I reader", "I save"], ["I reacquire"]),
        ("read withoutChanges", "f/d/", ["I reader"], ["I reacquire"]),
        ("write", "f/d/", ["I writer"], ["F changed f/d", "I reacquire"]),
        ("write forMerging", "f/d/", ["I writer", "I save"], ["F changed f/d", "I reacquire"]),
        (
            "write forDeleting", "f/d/", ["I writer", "i writer", "I deletion", "i deletion"],
            ["F changed f/d", "I reacquire", "i reacquire"]
        ),
        (
            "write forReplacing", "f/d/", ["I writer", "i writer", "I deletion", "i deletion"],
            ["F changed f/d", "I reacquire", "i reacquire"]
        ),
        ("write forMoving", "f/d/", ["I writer", "i writer"], ["I reacquire", "i reacquire"]),
        ("read", "f/p.pkg/a", ["I reader", "P reader", "I save", "P save"], ["I reacquire", "P reacquire"]),
        ("read withoutChanges", "f/p.pkg/a", ["I reader", "P reader"], ["I reacquire", "P reacquire"]),
        (
            "write", "f/p.pkg/a", ["I writer", "P writer"],
            ["I changed", "P changed f/p.pkg/a", "F changed f/p.pkg/a", "I reacquire", "P reacquire"]
        ),
        (
            "write forMerging", "f/p.pkg/a", ["I writer", "P writer", "I save", "P save"],
            ["I changed", "P changed f/p.pkg/a", "F changed f/p.pkg/a", "I reacquire", "P reacquire"]
        ),
        (
            "write forDeleting", "f/p.pkg/a",
            ["I writer", "P writer", "I deletion", "P deletion of f/p.pkg/a"],
            ["I changed", "P changed f/p.pkg/a", "F changed f/p.pkg/a", "I reacquire", "P reacquire"]
        ),
        ("write forMoving", "f/p.pkg/a", ["I writer", "P writer"], ["I reacquire", "P reacquire"]),
    ]

    @Test("COORD-22 to COORD-26: the exact messages of each access, in order", arguments: 0..<23)
    func messages(index: Int) throws {
        let row = Self.told[index]
        for waits in [false, true] {
            var scene = Scene()
            let folder: PresenterCapabilities = [.subitems]
            try scene.present("I", row.item)
            if row.item.hasSuffix("d/") { try scene.present("i", "f/d/x") }
            try scene.present("P", "f/p.pkg/")
            try scene.present("F", "f/", folder)
            // The same messages come when it first had to wait, and not before it is its turn.
            if waits { try scene.request(9, Scene.carol, .writing(nil), row.item) }
            _ = scene.news()
            try scene.request(1, Scene.alice, Self.intent(row.access), row.item)
            if waits {
                #expect(scene.news() == [], "nobody is asked before it is its turn")
                scene.end(9, [.unchanged])
                #expect(
                    Self.sorted(scene.news().filter { !$0.hasSuffix("reacquire") })
                        == Self.sorted(row.before + ["grant 1"]))
            } else {
                #expect(scene.news() == row.before + ["grant 1"], "\(row.access) of \(row.item)")
            }
            scene.end(1)
            #expect(Self.sorted(scene.news()) == Self.sorted(row.after), "after \(row.access) of \(row.item)")
        }
    }

    /// Between presenters no order is promised; for each one it is.
    private static func sorted(_ news: [String]) -> [String: [String]] {
        Dictionary(grouping: news) { String($0.prefix { $0 != " " }) }
    }

    private static func intent(_ name: String) throws -> ClaimIntent {
        try #require(intents.first { $0.name == name }).intent
    }
}
