import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Many items that are renamed at once, each to a name that another one still has: others wait for the index meanwhile.
@Suite(.timeLimit(.minutes(1))) struct ManyRenamesTests {
    private let storage: StorageFixture
    private static let count = 4_000

    init() throws {
        storage = try StorageFixture()
    }

    private func tell(_ names: [String]) throws -> ApplyOutcome {
        let items = try names.enumerated().map { try storage.item("\($0.offset)", $0.element) }
        return try storage.index.write { try $0.apply(items, in: storage.domain) }
    }

    private func expectNames(_ names: [String], _ outcome: ApplyOutcome) throws {
        #expect(outcome.rejected.isEmpty && outcome.clashes.isEmpty)
        try storage.index.read { index throws -> Void in
            for (number, name) in names.enumerated() {
                let item = try index.item(ItemIdentifier("\(number)"), in: storage.domain)
                guard item?.item.name?.rawValue == name, item?.wanted == nil else {
                    Issue.record("\(number) is \(item?.item.name?.rawValue ?? "nowhere") and not \(name)")
                    return
                }
            }
        }
    }

    @Test(
        "Names that are handed on from item to item arrive in one go, whichever end of the chain is told of first",
        arguments: [true, false])
    func chain(isForward: Bool) throws {
        let before = (0..<Self.count).map { "f\($0)" }
        _ = try tell(before)
        let after = isForward ? Array(before.dropFirst()) + ["free"] : ["free"] + Array(before.dropLast())
        try expectNames(after, tell(after))
    }

    @Test("So do names that pairs of items exchange")
    func pairs() throws {
        let before = (0..<Self.count).map { "f\($0)" }
        _ = try tell(before)
        let after = (0..<Self.count).map { "f\($0 ^ 1)" }
        try expectNames(after, tell(after))
    }

    @Test("One ring of all items is resolved, too")
    func ring() throws {
        let before = (0..<Self.count).map { "f\($0)" }
        _ = try tell(before)
        let after = (0..<Self.count).map { "f\(($0 + 1) % Self.count)" }
        try expectNames(after, tell(after))
    }
}
