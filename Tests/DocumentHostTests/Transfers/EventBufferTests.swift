import DocumentModel
import DocumentStorage
import DocumentTestSupport
import FileCoordination
import Testing

@testable import DocumentHost

@Suite("What has happened and was not told yet")
struct EventBufferTests {
    private let domain: DomainName

    init() throws {
        domain = try DomainName("work")
    }

    private func change(_ id: Int, _ kind: ItemChange.Kind) throws -> ItemChange {
        ItemChange(domain: domain, id: try ItemIdentifier("\(id)"), kind: kind)
    }

    private func key(_ id: Int) throws -> EventBuffer.Key {
        EventBuffer.Key(domain: domain, id: try ItemIdentifier("\(id)"))
    }

    private func place(_ name: String) throws -> Location { try Location("work:/\(name)") }

    private func told(_ changes: [ItemChange], capacity: Int = 100) -> [EventBuffer.Entry] {
        var buffer = EventBuffer(capacity: capacity)
        for change in changes { buffer.add(change) }
        return buffer.take()
    }

    @Test("an item that changes often is told of once, in the order of what happened first")
    func often() throws {
        var changes: [ItemChange] = []
        for _ in 0..<1_000 { changes += [try change(1, .changed), try change(2, .changed)] }
        #expect(told(changes) == [.changed(try key(1)), .changed(try key(2))])
    }

    @Test("what came and went between two looks is not told, and what moved is told from where it was last seen")
    func joined() throws {
        let (a, b) = (try place("a"), try place("b"))
        // Somebody may have looked in between.
        #expect(
            told([try change(1, .appeared), try change(1, .changed), try change(1, .removed(from: a))])
                == [.removed(try key(1), from: a)])
        #expect(
            told([try change(1, .moved(from: a)), try change(1, .moved(from: b))]) == [.moved(try key(1), from: a)])
        #expect(
            told([try change(1, .moved(from: a)), try change(1, .removed(from: b))]) == [.removed(try key(1), from: a)])
        #expect(told([try change(1, .changed), try change(1, .moved(from: a))]) == [.moved(try key(1), from: a)])
        #expect(told([try change(1, .appeared), try change(1, .moved(from: a))]) == [.appeared(try key(1))])
        // An identifier that is used anew is another item.
        #expect(
            told([try change(1, .removed(from: a)), try change(1, .appeared)])
                == [.removed(try key(1), from: a), .appeared(try key(1))])
    }

    @Test("INV-8: it never holds more than its capacity, and says that some were lost before what happened after")
    func bounded() throws {
        for seed in 0..<300 as Range<UInt64> {
            var numbers = SplitMix(state: seed)
            let capacity = Int.random(in: 1...20, using: &numbers)
            var buffer = EventBuffer(capacity: capacity)
            var subjects: Set<Int> = []
            var hasOverflown = false
            for _ in 0..<Int.random(in: 0...200, using: &numbers) {
                let id = Int.random(in: 0...30, using: &numbers)
                let kinds: [ItemChange.Kind] = [
                    .changed, .moved(from: try place("x")), .removed(from: try place("y")), .appeared,
                ]
                buffer.add(try change(id, kinds.randomElement(using: &numbers) ?? .changed))
                subjects.insert(id)
                #expect(buffer.count <= capacity + 1)
            }
            let entries = buffer.take()
            hasOverflown = entries.first == .lost
            #expect(!entries.dropFirst().contains(.lost))
            #expect(buffer.isEmpty && buffer.take().isEmpty)
            if subjects.count * 2 <= capacity { #expect(!hasOverflown, "seed \(seed)") }
        }
        var buffer = EventBuffer(capacity: 3)
        for id in 0..<5 { buffer.add(try change(id, .changed)) }
        #expect(buffer.take() == [.lost, .changed(try key(4))])
    }

    @Test("a domain that goes is told of as gone, whatever it was before")
    func domains() {
        var buffer = EventBuffer(capacity: 5)
        buffer.domainChanged(domain)
        buffer.domainChanged(domain)
        buffer.domainRemoved(domain)
        #expect(buffer.take() == [.domainRemoved(domain)])
    }
}
