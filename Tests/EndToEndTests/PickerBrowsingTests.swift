import DocumentClient
import DocumentModel
import Foundation
import SystemPackage
import Testing

/// What a picker session shows, with real providers: where it begins, what there is, and what is found.
@Suite(.serialized) struct PickerBrowsingTests: PickerSuite {
    @Test("PICK-20: a folder that its provider takes long to tell of is shown as still loading, and then whole")
    func loading() async throws {
        try await withDomains(settings: ["delay=1.5"]) { machine, client in
            let request = try PickerRequest(.open, types: [.content], domain: try DomainName("book"))
            try await client.withPickerSession(request) { session in
                let top = try await session.listing(of: try root(session, "book"))
                let began = ContinuousClock.now
                let day = try await session.listing(of: top.shape.places[0].id)
                #expect(day.isLoading && day.entries.isEmpty && ContinuousClock.now - began < .seconds(1.4))
                #expect(day.parent == top.folder.id)
                #expect(try await entries(session, day.folder.id).keys.sorted() == ["Checklist.txt", "Who is who.csv"])
            }
        }
    }

    @Test("PICK-20: entries come in pages, with all that is known of each")
    func pages() async throws {
        try await withDomains { machine, client in
            for number in 100..<140 { try machine.write("x", to: machine.remote + "/\(number).txt") }
            let request = try PickerRequest(.open, types: [.content], domain: try DomainName("work"))
            try await client.withPickerSession(request) { session in
                let top = try root(session, "work")
                var (seen, next, pages) = ([String](), PageToken?.none, 0)
                repeat {
                    let page = try await session.listing(of: top, after: next, suggestedCount: 10, refresh: pages == 0)
                    seen += page.entries.compactMap { $0.status.item.name?.rawValue }
                    next = page.next
                    pages += 1
                } while next != nil && pages < 20
                #expect(Set(seen).count == 43 && seen.count == 43 && pages >= 5)
            }
        }
    }

    @Test("PICK-20: each entry says what may be done with it, and what it does not say is refused")
    func actions() async throws {
        try await withDomains { machine, client in
            try machine.succeed(
                "domain", "add", "shelf", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)",
                "--set", "read-only=true")
            let open = try PickerRequest(.open, types: [.content])
            try await client.withPickerSession(open) { session in
                for (domain, mayChange) in [("work", true), ("shelf", false)] {
                    let all = try await entries(session, try root(session, domain))
                    let (letters, one) = (try #require(all["Letters"]), try #require(all["one.txt"]))
                    let changes: PickerActions = mayChange ? [.rename, .move, .delete] : []
                    let looks = changes.union(.thumbnail)
                    #expect(letters.actions == looks.union(mayChange ? [.create, .search] : .search), "\(domain)")
                    #expect(one.actions == looks.union(mayChange ? [.write, .copy] : .copy), "\(domain)")
                }
                let listing = try await session.listing(of: try root(session, "work"))
                #expect(listing.folder.actions == [.create, .search, .thumbnail], "a top folder stays where it is")
            }
            let export = try PickerRequest(.export, originalPath: machine.folder + "/work/report.txt")
            try await client.withPickerSession(export) { session in
                let shelf = try root(session, "shelf")
                let listing = try await session.listing(of: shelf)
                #expect(!listing.folder.isSelectable && listing.folder.actions == [.search, .thumbnail])
                let name = try ItemName("x")
                #expect(await code { try await session.makeFolder(named: name, in: shelf) } == .notPermitted)
                #expect(await code { try await session.put(as: name, in: shelf) } == .notPermitted)
            }
        }
    }

    @Test("PICK-14, PICK-20: a search finds what is known below a folder, in pages, and says what it cannot know yet")
    func searching() async throws {
        try await withDomains { machine, client in
            for number in 10..<40 { try machine.write("x", to: machine.remote + "/Letters/two \(number).txt") }
            let request = try PickerRequest(.open, types: [.text])
            let two = try PickerQuery("TWO txt")
            try await client.withPickerSession(request) { session in
                let top = try root(session, "work")
                let listed = try await entries(session, top)
                let letters = try #require(listed["Letters"])
                let before = try await session.search(for: two, below: top)
                #expect(before.entries.isEmpty && before.isLoading, "nobody has looked into Letters yet")
                _ = try await entries(session, letters.id)
                var (found, next, pages) = ([PickerEntry](), PageToken?.none, 0)
                repeat {
                    let page = try await session.search(for: two, below: top, after: next, suggestedCount: 10)
                    #expect(page.entries.count <= 10 && !page.isLoading)
                    found += page.entries
                    next = page.next
                    pages += 1
                } while next != nil && pages < 20
                #expect(found.count == 31 && Set(found.map(\.id)).count == 31 && pages >= 4)
                #expect(found.allSatisfy { $0.isSelectable && $0.actions.contains(.copy) })
                let photo = try await session.search(for: try PickerQuery("photo"), below: top)
                #expect(photo.entries.map(\.isSelectable) == [false])
                #expect(await code { try await session.open(try #require(photo.entries.first).id) } == .typeNotAccepted)
                #expect(try await session.search(for: try PickerQuery("photo"), below: letters.id).entries.isEmpty)
                #expect(
                    await code { try await session.search(for: two, below: top, after: try PageToken([1])) }
                        == .pageExpired)
                #expect(
                    await code { try await session.search(for: two, below: try PickerEntryID([1, 2])) }
                        == .invalidArgument)
                let picked = try await session.open(
                    try #require(found.first { $0.status.item.name?.rawValue == "two.txt" }).id)
                #expect(picked.location.description == "work:/Letters/two.txt")
                #expect(await code { try await session.search(for: two, below: top) } == .invalidArgument)
            }
        }
    }

    @Test("PICK-7: a provider says in which folder its picker begins")
    func start() async throws {
        try await withDomains(settings: ["start=deep"]) { _, client in
            try await client.withPickerSession(try PickerRequest(.open, types: [.content])) { session in
                let top = try await session.listing(of: try root(session, "book"))
                let start = try #require(top.shape.start)
                #expect(try await entries(session, start).keys.contains("Checklist.txt"))
            }
        }
    }
}
