import DocumentModel
import DocumentSync
import Testing

@testable import DocumentHost

/// Many changed documents, one provider: the same pacing as the simulated engine's.
@Suite struct SendQueueTests {
    private var queue: SendQueue

    init() {
        queue = SendQueue(pacing: SyncPacing(retry: RetryPolicy(first: .seconds(1), longest: .seconds(60))))
    }

    private func id(_ number: Int) throws -> ItemIdentifier { try ItemIdentifier("i\(number)") }

    private func sending(_ number: Int, base: UInt8 = 1) throws -> SyncOperation {
        .send(try id(number), base: [base], revision: 7)
    }

    /// Begins all that there is room for.
    private mutating func begin(at now: Duration = .zero) throws -> [ItemIdentifier] {
        var begun: [ItemIdentifier] = []
        while let next = queue.next(of: 8) {
            if queue.begin(next, .send(next, base: [1], revision: 7), at: now) { begun.append(next) }
        }
        return begun
    }

    private let unreachable = DocumentError(.serverUnreachable, "")
    private let busy = DocumentError(.busy, "")

    @Test("No more than so many are under way at once, first come, first served, and each end lets another begin")
    mutating func bounds() throws {
        for number in 0..<20 { queue.add(try id(number)) }
        let begun1 = try begin()
        #expect(try begun1 == (0..<8).map(id))
        queue.succeeded(try id(3))
        let begun2 = try begin()
        #expect(try begun2 == [id(8)])
        #expect(queue.isBusy(at: .zero))
    }

    @Test("What somebody waits for comes first")
    mutating func order() throws {
        for number in 0..<20 { queue.add(try id(number)) }
        queue.add(try id(15), isAwaited: true)
        queue.add(try id(30), isAwaited: true)
        let begun3 = try begin().prefix(3)
        #expect(try begun3 == [id(15), id(30), id(0)])
        for number in [15, 30] + Array(0..<6) { queue.succeeded(try id(number)) }
        // Nothing twice.
        let begun4 = try begin()
        #expect(try begun4 == (6..<14).map(id))
    }

    @Test("PROV-22: after a transient error it waits, longer each time, and is looked at again by itself")
    mutating func backOff() throws {
        queue.add(try id(1))
        _ = try begin()
        guard case .retry(let first) = queue.failed(try id(1), busy, at: .zero, jitter: 1) else {
            Issue.record("no retry")
            return
        }
        #expect(first == .seconds(1))
        #expect(queue.nextRetry(after: .zero) == first)
        #expect(queue.isBusy(at: .zero))
        queue.woken(at: .milliseconds(900))
        let begun5 = try begin(at: .milliseconds(900))
        #expect(begun5 == [])
        queue.woken(at: first)
        let begun6 = try begin(at: first)
        #expect(try begun6 == [id(1)])
        let consequence7 = try queue.failed(id(1), busy, at: first, jitter: 1)
        #expect(consequence7 == .retry(at: .seconds(3)))
    }

    @Test("PROV-22: jitter spreads the retries")
    mutating func jitter() throws {
        for number in 0..<2 { queue.add(try id(number)) }
        _ = try begin()
        let consequence8 = try queue.failed(id(0), busy, at: .zero, jitter: 0)
        #expect(consequence8 == .retry(at: .milliseconds(500)))
        let consequence9 = try queue.failed(id(1), busy, at: .zero, jitter: 1)
        #expect(consequence9 == .retry(at: .seconds(1)))
    }

    @Test("PROV-22: when the provider cannot be reached, nothing is asked before its signal, or before somebody acts")
    mutating func obstacle() throws {
        for number in 0..<20 { queue.add(try id(number)) }
        _ = try begin()
        let consequence10 = try queue.failed(id(0), unreachable, at: .zero, jitter: 1)
        #expect(consequence10 == .held)
        for number in 1..<8 { _ = queue.failed(try id(number), unreachable, at: .zero, jitter: 1) }
        let begun11 = try begin()
        #expect(begun11 == [])
        #expect(queue.nextRetry(after: .zero) == nil)
        #expect(!queue.isBusy(at: .zero))
        queue.woken(at: .seconds(10_000))
        let begun12 = try begin(at: .seconds(10_000))
        #expect(begun12 == [])
        // An edit asks, and its success tells that the others may go, too.
        queue.add(try id(30))
        let begun13 = try begin()
        #expect(try begun13 == [id(30)])
        let isOver14 = try queue.succeeded(id(30))
        #expect(isOver14)
        #expect(queue.obstacle == nil)
    }

    @Test("Why an item could not be sent is known until it is, or something else is to be done")
    mutating func problems() throws {
        for number in 0..<2 { queue.add(try id(number)) }
        _ = try begin()
        for number in 0..<2 { _ = queue.failed(try id(number), busy, at: .zero, jitter: 1) }
        let (first, second, third) = (try id(0), try id(1), try id(2))
        #expect(queue.problem(of: first)?.code == .busy)
        #expect(queue.problem(of: third) == nil)
        queue.woken(at: .seconds(100))
        _ = try begin(at: .seconds(100))
        #expect(queue.problem(of: first)?.code == .busy, "it is just tried again")
        queue.succeeded(first)
        #expect(queue.problem(of: first) == nil)
        _ = queue.failed(second, busy, at: .seconds(100), jitter: 1)
        queue.add(second)
        let next = queue.next(of: 8)
        let isBegun = queue.begin(second, nil, at: .seconds(100))
        #expect(next == second && !isBegun)
        #expect(queue.problem(of: second) == nil)
    }

    @Test("PROV-22: the provider's signal ends the wait; what only waits for time goes on waiting")
    mutating func resolved() throws {
        for number in 0..<2 { queue.add(try id(number)) }
        _ = try begin()
        _ = queue.failed(try id(0), DocumentError(.insufficientQuota, ""), at: .zero, jitter: 1)
        _ = queue.failed(try id(1), busy, at: .zero, jitter: 1)
        queue.woken(at: .zero)
        let begun15 = try begin()
        #expect(begun15 == [])
        queue.resolved()
        queue.woken(at: .zero)
        let begun16 = try begin()
        #expect(try begun16 == [id(0)])
    }

    @Test("PROV-22: a signal that other errors are resolved has nothing asked while the provider cannot be reached")
    mutating func resolvedOther() throws {
        queue.add(try id(0))
        _ = try begin()
        _ = queue.failed(try id(0), unreachable, at: .zero, jitter: 1)
        queue.resolved([.insufficientQuota])
        queue.woken(at: .zero)
        #expect(queue.obstacle == .serverUnreachable)
        let before = try begin()
        #expect(before == [])
        queue.resolved([.insufficientQuota, .serverUnreachable])
        queue.woken(at: .zero)
        let after = try begin()
        #expect(try after == [id(0)])
    }

    @Test("A refusal asks for the remote's changes; another operation is not held by it")
    mutating func refusal() throws {
        queue.add(try id(1))
        _ = try begin()
        guard case .refresh = queue.failed(try id(1), DocumentError(.notPermitted, ""), at: .zero, jitter: 1) else {
            Issue.record("no refresh")
            return
        }
        #expect(!queue.isBusy(at: .zero), "nobody waits for what was refused")
        queue.woken(at: .zero)
        let none17 = queue.next(of: 8)
        #expect(none17 == nil)
        queue.add(try id(1))
        let waiting = queue.next(of: 8)
        let next = try #require(waiting)
        let isBegun = queue.begin(next, try sending(1, base: 2), at: .zero)
        #expect(isBegun)
    }

    @Test("What is changed again while it is sent is looked at again; what somebody uses keeps no other's place")
    mutating func again() throws {
        for number in 0..<9 { queue.add(try id(number)) }
        _ = try begin()
        queue.add(try id(0))
        queue.succeeded(try id(0))
        let begun18 = try begin()
        #expect(try begun18 == [id(8)])
        queue.park(try id(1))
        let begun19 = try begin()
        #expect(try begun19 == [id(0)])
        queue.park(try id(2))
        let begun20 = try begin()
        #expect(begun20 == [])
        // Asked for meanwhile: not twice at once, and once more when it is done.
        queue.add(try id(2))
        let nothing = queue.next(of: 8)
        #expect(nothing == nil)
        queue.resumed(try id(2))
        queue.succeeded(try id(2))
        let begun21 = try begin()
        #expect(try begun21 == [id(2)])
    }

    @Test(
        "No more are begun than there are places just now: fewer once a large document is under way, more with a quick provider"
    )
    mutating func places() throws {
        for number in 1...12 { queue.add(try id(number)) }
        var begun = 0
        for (places, expected) in [(2, 2), (1, 2), (8, 8), (2, 8), (16, 12)] {
            while let next = queue.next(of: places) {
                if queue.begin(next, .send(next, base: [1], revision: 7), at: .zero) { begun += 1 }
            }
            #expect(begun == expected, "\(places) places")
        }
    }
}
