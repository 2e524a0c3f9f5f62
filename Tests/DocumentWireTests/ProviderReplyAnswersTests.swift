import DocumentModel
import DocumentWire
import Testing

/// What the host checks of an answer beside its own values.
struct ProviderReplyAnswersTests {
    private func item(_ id: String, in parent: String = "/") throws -> Item {
        Item(
            id: try ItemIdentifier(id), parentID: try ItemIdentifier(parent), name: try ItemName("n"), kind: .document,
            version: try ItemVersion(content: [1])
        )
    }

    private func code(_ reply: ProviderReply, for call: ProviderCall) -> DocumentError.Code? {
        do {
            try reply.check(answers: call)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("an answer of another kind, or about another item, breaks the contract")
    func kindsAndItems() throws {
        let a = try ItemIdentifier("a")
        let start = ProviderCall.startProviding(a, stagingPath: "/t/x", contentVersion: [])
        #expect(code(.item(try item("a")), for: .item(a)) == nil)
        #expect(code(.item(try item("b")), for: .item(a)) == .contractBroken)
        #expect(code(.startProviding(try item("a")), for: start) == nil)
        #expect(code(.startProviding(try item("b")), for: start) == .contractBroken)
        #expect(code(.itemChanged, for: .stopProviding(a)) == .contractBroken)
    }

    @Test("PROV-21: a page is at most a hundred times as long as suggested, and holds the folder's items only")
    func pages() throws {
        let call = ProviderCall.enumerate(container: .root, page: nil, suggestedCount: 1)
        let page = try (0..<100).map { try item("i\($0)") }
        #expect(code(.enumerate(ItemPage(items: page)), for: call) == nil)
        #expect(code(.enumerate(ItemPage(items: page + page.prefix(1))), for: call) == .contractBroken)
        #expect(code(.enumerate(ItemPage(items: [try item("a", in: "other")])), for: call) == .contractBroken)
    }
}
