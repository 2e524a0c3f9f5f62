import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What leaves when more is here than may be, and takes its time (XFER-14).
extension EmbeddedHostTests {
    private static let many = 24

    /// A host with documents here, of a hundred bytes each, of which each takes a while to leave.
    private func withSlowEvictions(_ body: (DocumentHost) async throws -> Void) async throws {
        try await withHost(observer: SlowEvictions()) { host, remote in
            for number in 0..<Self.many {
                try TemporaryFile.write(String(repeating: "x", count: 100), to: remote.appending("\(number).txt"))
            }
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 100, refreshing: false)
            for number in 0..<Self.many { try await host.download(Location("d:/\(number).txt")) }
            let here = try await host.spaceStatus()
            try #require(here.documents == 24 && here.bytes == 2_400)
            try await body(host)
        }
    }

    /// How many documents are here when none has left for two seconds.
    private func remaining(_ host: DocumentHost) async throws -> Int {
        var before: Int?
        while true {
            let now = Int(try await host.spaceStatus().documents)
            if now == before { return now }
            before = now
            try await Task.sleep(for: .seconds(2))
        }
    }

    @Test("XFER-14: no more leaves than down to the mark, however long that takes, and whatever is written meanwhile")
    func leavesNoMoreThanNeeded() async throws {
        try await withSlowEvictions { host in
            try await host.setSpaceLimits(SpaceLimits(high: 1_200, low: 1_000))
            while try await host.spaceStatus().bytes > 1_200 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try await remaining(host) == 10)
        }
    }

    @Test("XFER-14: when there is no limit any more, nothing of what was to leave does")
    func stopsLeaving() async throws {
        try await withSlowEvictions { host in
            try await host.setSpaceLimits(SpaceLimits(high: 1_200, low: 0))
            while try await host.spaceStatus().documents == 24 { try await Task.sleep(for: .milliseconds(5)) }
            try await host.setSpaceLimits(nil)
            // But for the ones that are just leaving.
            #expect(try await remaining(host) >= Self.many / 2)
        }
    }

    @Test("XFER-14: new limits hold at once, also while it is waited for what could not leave under the old ones")
    func newLimitsHoldAtOnce() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/a.txt")
            try TemporaryFile.write(String(repeating: "x", count: 100), to: remote.appending("a.txt"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            try await host.download(location)
            try await host.setKeeping(.pinned, at: location)
            try await host.setSpaceLimits(SpaceLimits(high: 50, low: 40))
            while !host.reclaimer.isStuck { try await Task.sleep(for: .milliseconds(10)) }
            // It may leave now, and is looked at when the pause is over.
            try await host.setKeeping(nil, at: location)
            let begin = ContinuousClock.now
            try await host.setSpaceLimits(SpaceLimits(high: 60, low: 40))
            while try await host.spaceStatus().documents > 0, ContinuousClock.now < begin + .seconds(20) {
                try await Task.sleep(for: .milliseconds(10))
            }
            let left = try await host.spaceStatus().documents
            #expect(left == 0)
        }
    }
}

private final class SlowEvictions: StepObserver {
    func reached(_ step: JournalStep) throws {
        if step == .evictBegan { usleep(150_000) }
    }
}
