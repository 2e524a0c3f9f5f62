import DocentCommands
import DocumentClient
import DocumentModel
import Testing

/// What people hear who wait for what is paused.
struct PauseNoticeTests {
    private func text(_ location: String, others: Int = 0, at place: String?) throws -> String {
        PauseNotice.text(
            of: try Location(location), others: others, pausedAt: try place.map { place in try Location(place) })
    }

    @Test func whatIsPausedIsNamedAndHowItEnds() throws {
        #expect(
            try text("d:/pq", at: "d:/pq") == "d:/pq is paused: docent resume d:/pq lets it go on.")
        #expect(
            try text("d:/My sub/x", at: "d:/My sub")
                == "d:/My sub/x is paused with all of d:/My sub: docent resume 'd:/My sub' lets it go on.")
        #expect(
            try text("d:/sub/x", others: 2, at: "d:/")
                == "d:/sub/x (and 2 more) is paused with all of d:/: docent resume d:/ lets it go on.")
        #expect(
            try text("d:/x", at: nil)
                == "d:/x is paused: docent resume lets the folder around it, or its domain, go on.")
    }

    @Test func aPausedDocumentThatIsNotHereIsNotInSync() throws {
        func listing(_ state: ItemState, own: Bool, paused: Bool = true) throws -> String {
            let item = Item(
                id: try ItemIdentifier("pq"), parentID: .root, name: try ItemName("pq"), kind: .document, size: 4,
                modified: .zero, version: try ItemVersion(content: [1]))
            var status = ItemStatus(item: item, location: try Location("d:/pq"), state: state, path: "/pq")
            status.marks = ItemMarks(isPausedItself: own, isPaused: paused)
            let domain = DomainDescription(
                name: try DomainName("d"), providerID: try ProviderIdentifier("org.example.test"))
            var report = StorageStatus(domains: [DomainStatus(domain: domain, items: 1)])
            report.items = [status]
            return StatusListing.text(report)
        }
        let own = try listing(.placeholder, own: true)
        #expect(own.contains("    Paused: docent resume d:/pq lets it go on.\n"))
        #expect(!own.contains("in sync"))
        #expect(
            try listing(.outdated, own: false).contains(
                "    Paused with a folder around it, or its domain: docent resume of that lets it go on.\n"))
        #expect(try listing(.materialised, own: true).contains("Everything is in sync."))
        #expect(try listing(.placeholder, own: false, paused: false).contains("Everything is in sync."))
    }
}
