import DocumentModel
import Testing

@testable import FileCoordination

/// Items that were made here get their provider's identifier while they are used (CONT-7).
struct IdentityTests {
    private let domain: DomainName
    private let tool = ClaimOwner(id: 1, name: "one")
    private let other = ClaimOwner(id: 2, name: "two")

    init() throws { domain = try DomainName("d") }

    private func item(_ id: String, _ path: String, in folder: String? = nil) throws -> CoordinatedItem {
        let around = try folder.map {
            [CoordinatedItem.Folder(key: .init(domain: domain, id: try ItemIdentifier($0)), isPackage: false)]
        }
        return CoordinatedItem(
            subject: .item(.init(domain: domain, id: try ItemIdentifier(id))), kind: .document,
            enclosing: around ?? [], location: try Location("d:/\(path)"))
    }

    private func claim(_ number: UInt64, _ owner: ClaimOwner, _ item: CoordinatedItem, _ intent: ClaimIntent) -> Claim {
        Claim(id: ClaimID(number), owner: owner, item: item, intent: intent)
    }

    private func granted(_ actions: [CoordinationAction]) -> [ClaimID] {
        actions.compactMap { if case .grant(let id, _) = $0 { id } else { nil } }
    }

    @Test("COORD-2: a writer of the item under its old identifier keeps out those that ask under either")
    func writer() throws {
        var machine = CoordinationStateMachine()
        let (old, new) = (try item("old", "a.txt"), try item("new", "a.txt"))
        #expect(granted(machine.request(claim(1, tool, old, .writing(nil)))) == [ClaimID(1)])
        _ = machine.identified(old, as: try ItemIdentifier("new"))
        #expect(granted(machine.request(claim(2, other, new, .reading([])))).isEmpty)
        #expect(granted(machine.request(claim(3, other, old, .reading([])))).isEmpty)
        #expect(!machine.canGrantAtOnce(claim(4, other, old, .reading([]))))
        #expect(machine.isClaimed(.init(domain: domain, id: try ItemIdentifier("old"))))
        #expect(machine.isClaimed(.init(domain: domain, id: try ItemIdentifier("new"))))
        #expect(Set(granted(machine.end(ClaimID(1)))) == [ClaimID(2), ClaimID(3)])
    }

    @Test("COORD-3, COORD-23: claims inside of a folder follow its identifier: who deletes it waits for them")
    func folder() throws {
        var machine = CoordinationStateMachine()
        let inside = try item("a", "f/a.txt", in: "old")
        let second = try item("b", "f/b.txt", in: "old")
        let folder = CoordinatedItem(
            subject: .item(.init(domain: domain, id: try ItemIdentifier("old"))), kind: .folder, enclosing: [],
            location: try Location("d:/f"))
        for (number, item) in [(UInt64(1), inside), (2, inside), (3, second)] {
            #expect(granted(machine.request(claim(number, tool, item, .reading([])))) == [ClaimID(number)])
        }
        _ = machine.identified(folder, as: try ItemIdentifier("new"))
        let now = CoordinatedItem(
            subject: .item(.init(domain: domain, id: try ItemIdentifier("new"))), kind: .folder, enclosing: [],
            location: folder.location)
        #expect(granted(machine.request(claim(4, other, now, .writing(.forDeleting)))).isEmpty)
        for number in [UInt64(1), 2] { #expect(granted(machine.end(ClaimID(number))).isEmpty) }
        #expect(granted(machine.end(ClaimID(3))) == [ClaimID(4)])
    }

    @Test("COORD-2: an item whose identifier changes more than once is known by each of them")
    func twice() throws {
        var machine = CoordinationStateMachine()
        let (first, second) = (try item("first", "a.txt"), try item("second", "a.txt"))
        #expect(granted(machine.request(claim(1, tool, first, .writing(nil)))) == [ClaimID(1)])
        _ = machine.identified(first, as: try ItemIdentifier("second"))
        _ = machine.identified(second, as: try ItemIdentifier("third"))
        for (number, name) in [(UInt64(2), "first"), (3, "second"), (4, "third")] {
            #expect(granted(machine.request(claim(number, other, try item(name, "a.txt"), .reading([])))).isEmpty)
            #expect(machine.isClaimed(.init(domain: domain, id: try ItemIdentifier(name))))
        }
        #expect(Set(granted(machine.end(ClaimID(1)))) == [ClaimID(2), ClaimID(3), ClaimID(4)])
    }

    @Test("an item that gets its first identifier back is one item, and is known by both")
    func back() throws {
        var machine = CoordinationStateMachine()
        let (first, second) = (try item("first", "a.txt"), try item("second", "a.txt"))
        #expect(granted(machine.request(claim(1, tool, first, .writing(nil)))) == [ClaimID(1)])
        _ = machine.identified(first, as: try ItemIdentifier("second"))
        _ = machine.identified(second, as: try ItemIdentifier("first"))
        #expect(granted(machine.request(claim(2, other, first, .reading([])))).isEmpty)
        #expect(granted(machine.request(claim(3, other, second, .reading([])))).isEmpty)
        #expect(Set(granted(machine.end(ClaimID(1)))) == [ClaimID(2), ClaimID(3)])
    }

    @Test("ID-4: an identifier that another item has by now is that one's alone: neither waits for the other")
    func takenAgain() throws {
        var machine = CoordinationStateMachine()
        let first = try item("d/a.txt", "a.txt")
        _ = machine.identified(first, as: try ItemIdentifier("d/b.txt"))
        let renamed = try item("d/b.txt", "b.txt")
        #expect(machine.current(first).subject == renamed.subject)
        machine.appeared(.init(domain: domain, id: try ItemIdentifier("d/a.txt")))
        #expect(machine.current(first).subject == first.subject)
        #expect(granted(machine.request(claim(1, tool, renamed, .writing(nil)))) == [ClaimID(1)])
        #expect(granted(machine.request(claim(2, other, first, .writing(nil)))) == [ClaimID(2)])
        #expect(machine.items(of: ClaimID(2)) == [.init(domain: domain, id: try ItemIdentifier("d/a.txt"))])
    }

    @Test("what is kept of identifiers does not grow with each one that changes, and none that is in use is forgotten")
    func bounded() throws {
        var machine = CoordinationStateMachine()
        let used = try item("used", "used.txt")
        #expect(granted(machine.request(claim(1, tool, used, .writing(nil)))) == [ClaimID(1)])
        _ = machine.identified(used, as: try ItemIdentifier("now"))
        for number in 0..<5 * Identities.most {
            _ = machine.identified(try item("old \(number)", "\(number)"), as: try ItemIdentifier("new \(number)"))
            #expect(machine.identities.count <= Identities.most)
        }
        #expect(granted(machine.request(claim(2, other, used, .reading([])))).isEmpty)
        let last = try item("old \(5 * Identities.most - 1)", "last")
        #expect(machine.current(last).subject != last.subject, "the newest are kept")
    }
}
