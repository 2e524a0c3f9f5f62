import DocumentModel
import DocumentSync
import Testing

/// What is fetched ahead of programs that open the documents of a folder one after the other.
struct ReadAheadPlanTests {
    /// A program that opens documents, and a remote that gives what is asked for after so many further opens.
    private struct Folder {
        let folder: ItemIdentifier
        let documents: [ReadAheadPlan.Document]
        var plan = ReadAheadPlan()
        var here: Set<ItemIdentifier> = []
        var onTheirWay: [(id: ItemIdentifier, left: Int)] = []
        var fetched: Set<ItemIdentifier> = []
        var used: Set<ItemIdentifier> = []
        /// How many opens had to wait for what nobody had asked for before.
        var waits = 0
        var now = Duration.zero
        var latency = 0

        init(
            _ count: Int, size: Int64 = 4096, folder: String = "folder", name: (Int) -> String = { "\($0).txt" }
        ) throws {
            self.folder = try ItemIdentifier(folder)
            documents = try (0..<count).map { number in
                ReadAheadPlan.Document(
                    id: try ItemIdentifier("\(folder) \(number)"), name: try ItemName(name(number)), size: size)
            }
        }

        mutating func open(_ document: ReadAheadPlan.Document) {
            now += .milliseconds(5)
            if here.contains(document.id) {
                plan.opened(document.id, at: now)
            } else {
                if !onTheirWay.contains(where: { $0.id == document.id }) { waits += 1 }
                if plan.waits(for: document.id, in: folder, at: now) { look() }
                here.insert(document.id)
            }
            if fetched.contains(document.id) { used.insert(document.id) }
            pump()
        }

        mutating func look() {
            let seen = documents.map { document in
                var document = document
                document.isWanted = !here.contains(document.id)
                return document
            }
            plan.found(ReadAheadOrder(seen), in: folder)
        }

        mutating func pump() {
            for index in onTheirWay.indices.reversed() {
                onTheirWay[index].left -= 1
                if onTheirWay[index].left <= 0 { arrived(index) }
            }
            while let next = plan.next(yielding: false, at: now) {
                onTheirWay.append((next.document.id, latency))
                fetched.insert(next.document.id)
                if latency == 0 { arrived(onTheirWay.count - 1) }
            }
        }

        private mutating func arrived(_ index: Int) {
            let id = onTheirWay.remove(at: index).id
            here.insert(id)
            plan.ended(id, wasFetched: true)
        }
    }

    @Test("DOWN-9: nothing is fetched ahead before two opens that wait, one after the other, in one folder")
    func begins() throws {
        var folder = try Folder(20)
        #expect(folder.plan.next(yielding: false, at: .zero) == nil)
        folder.open(folder.documents[0])
        #expect(folder.fetched.isEmpty)
        folder.now += .seconds(11)
        folder.open(folder.documents[1])
        #expect(folder.fetched.isEmpty, "Later is not one after the other.")
        folder.open(folder.documents[2])
        #expect(folder.fetched == Set(folder.documents[3..<7].map(\.id)))
    }

    @Test(
        "Who opens all documents of a folder waits for the first few only, in whatever order it goes",
        arguments: [50, 1000], ["names", "numbers", "listing", "any"])
    func orders(_ count: Int, _ order: String) throws {
        for latency in [0, 3] {
            var folder = try Folder(count)
            folder.latency = latency
            var documents = folder.documents
            switch order {
            case "names": documents.sort { $0.name.rawValue < $1.name.rawValue }
            case "listing":
                documents.sort { ListingPosition.of($0.name.rawValue) < ListingPosition.of($1.name.rawValue) }
            case "any":
                guard count == 50 else { continue }
                var random = Numbers(seed: 7)
                documents.shuffle(using: &random)
            default: break
            }
            for document in documents { folder.open(document) }
            #expect(folder.waits <= (order == "any" ? count / 2 : 5), "\(folder.waits)")
            #expect(folder.plan.unusedCount == 0)
        }
    }

    @Test("Wrong guesses cost little: who opens a few of many documents at random has few of the others fetched")
    func random() throws {
        for seed in 0..<4 as Range<UInt64> {
            var random = Numbers(seed: seed)
            var folder = try Folder(2000)
            for document in folder.documents.shuffled(using: &random).prefix(600) { folder.open(document) }
            #expect(folder.fetched.subtracting(folder.used).count <= 80, "\(folder.fetched.count)")
        }
    }

    @Test("Each time that guesses were wrong, twice as many opens are needed for the next")
    func distrust() throws {
        var plan = ReadAheadPlan()
        let folder = try ItemIdentifier("folder")
        var (opens, now) = (0, Duration.zero)
        var needed: [Int] = []
        for number in 0..<200 {
            now += .milliseconds(1)
            opens += 1
            // As a program that goes from the last one to the first.
            let name = "\(1000 - number)"
            if plan.waits(for: try ItemIdentifier(name), in: folder, at: now) {
                needed.append(opens)
                let documents = try (0..<900).map { number in
                    ReadAheadPlan.Document(
                        id: try ItemIdentifier("other \(number)"), name: try ItemName("other \(number)"), size: 1)
                }
                let own = ReadAheadPlan.Document(id: try ItemIdentifier(name), name: try ItemName(name), size: 1)
                plan.found(ReadAheadOrder(documents + [own]), in: folder)
                while let next = plan.next(yielding: false, at: now) {
                    plan.ended(next.document.id, wasFetched: true)
                }
                opens = 0
            }
        }
        #expect(needed.first == 2)
        #expect(needed.count < 30 && plan.unusedCount < 80, "\(needed) \(plan.unusedCount)")
    }

    @Test("A program that goes on in the next folder waits for the first document of it only; not half a minute later")
    func nextFolder() throws {
        var first = try Folder(20)
        for document in first.documents { first.open(document) }
        var second = try Folder(20, folder: "second")
        second.plan = first.plan
        second.now = first.now
        for document in second.documents { second.open(document) }
        #expect(second.waits == 1)
        // In the order of a listing, too.
        var listed = try (0..<3).map { try Folder(20, folder: "listed \($0)") }
        for index in listed.indices {
            (listed[index].plan, listed[index].now) = (second.plan, second.now)
            let documents = listed[index].documents.sorted {
                ListingPosition.of($0.name.rawValue) < ListingPosition.of($1.name.rawValue)
            }
            for document in documents { listed[index].open(document) }
            (second.plan, second.now) = (listed[index].plan, listed[index].now)
        }
        #expect(listed[2].waits == 1, "\(listed.map(\.waits))")
        var third = try Folder(20, folder: "third")
        third.plan = second.plan
        third.now = second.now + .seconds(30)
        third.open(third.documents[0])
        #expect(third.fetched.isEmpty)
    }

    @Test("What was fetched and nobody wanted makes for more opens the next time")
    func unused() throws {
        var folder = try Folder(40)
        for document in folder.documents.prefix(2) { folder.open(document) }
        #expect(folder.fetched.count == 4)
        folder.now += .seconds(20)
        var other = try Folder(40, folder: "other")
        (other.plan, other.now) = (folder.plan, folder.now)
        for document in other.documents.prefix(3) { other.open(document) }
        #expect(other.fetched.isEmpty && other.plan.unusedCount == 0)
        other.open(other.documents[3])
        #expect(!other.fetched.isEmpty)
    }

    @Test("While somebody waits for something else, one comes at a time")
    func yields() throws {
        var folder = try Folder(40)
        folder.latency = 1000
        folder.open(folder.documents[0])
        _ = folder.plan.waits(for: folder.documents[1].id, in: folder.folder, at: folder.now)
        folder.look()
        #expect(folder.plan.next(yielding: true, at: folder.now) != nil)
        #expect(folder.plan.next(yielding: true, at: folder.now) == nil)
        #expect(folder.plan.next(yielding: false, at: folder.now) != nil)
        // Who waits for one document of another folder is somebody else; so is not the program that is foreseen.
        let other = try ItemIdentifier("other")
        _ = folder.plan.waits(for: try ItemIdentifier("one"), in: other, at: folder.now)
        #expect(folder.plan.isReading(folder.folder) && !folder.plan.isReading(other))
    }

    @Test("After a failure nothing more is fetched before more opens say so")
    func failure() throws {
        var folder = try Folder(40)
        folder.latency = 1000
        for document in folder.documents.prefix(2) { folder.open(document) }
        try #require(folder.onTheirWay.count == 4)
        for (id, _) in folder.onTheirWay { folder.plan.failed(id) }
        #expect(folder.plan.next(yielding: false, at: folder.now) == nil && folder.plan.underWayCount == 0)
        folder.open(folder.documents[10])
        folder.open(folder.documents[11])
        #expect(folder.plan.underWayCount == 0)
        folder.open(folder.documents[12])
        folder.open(folder.documents[13])
        #expect(folder.plan.underWayCount > 0)
    }

    @Test("What was fetched and not used is bounded, comes so many at once, and each once, whatever happens")
    func bounds() throws {
        var rules = ReadAheadPlan.Rules()
        rules.mostBytes = 100_000
        for seed in 0..<60 as Range<UInt64> {
            var random = Numbers(seed: seed)
            var plan = ReadAheadPlan(rules: rules)
            var now = Duration.zero
            let folders = try (0..<4).map { number in
                try Folder(200, size: .random(in: 0...9000, using: &random), folder: "f\(number)")
            }
            var here: Set<ItemIdentifier> = []
            var underWay: [ItemIdentifier] = []
            var cursor = [0, 0, 0, 0]
            for _ in 0..<400 {
                now += .milliseconds(Int.random(in: 0...20, using: &random) == 0 ? 12_000 : 5)
                let number = Int.random(in: 0..<4, using: &random)
                let folder = folders[number]
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let isJump = Int.random(in: 0..<8, using: &random) == 0
                    cursor[number] = (isJump ? .random(in: 0..<200, using: &random) : cursor[number] + 1) % 200
                    let document = folder.documents[cursor[number]]
                    if here.contains(document.id) {
                        plan.opened(document.id, at: now)
                    } else if plan.waits(for: document.id, in: folder.folder, at: now) {
                        plan.found(
                            ReadAheadOrder(
                                folder.documents.map { document in
                                    var document = document
                                    document.isWanted =
                                        !here.contains(document.id) && document.id.rawValue.hasSuffix("7") == false
                                    return document
                                }), in: folder.folder)
                    }
                    #expect(!plan.isUnused(document.id))
                    if !underWay.contains(document.id) { here.insert(document.id) }
                case 5..<9:
                    if let next = plan.next(yielding: false, at: now) {
                        let id = next.document.id
                        #expect(!here.contains(id) && !underWay.contains(id) && !id.rawValue.hasSuffix("7"))
                        underWay.append(id)
                    }
                default:
                    guard let id = underWay.popLast() else { break }
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: plan.failed(id)
                    case 1: plan.ended(id, wasFetched: false)
                    default:
                        here.insert(id)
                        plan.ended(id, wasFetched: true)
                    }
                }
                #expect(plan.unusedBytes <= rules.mostBytes && plan.unusedBytes >= 0)
                #expect(plan.underWayCount == underWay.count && underWay.count <= rules.mostAtOnce)
            }
            // Nothing is remembered for good.
            for id in underWay { plan.ended(id, wasFetched: true) }
            now += .seconds(100)
            plan.opened(try ItemIdentifier("none"), at: now)
            #expect(plan.isIdle && plan.unusedBytes == 0)
        }
    }
}

/// The same numbers for the same seed, everywhere (SplitMix64).
private struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
