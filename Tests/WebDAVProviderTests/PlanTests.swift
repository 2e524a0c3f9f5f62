import DocumentModel
import Testing

@testable import WebDAVProvider

@Suite("Plans: trying again, going on, pages")
struct PlanTests {
    // MARK: Trying again

    @Test("what may pass is tried again, later and later, and not for ever")
    func retries() {
        var plan = RetryPlan(
            RetryPlan.Limits(attempts: 4, firstPause: .milliseconds(100), longestPause: .milliseconds(250)))
        let cut = ServerFailure.interrupted("cut")
        let step1 = plan.pause(after: cut, elapsed: .zero, chance: 1)
        #expect(step1 == .milliseconds(100))
        let step2 = plan.pause(after: cut, elapsed: .zero, chance: 0)
        #expect(step2 == .milliseconds(100))
        let step3 = plan.pause(after: cut, elapsed: .zero, chance: 1)
        #expect(step3 == .milliseconds(250))
        let step4 = plan.pause(after: cut, elapsed: .zero, chance: 1)
        #expect(step4 == nil)
    }

    @Test("Retry-After is kept to, when there is time for it")
    func retryAfter() {
        func pause(_ asked: Duration, elapsed: Duration) -> Duration? {
            var plan = RetryPlan(RetryPlan.Limits(budget: .seconds(10)))
            return plan.pause(after: .status(503, retryAfter: asked), elapsed: elapsed, chance: 0.5)
        }
        #expect(pause(.seconds(3), elapsed: .zero) == .seconds(3))
        #expect(pause(.seconds(3), elapsed: .seconds(8)) == nil)
        #expect(pause(.seconds(86_400), elapsed: .zero) == nil)
    }

    @Test(
        arguments: [
            .signIn(offers: []), .untrusted(""), .misnamed(""), .unusable(""), .redirect(""),
            .status(400, retryAfter: nil),
            .status(403, retryAfter: nil), .status(404, retryAfter: nil), .status(412, retryAfter: nil),
            .status(423, retryAfter: nil), .status(501, retryAfter: nil), .status(507, retryAfter: nil),
        ] as [ServerFailure])
    func whatDoesNotPassIsNotTriedAgain(_ failure: ServerFailure) {
        var plan = RetryPlan()
        let step5 = plan.pause(after: failure, elapsed: .zero, chance: 0)
        #expect(step5 == nil)
    }

    @Test("PROV-22: every failure has a code of the right class")
    func codes() throws {
        let address = try ServerAddress("https://example.org/")
        func code(_ failure: ServerFailure) -> DocumentError.Code { failure.error("“a” cannot be read", address).code }
        let statuses: [(Int, DocumentError.Code)] = [
            (403, .notPermitted), (404, .noSuchItem), (410, .noSuchItem), (423, .busy), (429, .busy), (503, .busy),
            (500, .busy), (507, .insufficientQuota), (413, .insufficientQuota), (405, .cannotSynchronize), (408, .busy),
        ]
        for (status, expected) in statuses { #expect(code(.status(status, retryAfter: nil)) == expected, "\(status)") }
        #expect(
            code(.signIn(offers: ["basic"])) == .notAuthenticated
                && code(.signIn(offers: ["digest"])) == .notAuthenticated)
        #expect(code(.unreachable("")) == .serverUnreachable && code(.untrusted("")) == .serverUnreachable)
        #expect(code(.interrupted("")) == .busy && code(.unusable("")) == .cannotSynchronize)
        #expect(ServerFailure.status(429, retryAfter: .seconds(7)).error("x", address).retryAfter == .seconds(7))
    }

    @Test(
        "who is told that a server does not take something hears that it may be because of its name",
        arguments: [400, 414, 422, 405])
    func refusedName(status: Int) throws {
        let error = ServerFailure.status(status, retryAfter: nil)
            .error("“a:b” cannot be made", try ServerAddress("https://example.org/"))
        #expect(error.code == .cannotSynchronize)
        #expect(error.message.contains("because of its name: give it another one") == (status != 405))
        #expect(error.message.contains("check the setting “url”"))
    }

    // MARK: Going on

    private let tag = EntityTag("\"v1\"")

    @Test("a server that is gone is waited for for 20 seconds by who has a part of a document, and for a moment else")
    func outage() {
        let gone = ServerFailure.unreachable("nothing answers")
        var part = plan()
        for second in 600..<620 {
            let pause = part.pause(after: gone, elapsed: .seconds(second), chance: 0.5)
            #expect(pause.map { $0 >= .milliseconds(200) && $0 <= .seconds(5) } == true, "after \(second) s")
        }
        let late = part.pause(after: gone, elapsed: .seconds(620), chance: 0.5)
        #expect(late == nil)
        var nothing = DownloadPlan(expected: 10)
        let first = nothing.pause(after: gone, elapsed: .seconds(600), chance: 0.5)
        let second = nothing.pause(after: gone, elapsed: .seconds(601), chance: 0.5)
        #expect(first != nil && second == nil)
    }

    @Test("however long bytes came before, a failure is followed by as many attempts as ever")
    func lateFailure() {
        var plan = plan()
        let cut = ServerFailure.interrupted("cut")
        for second in 600...602 {
            let pause = plan.pause(after: cut, elapsed: .seconds(second), chance: 0)
            #expect(pause != nil, "after \(second) s")
        }
        let last = plan.pause(after: cut, elapsed: .seconds(603), chance: 0)
        #expect(last == nil)
    }

    private func plan(expected: Int64? = 10, begun: Int = 4) -> DownloadPlan {
        var plan = DownloadPlan(expected: expected)
        let step6 = plan.receive(.init(status: 200, length: 10, tag: tag))
        #expect(step6 == .write(at: 0))
        _ = plan.advance(by: begun)
        return plan
    }

    @Test("what was cut off goes on where it was, if the contents are the same")
    func resume() {
        var plan = plan()
        #expect(plan.headers.map(\.value) == ["bytes=4-", "\"v1\""])
        let step7 = plan.receive(.init(status: 206, range: ContentRange("bytes 4-9/10"), tag: tag))
        #expect(step7 == .write(at: 4))
        let isIn = plan.advance(by: 6)
        let isWhole = plan.end()
        #expect(isIn && isWhole)
    }

    @Test("contents that have changed meanwhile come from the start: If-Range answers with 200")
    func changedMeanwhile() {
        var plan = plan()
        let step8 = plan.receive(.init(status: 200, length: 10, tag: EntityTag("\"v2\"")))
        #expect(step8 == .write(at: 0))
        #expect(plan.offset == 0)
        let isIn = plan.advance(by: 10)
        let isWhole = plan.end()
        #expect(isIn && isWhole)
        #expect(plan.headers.map(\.value) == ["bytes=10-", "\"v2\""])
    }

    @Test("RS-2: without a strong validator nothing is continued")
    func weakValidators() {
        func headers(_ head: DownloadPlan.Head) -> Int {
            var plan = DownloadPlan(expected: nil)
            let step9 = plan.receive(head)
            #expect(step9 == .write(at: 0))
            _ = plan.advance(by: 4)
            return plan.headers.count
        }
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(headers(.init(status: 200, length: 10)) == 0)
        #expect(headers(.init(status: 200, length: 10, tag: EntityTag("W/\"v1\""), modified: date, date: .max)) == 0)
        #expect(headers(.init(status: 200, length: 10, modified: date, date: 784_111_778)) == 0, "too young")
        #expect(headers(.init(status: 200, length: 10, modified: date, date: 784_111_779)) == 2)
    }

    @Test("an answer that does not fit is not written, and the next request asks for everything")
    func badParts() {
        for head in [
            DownloadPlan.Head(status: 206, range: ContentRange("bytes 0-9/10"), tag: tag),
            DownloadPlan.Head(status: 206, tag: tag), DownloadPlan.Head(status: 416),
        ] {
            var plan = plan()
            guard case .refuse(.interrupted) = plan.receive(head) else {
                Issue.record("\(head) was accepted")
                continue
            }
            #expect(plan.headers.isEmpty && plan.offset == 0)
            let step10 = plan.receive(.init(status: 200, length: 10, tag: tag))
            #expect(step10 == .write(at: 0))
            let step11 = plan.advance(by: 4)
            #expect(step11)
            #expect(plan.headers.isEmpty, "this server cannot do it")
        }
        var unasked = DownloadPlan(expected: 10)
        let step12 = unasked.receive(.init(status: 206, range: ContentRange("bytes 0-9/10"), tag: tag))
        #expect(step12 != .write(at: 0))
    }

    @Test("INV-9: other lengths are other contents")
    func lengths() {
        var other = DownloadPlan(expected: 10)
        let step13 = other.receive(.init(status: 200, length: 11))
        #expect(step13 == .changed)
        var grown = plan()
        let step14 = grown.receive(.init(status: 206, range: ContentRange("bytes 4-10/11"), tag: tag))
        #expect(step14 == .changed)
        var long = plan()
        let fits = long.advance(by: 7)
        #expect(!fits)
        var short = plan()
        let isWhole = short.end()
        #expect(!isWhole)
        var open = DownloadPlan(expected: nil)
        guard case .refuse(.unusable) = open.receive(.init(status: 200)) else {
            Issue.record("nobody knows where that ends")
            return
        }
        let step15 = open.receive(.init(status: 200, isChunked: true))
        #expect(step15 == .write(at: 0))
        let step16 = open.advance(by: 3)
        #expect(step16)
        let step17 = open.end()
        #expect(step17)
        #expect(open.total == 3)
        var packed = DownloadPlan(expected: nil)
        guard case .refuse(.unusable) = packed.receive(.init(status: 200, length: 10, isEncoded: true)) else {
            Issue.record("compressed contents were accepted")
            return
        }
    }

    @Test("a download that moves on has new patience, one that stands still has not")
    func patience() {
        let limits = RetryPlan.Limits(attempts: 2, budget: .seconds(1))
        var plan = DownloadPlan(expected: 100, limits: limits)
        let cut = ServerFailure.interrupted("cut")
        for _ in 0..<10 {
            _ = plan.receive(
                .init(
                    status: plan.offset == 0 ? 200 : 206, length: 100,
                    range: ContentRange("bytes \(plan.offset)-99/100"), tag: tag))
            let step18 = plan.advance(by: 5)
            #expect(step18)
            let step19 = plan.pause(after: cut, elapsed: .seconds(3600), chance: 0)
            #expect(step19 != nil)
        }
        let step20 = plan.pause(after: cut, elapsed: .seconds(3600), chance: 0)
        #expect(step20 == nil)
    }

    // MARK: Pages

    @Test("a token leads to its page again and again; one that nobody gave has expired")
    func pages() throws {
        var listings = Listings(mostEntries: 10)
        let entries = try (0..<8).map { Listings.Entry(name: try RemoteName("n\($0)"), properties: Properties()) }
        listings.add(entries, of: .root, key: 7)
        let token = try Listings.token(7, 3)
        for _ in 0..<2 {
            let page = try listings.page(token, of: .root, count: 4)
            #expect(page.entries.map(\.name.rawValue) == ["n3", "n4", "n5", "n6"])
            #expect(try page.next == Listings.token(7, 7))
        }
        func isExpired(_ token: PageToken, _ path: RemotePath = .root) -> Bool {
            do {
                _ = try listings.page(token, of: path, count: 4)
                return false
            } catch {
                return error.code == .pageExpired
            }
        }
        for unknown in [
            try Listings.token(8, 3), try Listings.token(7, 8), try PageToken([1]),
            try PageToken([UInt8](repeating: 255, count: 16)),
        ] { #expect(isExpired(unknown)) }
        let other = RemotePath(names: [try RemoteName("other")])
        #expect(isExpired(token, other))
        listings.add(entries, of: .root, key: 9)
        #expect(isExpired(token), "there was no room for both")
    }
}
