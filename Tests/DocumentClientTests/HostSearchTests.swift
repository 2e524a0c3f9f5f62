import Testing

@testable import DocumentClient

/// When the next host is looked for.
struct HostSearchTests {
    /// The pauses until it is given up, where nothing but them takes time.
    private func pauses(_ patience: Duration, jitter: Double) -> [Duration] {
        var search = HostSearch(patience: patience)
        var elapsed = Duration.zero
        var pauses: [Duration] = []
        while let pause = search.pause(after: elapsed, jitter: jitter), pauses.count < 10_000 {
            pauses.append(pause)
            elapsed += pause
        }
        return pauses
    }

    @Test("It is looked for soon at first, then less and less often, but every two seconds at least")
    func backOff() {
        let pauses = pauses(.seconds(60), jitter: 1)
        #expect(Array(pauses.prefix(7)) == [50, 100, 200, 400, 800, 1600, 2000].map { Duration.milliseconds($0) })
        #expect(pauses.dropFirst(6).dropLast().allSatisfy { $0 == .seconds(2) })
    }

    @Test(
        "It is looked for until the patience is over, then once more, and no more", arguments: [0, 0.3, 1] as [Double])
    func end(jitter: Double) {
        for patience in [Duration.milliseconds(20), .seconds(1), .seconds(60), .seconds(3600)] {
            let all = pauses(patience, jitter: jitter)
            #expect(all.reduce(.zero, +) == patience)
            #expect(all.allSatisfy { $0 > .zero })
        }
        #expect(pauses(.zero, jitter: jitter).isEmpty)
    }

    @Test("Those that have lost the same host do not come to the next one at the same moment")
    func spread() {
        let (early, late) = (pauses(.seconds(60), jitter: 0), pauses(.seconds(60), jitter: 1))
        for (one, other) in zip(early, late).prefix(10) { #expect(one * 2 == other) }
    }
}
