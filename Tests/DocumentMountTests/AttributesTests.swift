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

    @Test("XFER-8: where contents stand, what was asked for, conflicts, exclusion, and an error for each direction")
    func transferAttributes() throws {
        func value(_ name: String, _ item: ItemStatus) -> String? {
            ExtendedAttributes.value(of: "user.docent.\(name)", item)
        }
        let flags = ["downloadRequested", "hasUnresolvedConflicts", "isExcludedFromSync"]
        var item = try status(.placeholder)
        #expect(value("downloadingStatus", item) == "notDownloaded")
        #expect(flags.map { value($0, item) } == ["false", "false", "false"])
        #expect(value("downloadingError", item) == nil && value("uploadingError", item) == nil)
        item.transfers.isDownloadRequested = true
        item.transfers.download = TransferStatus(
            wait: .remote, problem: DocumentError(.serverUnreachable, "The server does not answer."))
        #expect(value("downloadRequested", item) == "true")
        #expect(value("downloadingError", item) == "serverUnreachable: The server does not answer.")
        item = try status(.conflict)
        item.marks = ItemMarks(keeping: .excluded)
        item.transfers.upload = TransferStatus(
            wait: .remoteSpace, problem: DocumentError(.insufficientQuota, "There is no room."))
        #expect(value("downloadingStatus", item) == "current")
        #expect(flags.map { value($0, item) } == ["false", "true", "true"])
        #expect(value("uploadingError", item) == "insufficientQuota: There is no room.")
        #expect(value("downloadingError", item) == nil)
        item = try status(.outdated)
        item.item.conflictVersions = 1
        #expect(value("downloadingStatus", item) == "downloaded" && value("hasUnresolvedConflicts", item) == "true")
        item.item.kind = .folder
        #expect((flags + ["downloadingStatus"]).allSatisfy { value($0, item) == nil })
    }
}
