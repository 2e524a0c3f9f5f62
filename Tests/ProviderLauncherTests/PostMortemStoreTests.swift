import DocumentModel
import DocumentWire
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("Rule 58: the records that are kept", .timeLimit(.minutes(2)))
struct PostMortemStoreTests {
    @Test("What is known of a domain that was not added is its provider's")
    func handOver() throws {
        let folder = try TemporaryFolder()
        let store = PostMortemStore(folder: folder.path.appending("failures"))
        let (domain, provider) = (try DomainName("work"), try ProviderIdentifier("org.example.photos"))
        var record = PostMortem(
            time: 1_700_000_000, provider: "org.example.photos", domain: "work", version: "1", program: "/p", host: "h",
            session: "s", stage: .handshake, summary: "It ended.", code: "providerDied", causes: [])
        for second in 0..<20 {
            record.time = 1_700_000_000 + Double(second)
            record.summary = "Number \(second)."
            try store.keep(record, of: domain)
            store.handOver(domain, to: provider)
            #expect(store.last(of: domain) == nil)
        }
        let last = try #require(store.last(of: provider))
        #expect(try PostMortem(json: last.text).summary == "Number 19.")
        #expect(folder.names("failures") == [".org.example.photos"])
        #expect(folder.names("failures/.org.example.photos").count == PostMortemStore.kept)
        store.handOver(domain, to: provider)
        #expect(store.last(of: provider)?.path == last.path, "nothing to hand over changes nothing")
    }

    @Test("Whoever looks while records are written sees each of them whole")
    func wholeRecords() async throws {
        let folder = try TemporaryFolder()
        let store = PostMortemStore(folder: folder.path.appending("failures"))
        let domain = try DomainName("work")
        var record = PostMortem(
            time: 1_700_000_000, provider: "org.example.photos", domain: "work", version: "1", program: "/p", host: "h",
            session: "s", stage: .serving, summary: "It ended.", code: "providerDied", causes: [])
        record.standardError = [String(repeating: "x", count: 200_000)]
        let first = record
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                var record = first
                for _ in 0..<500 {
                    record.time += 1
                    try store.keep(record, of: domain)
                }
                return true
            }
            group.addTask {
                while !Task.isCancelled {
                    guard let last = store.last(of: domain) else { continue }
                    try #require(last.text.hasSuffix("\n}\n"), "\(last.text.utf8.count) bytes of a record")
                }
                return false
            }
            while let wroteAll = try await group.next() { if wroteAll { group.cancelAll() } }
        }
        #expect(folder.names("failures/work").count == PostMortemStore.kept)
    }

    @Test("As many records are kept as are useful, and no record is longer than its limit")
    func bounds() throws {
        let folder = try TemporaryFolder()
        let store = PostMortemStore(folder: folder.path.appending("failures"))
        let domain = try DomainName("work")
        var record = PostMortem(
            time: 1_700_000_000, provider: "org.example.photos", domain: "work", version: "1", program: "/p", host: "h",
            session: "s", stage: .serving, summary: "It ended.", code: "providerDied", causes: [])
        record.standardError = [String(repeating: "x", count: PostMortemStore.sizeLimit)]
        for _ in 0..<30 { try store.keep(record, of: domain) }
        record.summary = "The last one."
        record.time += 1
        let path = try store.keep(record, of: domain)
        let last = try #require(store.last(of: domain))
        #expect(last.path == path)
        #expect(last.text.utf8.count < PostMortemStore.sizeLimit)
        let kept = try PostMortem(json: last.text)
        #expect(kept.summary == "The last one." && kept.standardError.isEmpty)
        #expect(folder.names("failures/work").count == PostMortemStore.kept)
        store.removeAll(of: domain)
        #expect(store.last(of: domain) == nil)
    }
}
