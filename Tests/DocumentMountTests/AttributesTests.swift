import DocumentModel
import DocumentMount
import Testing

/// What programs see of an item.
@Suite struct AttributesTests {
    private func status(_ state: ItemState, size: Int64? = 7) throws -> ItemStatus {
        ItemStatus(
            item: Item(
                id: try ItemIdentifier("one"), parentID: .root, name: try ItemName("a.txt"), kind: .document,
                size: size,
                modified: Timestamp(seconds: 100, nanoseconds: 5), version: try ItemVersion(content: [0x0A, 0xFF]),
                capabilities: .readOnly),
            location: try Location("work:/a.txt"), state: state, path: "/root/documents/work/a.txt")
    }

    @Test func aPlaceholderHasItsTrueSizeAndTimeAndTakesNoRoom() throws {
        let attributes = NodeAttributes(try status(.placeholder), file: nil)
        #expect(attributes.size == 7)
        #expect(attributes.modified == Timestamp(seconds: 100, nanoseconds: 5))
        #expect(attributes.blocks == 0)
        #expect(!attributes.isFolder)
        #expect(!attributes.isWritable)
        #expect(NodeAttributes(try status(.placeholder, size: nil), file: nil).size == 0)
    }

    @Test func whatIsHereIsShownAsItsFileIs() throws {
        let file = NodeAttributes.FileFacts(size: 9, blocks: 8, modified: Timestamp(seconds: 200))
        let attributes = NodeAttributes(try status(.changed), file: file)
        #expect(attributes.size == 9)
        #expect(attributes.blocks == 8)
        #expect(attributes.modified == Timestamp(seconds: 200))
    }

    @Test func numbersAreTheSameForTheSameItemAndOthersForOthers() throws {
        let (work, home) = (try DomainName("work"), try DomainName("home"))
        let one = NodeAttributes.number(of: try ItemIdentifier("one"), in: work)
        #expect(one == NodeAttributes.number(of: try ItemIdentifier("one"), in: work))
        #expect(one != NodeAttributes.number(of: try ItemIdentifier("one"), in: home))
        #expect(one != NodeAttributes.number(of: try ItemIdentifier("two"), in: work))
    }

    @Test func extendedAttributesTellWhereAnItemStands() throws {
        var item = try status(.placeholder)
        #expect(ExtendedAttributes.value(of: "user.docent.state", item) == "placeholder")
        #expect(ExtendedAttributes.value(of: "user.docent.location", item) == "work:/a.txt")
        #expect(ExtendedAttributes.value(of: "user.docent.version", item) == "0aff")
        #expect(ExtendedAttributes.value(of: "user.docent.waiting", item) == nil)
        #expect(ExtendedAttributes.value(of: "user.other", item) == nil)
        item.transfers.download = TransferStatus(
            wait: .remote, problem: DocumentError(.serverUnreachable, "The server does not answer."))
        #expect(ExtendedAttributes.value(of: "user.docent.waiting", item) == "remote: The server does not answer.")
    }
}
