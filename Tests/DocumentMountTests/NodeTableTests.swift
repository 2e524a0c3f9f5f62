import DocumentModel
import DocumentMount
import Testing

/// The numbers that the kernel knows files and folders by.
@Suite struct NodeTableTests {
    private func name(_ text: String) throws -> ItemName { try ItemName(text) }

    private func look(_ text: String, in folder: UInt64, _ table: inout NodeTable) throws -> UInt64 {
        let number = table.lookUp(try ItemName(text), in: folder)
        return try #require(number)
    }

    @Test func aNumberStandsForALocationWhileTheKernelKnowsIt() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let folder = try look("Reports", in: domain, &table)
        let file = try look("q3.pdf", in: folder, &table)
        #expect(table.place(of: NodeTable.top) == .top)
        #expect(table.place(of: domain) == .item(try Location("work:/")))
        #expect(table.place(of: file) == .item(try Location("work:/Reports/q3.pdf")))
        #expect(table.number(of: try Location("work:/Reports/q3.pdf")) == file)
        #expect(table.location(of: try name("new"), in: folder) == (try Location("work:/Reports/new")))
        #expect(table.location(of: try name("not a domain"), in: NodeTable.top) == nil)
        let again = try look("q3.pdf", in: folder, &table)
        #expect(again == file)
        var isGone = table.forget(file, 1)
        #expect(!isGone)
        isGone = table.forget(file, 1)
        #expect(isGone)
        #expect(table.place(of: file) == nil)
    }

    @Test func aNumberThatSomebodyElseKeepsOutlivesTheKernelsKnowledge() throws {
        var table = NodeTable()
        let name = try ItemName("work")
        let first = table.lookUp(name, in: NodeTable.top)
        let number = try #require(first)
        table.keep(number)
        var isGone = table.forget(number, 1)
        #expect(!isGone)
        let second = table.lookUp(name, in: NodeTable.top)
        #expect(second == number)
        table.forget(number, 1)
        isGone = table.forget(number, 1)
        #expect(isGone)
        let third = table.lookUp(name, in: NodeTable.top)
        #expect(third != number)
    }

    @Test func aFolderIsKeptForWhatIsBelowIt() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let folder = try look("Reports", in: domain, &table)
        let file = try look("q3.pdf", in: folder, &table)
        table.forget(folder, 1)
        table.forget(domain, 1)
        #expect(table.place(of: file) == .item(try Location("work:/Reports/q3.pdf")))
        table.forget(file, 1)
        #expect(table.count == 1)
    }

    @Test func whatIsBelowAFolderMovesWithIt() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let folder = try look("Reports", in: domain, &table)
        let file = try look("q3.pdf", in: folder, &table)
        table.move(folder, to: try name("Old"), in: domain)
        #expect(table.place(of: file) == .item(try Location("work:/Old/q3.pdf")))
        #expect(table.number(of: try Location("work:/Reports")) == nil)
        // Into itself: nothing happens.
        table.move(folder, to: try name("x"), in: folder)
        #expect(table.place(of: file) == .item(try Location("work:/Old/q3.pdf")))
    }

    @Test func whatWasReplacedOrRemovedHasNoPlaceAndKeepsItsNumber() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let new = try look("new", in: domain, &table)
        let old = try look("old", in: domain, &table)
        table.move(new, to: try name("old"), in: domain)
        #expect(table.place(of: new) == .item(try Location("work:/old")))
        #expect(table.place(of: old) == nil)
        table.remove(new)
        #expect(table.place(of: new) == nil)
        let again = try look("old", in: domain, &table)
        #expect(again != new && again != old)
        for number in [new, old, again] {
            let isGone = table.forget(number, 1)
            #expect(isGone)
        }
        table.forget(domain, 1)
        #expect(table.count == 1)
    }

    private func identity(_ id: String) throws -> NodeTable.Identity {
        NodeTable.Identity(id: try ItemIdentifier(id), isFolder: false)
    }

    @Test func anotherItemUnderANameGetsANumberOfItsOwn() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let first = table.lookUp(try name("a"), in: domain, as: try identity("1"), inode: 11, at: 0)
        let again = table.lookUp(try name("a"), in: domain, as: try identity("1"), inode: 12, at: 0)
        let other = table.lookUp(try name("a"), in: domain, as: try identity("2"), inode: 13, at: 0)
        #expect(first?.number == again?.number)
        #expect(first?.inode == 11 && again?.inode == 11 && other?.inode == 13)
        #expect(other?.number != first?.number)
        #expect(table.place(of: try #require(first).number) == nil)
    }

    @Test func whatAProgramHasMadeKeepsItsNumberWhenItsProviderNamesItAndWhenItReplacesAnother() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let made = table.made(try name("a.tmp"), in: domain, as: try identity("new"), inode: 11)
        let known = table.lookUp(try name("a.tmp"), in: domain, as: try identity("1"), inode: 12, at: table.changes)
        #expect(made?.number == known?.number && known?.inode == 11)
        let old = table.lookUp(try name("a"), in: domain, as: try identity("2"), inode: 13, at: table.changes)
        table.renamed(
            try name("a.tmp"), in: domain, to: try name("a"), in: domain, replacing: try ItemIdentifier("2"))
        let now = table.lookUp(try name("a"), in: domain, as: try identity("2"), inode: 14, at: table.changes)
        #expect(now?.number == made?.number && now?.inode == 11)
        #expect(table.place(of: try #require(old).number) == nil)
    }

    @Test func whoHasLookedBeforeAProgramChangedSomethingLooksAgain() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        _ = table.lookUp(try name("a"), in: domain, as: try identity("1"), inode: 11, at: 0)
        let before = table.changes
        table.removed(try name("a"), in: domain)
        let made = table.made(try name("a"), in: domain, as: try identity("2"), inode: 12)
        let stale = table.lookUp(try name("a"), in: domain, as: try identity("3"), inode: 13, at: before)
        #expect(stale == nil)
        #expect(table.number(of: try name("a"), in: domain) == made?.number)
    }

    /// As where identifiers are paths.
    @Test func twoItemsAreNeverShownByOneNumberAlsoWhenOneHasTheIdentifierThatTheOtherHad() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let moved = table.lookUp(try name("a"), in: domain, as: try identity("a"), inode: 11, at: table.changes)
        table.renamed(try name("a"), in: domain, to: try name("b"), in: domain)
        let listed = table.inodes(of: [(try name("a"), 11)], in: domain).first
        let another = table.lookUp(try name("a"), in: domain, as: try identity("a"), inode: 11, at: table.changes)
        let inode = try #require(another?.inode)
        #expect(moved?.inode == 11 && inode != 11 && listed == inode)
        let again = table.lookUp(try name("a"), in: domain, as: try identity("a"), inode: 11, at: table.changes)
        #expect(again?.inode == inode)
        // Removed, and still open.
        table.removed(try name("a"), in: domain)
        let third = table.lookUp(try name("a"), in: domain, as: try identity("a"), inode: 11, at: table.changes)
        #expect(third?.inode != inode && third?.inode != 11 && third != nil)
    }

    @Test func whatAProgramHasMadeIsShownByItsNumberAlsoWhenTheKernelHasForgottenIt() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let found = table.made(try name("a"), in: domain, as: try identity("new"), inode: 11)
        let made = try #require(found)
        let seen = table.found(made.number, as: try identity("1"), inode: 12, at: table.changes)
        table.forget(made.number, 1)
        let listed = table.inodes(of: [(try name("a"), 12)], in: domain).first
        let again = table.lookUp(try name("a"), in: domain, as: try identity("1"), inode: 12, at: table.changes)
        #expect(seen == 11 && listed == 11 && again?.inode == 11 && again?.number != made.number)
        // Looked at before a program changed something, it may be something else.
        let second = table.made(try name("b"), in: domain, as: try identity("newer"), inode: 13)
        let late = table.found(try #require(second).number, as: try identity("2"), inode: 14, at: table.changes - 1)
        table.forget(try #require(second).number, 1)
        let other = table.lookUp(try name("c"), in: domain, as: try identity("2"), inode: 14, at: table.changes)
        #expect(late == 13 && other?.inode == 14)
    }

    /// Without having the kernel know them.
    @Test func theNamesOfAListingHaveEachAnotherNumberAndKeepItWhenTheKernelIsToldOfThem() throws {
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let (one, other) = (try name("a"), try name("b"))
        let made = try #require(table.made(one, in: domain, as: try identity("new"), inode: 11))
        _ = table.found(made.number, as: try identity("1"), inode: 12, at: table.changes)
        table.forget(made.number, 1)
        // The second one has an identifier that the first one was made with.
        let listed = table.inodes(of: [(one, 12), (other, 11)], in: domain)
        #expect(listed.first == 11 && listed.last != 11)
        let second = table.lookUp(other, in: domain, as: try identity("new"), inode: 11, at: table.changes)
        let first = table.lookUp(one, in: domain, as: try identity("1"), inode: 12, at: table.changes)
        #expect([first?.inode, second?.inode] == listed)
        #expect(table.inodes(of: [(one, 12), (other, 11)], in: domain) == listed)
    }

    @Test(arguments: 0..<50) func inARandomHistoryNoTwoAreShownByOneNumber(_ seed: UInt64) throws {
        var generator = SeededNumbers(seed: seed)
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let names = try ["a", "b", "c", "d"].map { try name($0) }
        for _ in 0..<300 {
            let (one, other) = (names[generator.below(4)], names[generator.below(4)])
            let item = generator.below(6)
            let found = try identity("\(item)")
            let inode = UInt64(11 + item)
            let numbers = table.numbers.filter { $0 != domain }.sorted()
            switch generator.below(6) {
            case 0, 1: _ = table.lookUp(one, in: domain, as: found, inode: inode, at: table.changes)
            case 2: table.renamed(one, in: domain, to: other, in: domain)
            case 3: table.removed(one, in: domain)
            case 4: _ = table.made(one, in: domain, as: found, inode: inode)
            default:
                guard !numbers.isEmpty else { continue }
                let number = numbers[generator.below(numbers.count)]
                _ = table.found(number, as: found, inode: inode, at: table.changes)
                table.forget(number, 1)
            }
            let shown = table.numbers.compactMap { table.inode(of: $0) }
            #expect(Set(shown).count == shown.count)
            let listed = table.inodes(of: names.enumerated().map { ($1, UInt64(11 + $0)) }, in: domain)
            #expect(Set(listed).count == names.count)
            for (name, inode) in zip(names, listed) where table.number(of: name, in: domain) == nil {
                #expect(!shown.contains(inode))
            }
        }
    }

    /// Against a table that is nothing but a dictionary of paths.
    @Test(arguments: 0..<50) func aRandomHistoryLeavesWhatAPlainModelSays(_ seed: UInt64) throws {
        var generator = SeededNumbers(seed: seed)
        var table = NodeTable()
        let domain = try look("work", in: NodeTable.top, &table)
        let work = try DomainName("work")
        let names = try ["a", "b", "c"].map { try ItemName($0) }
        var paths: [UInt64: [ItemName]?] = [domain: []]
        var lookups: [UInt64: UInt64] = [domain: 1]
        for _ in 0..<300 {
            let known = lookups.keys.filter { lookups[$0, default: 0] > 0 }.sorted()
            let folder = known[generator.below(known.count)]
            let other = known[generator.below(known.count)]
            let name = names[generator.below(names.count)]
            switch generator.below(4) {
            case 0, 1:
                guard let around = paths[folder] ?? nil, around.count < 6 else { continue }
                let found = table.lookUp(name, in: folder)
                let number = try #require(found)
                #expect(paths[number] == nil || paths[number] == around + [name])
                paths[number] = around + [name]
                lookups[number, default: 0] += 1
            case 2:
                guard other != domain, let from = paths[other] ?? nil, let around = paths[folder] ?? nil,
                    !around.starts(with: from), around + [name] != from
                else { continue }
                table.move(other, to: name, in: folder)
                for (number, path) in paths {
                    guard let path, !path.starts(with: from) else { continue }
                    if path.starts(with: around + [name]) { paths[number] = .some(nil) }
                }
                for (number, path) in paths {
                    guard let path, path.starts(with: from) else { continue }
                    paths[number] = around + [name] + path.dropFirst(from.count)
                }
            default:
                guard other != domain else { continue }
                table.forget(other, 1)
                lookups[other, default: 1] -= 1
            }
            for (number, count) in lookups where count > 0 {
                let path = try #require(paths[number])
                let expected = path.map { NodeTable.Place.item(Location(domain: work, components: $0)) }
                #expect(table.place(of: number) == expected)
            }
        }
        for (number, count) in lookups { table.forget(number, count) }
        #expect(table.count == 1)
    }
}

/// The same numbers for the same seed.
struct SeededNumbers {
    var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}
