import DocumentMount
import Testing

/// Which files the kernel reads by itself.
@Suite struct PassthroughTableTests {
    private typealias Table = PassthroughTable<String>

    @Test func whatIsReadTheKernelReadsByItselfUntilTheLastProgramHasClosedIt() {
        var table = Table()
        let ways = [table.open(1, "a", for: .reading) { 7 }, table.open(1, "a", for: .reading) { 8 }]
        #expect(ways == [.file(7), .file(7)])
        let names = [table.close(1), table.close(1)]
        #expect(names == [nil, 7])
        #expect(table.isEmpty)
    }

    @Test func whatIsWrittenOrComesIsAskedForAlsoWhereOthersReadTheFile() {
        var table = Table()
        let first = [table.open(1, "a", for: .watching) { 7 }, table.open(1, "a", for: .reading) { 7 }]
        #expect(first == [.pages, .pages], "never both")
        _ = table.close(1)
        _ = table.close(1)
        let second = [table.open(1, "a", for: .reading) { 7 }, table.open(1, "a", for: .watching) { 8 }]
        #expect(second == [.file(7), .asked(7)])
    }

    @Test func anotherFileNeedsAnotherNumberWhileTheFirstIsRead() {
        var table = Table()
        _ = table.open(1, "a", for: .reading) { 7 }
        let others = [table.open(1, "b", for: .reading) { 8 }, table.open(1, "b", for: .watching) { 8 }]
        #expect(others == [nil, nil])
        let elsewhere = table.open(2, "b", for: .reading) { 8 }
        #expect(elsewhere == .file(8))
        let name = table.close(1)
        #expect(name == 7)
        let after = table.open(1, "b", for: .reading) { 9 }
        #expect(after == .file(9))
    }

    @Test func whereTheKernelTakesNoFileItHasPages() {
        var table = Table()
        let ways = [table.open(1, "a", for: .reading) { nil }, table.open(1, "a", for: .reading) { 7 }]
        #expect(ways == [.pages, .pages])
        let other = table.open(1, "b", for: .reading) { 7 }
        #expect(other == nil, "it would get the first one's pages")
        // The last one is of nothing that is open.
        let names = [table.close(1), table.close(1), table.close(1)]
        #expect(names == [nil, nil, nil])
        #expect(table.isEmpty)
    }

    /// As the kernel decides it (fuse_file_io_open), which has closed a file before we hear of that.
    private struct Kernel {
        var cached = 0
        var backing: Int32?
        var direct = 0

        mutating func open(_ way: Table.Way) -> Bool {
            switch way {
            case .pages:
                guard backing == nil else { return false }
                cached += 1
            case .file(let name), .asked(let name):
                guard cached == 0, backing ?? name == name else { return false }
                backing = name
                direct += 1
            }
            return true
        }

        mutating func close(_ way: Table.Way) {
            if case .pages = way {
                cached -= 1
            } else {
                direct -= 1
                if direct == 0 { backing = nil }
            }
        }
    }

    @Test(
        "Whatever is opened and closed, in any order, the kernel takes each answer, and each file's name is taken back once",
        arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = Generator(state: seed &* 2_654_435_761 &+ 1)
        var (table, kernels) = (Table(), [Int: Kernel]())
        var (open, closed): ([(Int, Table.Way)], [(Int, Table.Way)]) = ([], [])
        var (last, names): (Int32, Set<Int32>) = (0, [])
        for _ in 0..<400 {
            switch random.next() % 4 {
            case 0, 1:
                let (node, file) = (Int(random.next() % 3), "\(random.next() % 2)")
                let use: Table.Use = random.next() % 3 == 0 ? .watching : .reading
                let way = table.open(UInt64(node), file, for: use) {
                    guard random.next() % 8 != 0 else { return nil }
                    last += 1
                    names.insert(last)
                    return last
                }
                guard let way else { continue }
                switch way {
                case .pages: break
                case .file(let name), .asked(let name): #expect(names.contains(name))
                }
                let isTaken = kernels[node, default: Kernel()].open(way)
                #expect(isTaken)
                open.append((node, way))
            case 2:
                guard !open.isEmpty else { continue }
                let (node, way) = open.remove(at: Int(random.next() % UInt64(open.count)))
                kernels[node]?.close(way)
                closed.append((node, way))
            default:
                guard !closed.isEmpty else { continue }
                let (node, _) = closed.removeFirst()
                if let name = table.close(UInt64(node)) {
                    let isKnown = names.remove(name) != nil
                    #expect(isKnown)
                }
            }
        }
        for (node, _) in open + closed {
            if let name = table.close(UInt64(node)) {
                let isKnown = names.remove(name) != nil
                #expect(isKnown)
            }
        }
        #expect(table.isEmpty && names.isEmpty)
    }
}

/// SplitMix64 (Steele, Lea, Flood: “Fast splittable pseudorandom number generators”, 2014).
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
