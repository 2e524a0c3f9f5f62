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
        #expect(code(.startProviding(ProvidedContents(try item("a"))), for: start) == nil)
        #expect(code(.startProviding(ProvidedContents(try item("b"))), for: start) == .contractBroken)
        #expect(code(.itemChanged, for: .stopProviding(a)) == .contractBroken)
    }

    @Test("WIRE-36: a digest that is no SHA-256 breaks the contract", arguments: [1, 31, 33, 64])
    func digests(length: Int) throws {
        let provided = ProvidedContents(try item("a"), sha256: [UInt8](repeating: 1, count: length))
        #expect {
            try ProviderReply(serialized: ProviderReply.startProviding(provided).serialized())
        } throws: { error in
            let error = error as? DocumentError
            return error?.code == .contractBroken
                && error?.causes == ["A SHA-256 has 32 bytes, or is left out: \(length) bytes are none."]
        }
    }

    @Test("PROV-11: none of the four calls that every provider answers has an answer that says nothing")
    func noDefaults() throws {
        let a = try ItemIdentifier("a")
        let calls: [ProviderCall] = [
            .providePlaceholder(a), .startProviding(a, stagingPath: "/t/x", contentVersion: []), .itemChanged(a),
            .stopProviding(a),
        ]
        for call in calls {
            let error = #expect(throws: DocumentError.self) { try ProviderReply(serialized: [], to: call) }
            #expect(error?.code == .unimplemented, "\(call)")
        }
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
