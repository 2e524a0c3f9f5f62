import DocumentModel
import FileCoordination
import Testing

@testable import DocumentHost

struct PassingFailuresTests {
    private let key: ItemKey
    private let other: ItemKey

    init() throws {
        let domain = try DomainName("work")
        key = ItemKey(domain: domain, id: try ItemIdentifier("a"))
        other = ItemKey(domain: try DomainName("home"), id: try ItemIdentifier("a"))
    }

    private func isOver(_ failures: PassingFailures, _ code: DocumentError.Code, after seconds: Int = 2) -> Bool {
        failures.isOver(code, of: key, isPlaceholder: true, at: .seconds(seconds))
    }

    @Test("That nobody could be asked is over when the domain's provider has answered what it was asked afterwards")
    func answered() {
        var failures = PassingFailures()
        let before = failures.count
        failures.failed(key, .serverUnreachable, at: .seconds(1))
        #expect(!isOver(failures, .serverUnreachable))
        let isNews = failures.answered(key.domain, askedAfter: before)
        let isOfOthers = failures.answered(other.domain, askedAfter: failures.count)
        #expect(!isNews && !isOfOthers)
        #expect(!isOver(failures, .serverUnreachable))
        let again = failures.answered(key.domain, askedAfter: failures.count)
        #expect(again)
        #expect(isOver(failures, .serverUnreachable))
        failures.failed(key, .serverUnreachable, at: .seconds(2))
        #expect(!isOver(failures, .serverUnreachable))
    }

    @Test("What was wrong with one document is not over because others are answered for, and is told for some minutes")
    func ofOne() {
        var failures = PassingFailures()
        failures.failed(key, .internal, at: .seconds(1))
        let isNews = failures.answered(key.domain, askedAfter: failures.count)
        #expect(!isNews)
        #expect(!isOver(failures, .internal))
        #expect(!isOver(failures, .internal, after: 600))
        #expect(isOver(failures, .internal, after: 601))
    }

    @Test("What does not end by itself stays, and so does what is not known to be of a download")
    func stays() {
        var failures = PassingFailures()
        failures.failed(key, .versionNoLongerAvailable, at: .seconds(1))
        #expect(!isOver(failures, .versionNoLongerAvailable, after: 10_000))
        #expect(!isOver(failures, .localStorage, after: 10_000))
        #expect(!failures.isOver(.serverUnreachable, of: other, isPlaceholder: false, at: .seconds(10_000)))
    }

    @Test("That nobody could be asked in an earlier host's time is over")
    func earlier() {
        #expect(isOver(PassingFailures(), .serverUnreachable))
        #expect(!isOver(PassingFailures(), .internal))
    }
}
