import DocumentModel
import DocumentSync
import Testing

/// Which contents win.
struct ContentsRankTests {
    /// Machines whose clocks are anywhere, and that edit what they know, one upon the other.
    private struct World {
        struct Contents {
            var modified: Timestamp
            var digest: [UInt8]
            /// Everything that it began from, however far back.
            var ancestors: Set<Int>

            var rank: ContentsRank {
                ContentsRank(stamp: VersionStamp(time: Self.microseconds(modified), device: 0), digest: digest)
            }

            private static func microseconds(_ time: Timestamp) -> Int64 {
                time.seconds * 1_000_000 + Int64(time.nanoseconds / 1000)
            }
        }

        static let fractions: [UInt32] = [0, 1, 999_999_000, 999_999_999]

        var contents: [Contents] = []
        private var random: Generator
        private let offsets: [Int64]

        init(seed: UInt64, areClocksRight: Bool) {
            random = Generator(state: seed)
            var random = random
            // A year off, either way.
            let year: Int64 = 31_536_000
            offsets = (0..<4).map { _ in areClocksRight ? 0 : Int64.random(in: -year...year, using: &random) }
            for now in 0..<20 {
                let machine = Int.random(in: 0..<4, using: &random)
                let known = contents.isEmpty ? nil : Int.random(in: -1..<contents.count, using: &random)
                let base = known.flatMap { $0 < 0 ? nil : $0 }
                let wall = Timestamp(
                    seconds: 1_700_000_000 + offsets[machine] + Int64(now) * (areClocksRight ? 1 : 0),
                    nanoseconds: areClocksRight ? 0 : Self.fractions.randomElement(using: &random) ?? 0)
                contents.append(
                    Contents(
                        modified: wall.following(base.map { contents[$0].modified }), digest: [UInt8(now)],
                        ancestors: base.map { contents[$0].ancestors.union([$0]) } ?? []))
            }
            self.random = random
        }
    }

    @Test("VER-12: what began from others wins over them, with clocks a year off, too")
    func causality() {
        for seed in 0..<500 {
            let contents = World(seed: UInt64(seed), areClocksRight: false).contents
            for (number, one) in contents.enumerated() {
                for ancestor in one.ancestors {
                    #expect(contents[ancestor].rank.stamp < one.rank.stamp, "seed \(seed), \(ancestor) and \(number)")
                }
            }
        }
    }

    @Test("VER-12: all machines name the same winner, whichever contents are theirs, in whatever order they come")
    func sameWinner() {
        for seed in 0..<500 {
            let contents = World(seed: UInt64(seed), areClocksRight: seed % 2 == 0).contents
            for one in contents {
                for other in contents where one.digest != other.digest {
                    #expect((one.rank < other.rank) != (other.rank < one.rank), "seed \(seed)")
                }
            }
            let winner = contents.map(\.rank).max()
            var random = Generator(state: UInt64(seed) &+ 99)
            for _ in 0..<4 {
                let found = contents.shuffled(using: &random).map(\.rank).reduce(nil as ContentsRank?) { best, rank in
                    best.map { $0 < rank ? rank : $0 } ?? rank
                }
                #expect(found == winner, "seed \(seed)")
            }
        }
    }

    @Test("VER-3: with right clocks, what was modified last wins")
    func lastModified() {
        for seed in 0..<200 {
            let contents = World(seed: UInt64(seed), areClocksRight: true).contents
            #expect(contents.map(\.rank).max() == contents.last?.rank, "seed \(seed)")
        }
    }

    @Test("VER-12: a time follows another by a microsecond, over a second's end and at the end of time")
    func following() {
        let base = Timestamp(seconds: 5, nanoseconds: 999_999_500)
        #expect(Timestamp(seconds: 5).following(base) == Timestamp(seconds: 6, nanoseconds: 500))
        #expect(Timestamp(seconds: 6).following(base) == Timestamp(seconds: 6))
        #expect(base.following(nil) == base)
        let last = Timestamp(seconds: .max, nanoseconds: 999_999_999)
        #expect(Timestamp.zero.following(last) == last)
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
