import DocumentModel
import FileCoordination
import Testing

@testable import DocumentHost

@Suite struct RemovalsUnderWayTests {
    private let keys: [ItemKey]

    init() throws {
        let domain = try DomainName("d")
        keys = try ["a", "b"].map { ItemKey(domain: domain, id: try ItemIdentifier($0)) }
    }

    @Test("CONT-13: of several that remove an item, the last one tells that nobody does, unless one has begun")
    func last() {
        let removals = RemovalsUnderWay()
        removals.begin(keys)
        removals.begin([keys[0]])
        #expect(removals.end(keys, hasBegun: false) == [keys[1]])
        #expect(removals.end([keys[0]], hasBegun: false) == [keys[0]])
        for _ in 0..<2 { removals.begin([keys[0]]) }
        #expect(removals.end([keys[0]], hasBegun: true) == [])
        #expect(removals.end([keys[0]], hasBegun: false) == [])
        removals.begin([keys[0]])
        #expect(removals.end([keys[0]], hasBegun: false) == [keys[0]])
    }
}
