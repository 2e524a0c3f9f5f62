import DocumentModel
import DocumentStorage
import DocumentTestSupport
import FileCoordination
import Testing

@testable import DocumentHost

/// The balance of started and stopped bookmarks.
@Suite struct BookmarkAccessesTests {
    private func scope(
        _ item: String, _ rights: BookmarkRights = .readWrite, expires: Int64? = nil
    ) throws -> BookmarkAccesses.Scope {
        BookmarkAccesses.Scope(
            item: ItemKey(domain: try DomainName("work"), id: try ItemIdentifier(item)), rights: rights,
            expires: expires)
    }

    private func id(_ number: UInt64) -> BookmarkIdentifier { BookmarkIdentifier(rawValue: number) }

    @Test("BOOK-2: each start that is granted needs one stop, and gives access until the last")
    func balance() throws {
        let accesses = Ledger()
        let scope = try scope("a")
        #expect(accesses.scope(id(1), of: 7, at: 0) == nil)
        #expect(!accesses.stop(id(1), by: 7))
        for _ in 1...3 { #expect(accesses.start(id(1), scope, by: 7) == .granted) }
        for _ in 1...2 {
            #expect(accesses.stop(id(1), by: 7))
            #expect(accesses.scope(id(1), of: 7, at: 0) == scope)
        }
        #expect(accesses.stop(id(1), by: 7))
        #expect(accesses.scope(id(1), of: 7, at: 0) == nil)
        #expect(!accesses.stop(id(1), by: 7))
        #expect(accesses.end(7) == 0)
    }

    @Test("BOOK-2: what one tool has started gives nothing to another, and ends with its connection")
    func tools() throws {
        let accesses = Ledger()
        let scope = try scope("a")
        #expect(accesses.start(id(1), scope, by: 7) == .granted)
        #expect(accesses.start(id(1), scope, by: 7) == .granted)
        #expect(accesses.scope(id(1), of: 8, at: 0) == nil)
        #expect(!accesses.stop(id(1), by: 8))
        #expect(accesses.end(7) == 2)
        #expect(accesses.scope(id(1), of: 7, at: 0) == nil)
        #expect(accesses.end(7) == 0)
    }

    @Test("BOOK-2: what ends with an access is nothing that a tool could forget to stop, or stop itself")
    func forAccesses() throws {
        let accesses = Ledger()
        let scope = try scope("a")
        for _ in 0...BookmarkAccesses.mostOfOneTool {
            #expect(accesses.start(id(1), scope, by: 7, isForAccess: true) == .granted)
        }
        #expect(!accesses.stop(id(1), by: 7))
        #expect(accesses.start(id(1), scope, by: 7) == .granted)
        for _ in 0...BookmarkAccesses.mostOfOneTool { #expect(accesses.stop(id(1), by: 7, isForAccess: true)) }
        #expect(!accesses.stop(id(1), by: 7, isForAccess: true))
        #expect(accesses.scope(id(1), of: 7, at: 0) == scope)
        #expect(accesses.end(7) == 1)
    }

    @Test("BOOK-2: a tool that leaks its accesses is told so, and gets none until it connects anew")
    func leak() throws {
        let accesses = Ledger()
        let scope = try scope("a")
        for number in 1...BookmarkAccesses.mostOfOneTool {
            #expect(accesses.start(id(UInt64(number % 10)), scope, by: 7) == .granted)
        }
        let most = BookmarkAccesses.mostOfOneTool
        #expect(accesses.start(id(1), scope, by: 7) == .leaking(open: most))
        // Stopping a few now does not help, and what it holds it keeps.
        #expect(accesses.stop(id(1), by: 7))
        #expect(accesses.start(id(1), scope, by: 7) == .leaking(open: most - 1))
        #expect(accesses.scope(id(1), of: 7, at: 0) == scope)
        #expect(accesses.start(id(1), scope, by: 8) == .granted)
        #expect(accesses.end(7) == most - 1)
        #expect(accesses.start(id(1), scope, by: 7) == .granted)
    }

    @Test("BOOK-2: a tool that balances its accesses may have any number of them, one after the other")
    func noLeak() throws {
        let accesses = Ledger()
        let scope = try scope("a")
        for number in 0..<(5 * BookmarkAccesses.mostOfOneTool) {
            #expect(accesses.start(id(UInt64(number)), scope, by: 7) == .granted)
            #expect(accesses.stop(id(UInt64(number)), by: 7))
        }
    }

    @Test("BOOK-5: what is revoked gives nothing at once, for every tool, and can still be stopped")
    func revoking() throws {
        let accesses = Ledger()
        let scope = try scope("a")
        for tool: UInt64 in [7, 8] { #expect(accesses.start(id(1), scope, by: tool) == .granted) }
        #expect(accesses.start(id(2), try self.scope("b"), by: 7) == .granted)
        accesses.revoke(id(1))
        for tool: UInt64 in [7, 8] {
            #expect(accesses.scope(id(1), of: tool, at: 0) == nil)
            #expect(accesses.stop(id(1), by: tool))
        }
        #expect(accesses.scopes(of: 7, at: 0) == [try self.scope("b")])
    }

    @Test("BOOK-5: what expires while it is started gives nothing from then on")
    func expiry() throws {
        let accesses = Ledger()
        #expect(accesses.start(id(1), try scope("a", expires: 100), by: 7) == .granted)
        #expect(accesses.scope(id(1), of: 7, at: 99) != nil)
        #expect(accesses.scope(id(1), of: 7, at: 100) == nil)
        #expect(accesses.scopes(of: 7, at: 100).isEmpty)
        #expect(accesses.stop(id(1), by: 7))
    }

    @Test("BOOK-2: whatever tools do in whatever order, only as much is open as was started and not stopped")
    func histories() throws {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SplitMix(state: seed)
            let accesses = Ledger()
            var open: [UInt64: [UInt64: Int]] = [:]
            var revoked: [UInt64: Set<UInt64>] = [:]
            for _ in 0..<200 {
                let (tool, number) = (
                    UInt64.random(in: 1...3, using: &generator), UInt64.random(in: 1...4, using: &generator)
                )
                switch Int.random(in: 0...9, using: &generator) {
                case 0...3:
                    #expect(accesses.start(id(number), try scope("\(number)"), by: tool) == .granted)
                    open[tool, default: [:]][number, default: 0] += 1
                    revoked[tool]?.remove(number)
                case 4...7:
                    let count = open[tool]?[number] ?? 0
                    #expect(accesses.stop(id(number), by: tool) == (count > 0))
                    if count > 0 { open[tool]?[number] = count - 1 }
                    if count == 1 { revoked[tool]?.remove(number) }
                case 8:
                    accesses.revoke(id(number))
                    for tool in 1...3 as ClosedRange<UInt64> where open[tool]?[number] ?? 0 > 0 {
                        revoked[tool, default: []].insert(number)
                    }
                default:
                    #expect(accesses.end(tool) == open[tool, default: [:]].values.reduce(0, +))
                    open[tool] = nil
                    revoked[tool] = nil
                }
                for tool in 1...3 as ClosedRange<UInt64> {
                    for number in 1...4 as ClosedRange<UInt64> {
                        let isOpen = open[tool]?[number] ?? 0 > 0 && revoked[tool]?.contains(number) != true
                        #expect((accesses.scope(id(number), of: tool, at: 0) != nil) == isOpen)
                    }
                }
            }
        }
    }
}

/// So that what changes it can stand in an expectation.
private final class Ledger {
    private var accesses = BookmarkAccesses()

    func start(
        _ id: BookmarkIdentifier, _ scope: BookmarkAccesses.Scope, by tool: UInt64, isForAccess: Bool = false
    ) -> BookmarkAccesses.Start { accesses.start(id, scope, by: tool, isForAccess: isForAccess) }

    func stop(_ id: BookmarkIdentifier, by tool: UInt64, isForAccess: Bool = false) -> Bool {
        accesses.stop(id, by: tool, isForAccess: isForAccess)
    }

    func revoke(_ id: BookmarkIdentifier) { accesses.revoke(id) }

    func end(_ tool: UInt64) -> Int { accesses.end(tool) }

    func scope(_ id: BookmarkIdentifier, of tool: UInt64, at now: Int64) -> BookmarkAccesses.Scope? {
        accesses.scope(id, of: tool, at: now)
    }

    func scopes(of tool: UInt64, at now: Int64) -> [BookmarkAccesses.Scope] { accesses.scopes(of: tool, at: now) }
}
