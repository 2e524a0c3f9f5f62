import DocumentHost
import DocumentModel
import Testing

/// What a provider tells without end.
@Suite struct ProviderExcessTests {
    private func document(_ id: String) throws -> Item {
        Item(
            id: try ItemIdentifier(id), parentID: .root, name: try ItemName(id), kind: .document, contentType: nil,
            size: 1, modified: .zero, created: .zero, version: try ItemVersion(content: [1]),
            capabilities: .readOnly)
    }

    @Test("PROV-21: a listing that comes back to a token it has given goes round in a circle")
    func circle() throws {
        var progress = PagingProgress("a listing", of: "The provider Test (org.example.test)")
        try progress.took([1], items: [document("a")])
        try progress.took([2], items: [document("b")])
        let error = #expect(throws: DocumentError.self) { try progress.took([1], items: [try document("c")]) }
        #expect(error?.code == .contractBroken)
    }

    @Test("PROV-21: a listing of ever new tokens that tells nothing new is ended")
    func idle() throws {
        var progress = PagingProgress("a listing", of: "The provider Test (org.example.test)")
        var pages = 0
        let error = #expect(throws: DocumentError.self) {
            while pages < 10_000 {
                pages += 1
                try progress.took(Array("\(pages)".utf8), items: [try document("same")])
            }
        }
        #expect(error?.code == .contractBroken)
        #expect(pages == PagingProgress.mostIdlePages + 1)
    }

    @Test("PROV-21: a long listing that tells new items goes on")
    func long() throws {
        var progress = PagingProgress("a listing", of: "The provider Test (org.example.test)")
        for page in 0..<5000 { try progress.took(Array("\(page)".utf8), items: [document("i\(page)")]) }
    }

    @Test("WIRE-52: of a flood of log lines the first are taken, and then so many a second")
    func logs() {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        let line: [UInt8] = [0x1A, 0]
        let atOnce = (0..<100_000).count { _ in intake.admits(line, at: start) }
        #expect(atOnce == Int(NotificationIntake.logBurst))
        let later = (0..<100_000).count { _ in intake.admits(line, at: start + .seconds(2)) }
        #expect(later == Int(2 * NotificationIntake.logsPerSecond))
        // What is no log line always comes through.
        #expect(intake.admits([0x0A, 0], at: start))
    }

    private static let unclear: [[UInt8]] = [
        [0x0A, 0, 0x1A, 0], [0x12, 0, 0x1A, 0], [0xFF], [], [0x22, 0], [0x0A, 1], [0x0A, 0x80, 0x80, 0x80],
    ]

    @Test("WIRE-52: whatever is no signal alone counts as a log line, as it may be or cause one", arguments: unclear)
    func disguised(body: [UInt8]) {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        let admitted = (0..<10_000).count { _ in intake.admits(body, at: start) }
        #expect(admitted == Int(NotificationIntake.logBurst))
    }

    @Test("WIRE-26: signals always come through, of one code and of many")
    func signals() {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        let long: [UInt8] = [0x12, 0xC8, 1] + [UInt8](repeating: 1, count: 200)
        let bodies: [[UInt8]] = [[0x0A, 0], [0x12, 0], [0x12, 2, 0x08, 1], long]
        for body in bodies {
            #expect((0..<10_000).count { _ in intake.admits(body, at: start) } == 10_000, "\(body.prefix(4))")
        }
    }

    @Test("WIRE-52: that a signal cannot be understood is logged no oftener than a provider may log")
    func complaints() {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        let bad: [UInt8] = [0x0A, 1, 0xFF]
        let logged = (0..<10_000).count { _ in intake.admits(bad, at: start) && intake.admitsComplaint(at: start) }
        #expect(logged == Int(NotificationIntake.logBurst))
        #expect(!intake.admits([0x1A, 0], at: start))
    }

    @Test("WIRE-52: a flood of the longest log lines does not fill the disk any faster than one of short ones")
    func longLogs() {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        let line = [UInt8](repeating: 0x1A, count: NotificationIntake.longest)
        var bytes = 0
        for second in 0..<3600 where intake.admits(line, at: start + .seconds(second)) { bytes += line.count }
        let lines = NotificationIntake.logBurst + 3600 * NotificationIntake.logsPerSecond
        #expect(bytes > 0)
        #expect(bytes <= Int(lines) * NotificationIntake.logLineBytes)
    }

    @Test("WIRE-30: “resolved” again and again is acted upon at once, and then at most once a second")
    func resolved() {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        #expect(intake.resolved([], at: start) == .zero)
        // The first of the others waits for the interval, and stands for all of them.
        let delays = (0..<1000).compactMap { _ in intake.resolved([], at: start + .milliseconds(100)) }
        #expect(delays == [.milliseconds(900)])
        #expect(intake.resolved([], at: start + .seconds(10)) == .zero)
    }

    @Test("PROV-22: what is said to be resolved while that waits is acted upon with it")
    func resolvedCodes() {
        let intake = NotificationIntake()
        let start = ContinuousClock.now
        _ = intake.resolved([.insufficientQuota], at: start)
        #expect(intake.takeResolved() == [.insufficientQuota])
        _ = intake.resolved([.insufficientQuota], at: start + .milliseconds(1))
        #expect(intake.resolved([.serverUnreachable], at: start + .milliseconds(2)) == nil)
        #expect(intake.takeResolved() == [.insufficientQuota, .serverUnreachable])
        _ = intake.resolved([], at: start + .seconds(5))
        #expect(intake.resolved([.insufficientQuota], at: start + .milliseconds(5001)) != .zero)
        #expect(intake.takeResolved() == [], "all")
        #expect(intake.takeResolved() == nil, "who comes second finds nothing, and not everything")
    }

    @Test("WIRE-6: a notification that is larger than any can be is not read")
    func large() {
        let intake = NotificationIntake()
        #expect(!intake.admits([UInt8](repeating: 0, count: NotificationIntake.longest + 1), at: .now))
    }
}
