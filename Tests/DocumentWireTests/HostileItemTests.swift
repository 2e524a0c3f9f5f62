import DocumentModel
import Testing

@testable import DocumentWire

/// Nothing impossible gets through the checks of items that a provider tells of.
struct HostileItemTests: HostileInputSuite {
    @Test("an ordinary item is accepted, with the defaults of what is absent")
    func ordinary() throws {
        let item = try Item(document)
        #expect(item.contentType == .plainText)
        #expect(item.capabilities == .readOnly)
        #expect(item.modified == .zero)
        var unknownSize = document
        unknownSize.size = -1
        #expect(try Item(unknownSize).size == nil)
    }

    @Test(
        "names that are not one component are the provider's fault, not names",
        arguments: [
            ".", "..", "/", "a/b", "/a", "a/", "a\0b", "\n", "a\u{1B}[2J", "a\u{7F}", "\u{2028}",
            String(repeating: "x", count: 256), String(repeating: "é", count: 128), ".docent-placeholders",
        ].map(HostileText.init)
    )
    func names(_ hostile: HostileText) {
        let name = hostile.text
        var item = document
        item.name = name
        #expect(refusal(of: item) == .contractBroken)
        var create = WireProviderProviderRequest()
        create.create = .with(name: name)
        #expect(code { _ = try ProviderCall(serialized: create.encoded()) } == .invalidArgument)
    }

    @Test("a name of 255 bytes is accepted")
    func longestName() throws {
        var item = document
        item.name = String(repeating: "x", count: 255)
        #expect(refusal(of: item) == nil)
    }

    @Test("only the top folder has neither name nor folder")
    func topFolder() {
        var item = document
        item.name = ""
        #expect(refusal(of: item) == .contractBroken)
        item.parentID = ""
        #expect(refusal(of: item) == .contractBroken)
        item.kind = .folder
        item.size = 0
        #expect(refusal(of: item) == nil)
        item.name = "x"
        #expect(refusal(of: item) == .contractBroken)
    }

    @Test("ID-9: identifiers of 0 or more than 4,096 bytes, or with a NUL, are refused", arguments: [0, 4096, 4097])
    func identifiers(length: Int) {
        var item = document
        item.id = String(repeating: "i", count: length)
        #expect(refusal(of: item) == (length == 4096 ? nil : .contractBroken))
        item.id = "a\0"
        #expect(refusal(of: item) == .contractBroken)
        item.id = "/"
        #expect(refusal(of: item) == .contractBroken, "an item that lies in itself")
    }

    @Test("kinds, sizes, times, types and versions out of range are refused")
    func ranges() {
        func changed(_ change: (inout WireModelItem) -> Void) -> DocumentError.Code? {
            var item = document
            change(&item)
            return refusal(of: item)
        }
        #expect(changed { $0.kind = .unspecified } == .contractBroken)
        #expect(changed { $0.kind = .UNRECOGNIZED(77) } == .contractBroken)
        #expect(changed { $0.size = -2 } == .contractBroken)
        #expect(changed { $0.size = .min } == .contractBroken)
        #expect(changed { $0.kind = .folder } == .contractBroken, "a folder with a size")
        #expect(changed { $0.modified.nanoseconds = 1_000_000_000 } == .contractBroken)
        #expect(changed { $0.created.seconds = .max } == .contractBroken)
        #expect(changed { $0.created.seconds = .min } == .contractBroken)
        #expect(changed { $0.contentType = "no type" } == .contractBroken)
        #expect(changed { $0.version.content = collected([]) } == .contractBroken, "a document without version")
    }

    @Test("PROV-21: version parts, page tokens and anchors over their limits are refused")
    func opaqueLimits() {
        var item = document
        item.version.content = collected([UInt8](repeating: 1, count: 128))
        #expect(refusal(of: item) == nil)
        item.version.content = collected([UInt8](repeating: 1, count: 129))
        #expect(refusal(of: item) == .contractBroken)

        var page = WireProviderProviderAnswer()
        page.enumerate.nextPage = collected([UInt8](repeating: 1, count: 501))
        #expect(code { _ = try ProviderReply(serialized: page.encoded()) } == .contractBroken)

        var anchor = WireProviderProviderAnswer()
        anchor.currentAnchor = WireProviderCurrentAnchorAnswer()
        #expect(code { _ = try ProviderReply(serialized: anchor.encoded()) } == .contractBroken, "an empty anchor")
        var changes = WireProviderProviderAnswer()
        changes.changesSince.anchor = collected([1])
        changes.changesSince.deletedIds = ["a", ""]
        #expect(code { _ = try ProviderReply(serialized: changes.encoded()) } == .contractBroken)
    }

    @Test("one bad item refuses its page, and the cause names it")
    func badPage() throws {
        var bad = document
        bad.name = ".."
        var answer = WireProviderProviderAnswer()
        answer.enumerate.items = [document, bad, document]
        let bytes = answer.encoded()
        let error = #expect(throws: DocumentError.self) { try ProviderReply(serialized: bytes) }
        #expect(error?.code == .contractBroken)
        #expect(error?.causes.first?.contains("“..”") == true)
    }
}
