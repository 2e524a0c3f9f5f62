import DocumentModel
import Testing

@testable import DocumentWire

/// Nothing impossible gets through the checks, and no bytes make them trap.
struct HostileInputTests {
    private var document: WireModelItem {
        var item = WireModelItem()
        item.id = "id"
        item.parentID = "/"
        item.name = "name.txt"
        item.kind = .document
        item.size = 3
        item.version.content = collected([1])
        return item
    }

    private func code(_ body: () throws -> Void) -> DocumentError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    private func refusal(of item: WireModelItem) -> DocumentError.Code? {
        var answer = WireProviderProviderAnswer()
        answer.item.item = item
        return code { _ = try ProviderReply(serialized: answer.encoded()) }
    }

    @Test(
        "CONT-8: what a presenter presents is an item of a domain or an absolute path, and not both",
        arguments: [
            ("d:/a", "/home/a"), ("", "home/a"), ("", "/home/../a"), ("", "/a\0b"),
            ("", "/" + String(repeating: "x", count: 4095)), ("/home/a", ""), (":/home/a", ""),
        ])
    func presented(location: String, path: String) {
        #expect(throws: DocumentError.self) { try PresentedPlace(location: location, localPath: path) }
    }

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

    @Test(
        "a staging file that is not an absolute path without “..” is refused",
        arguments: ["", "relative", "/a/../b", "/..", "/a\0b", "/" + String(repeating: "x", count: 5000)]
            .map(HostileText.init)
    )
    func paths(_ hostile: HostileText) {
        let path = hostile.text
        var request = WireProviderProviderRequest()
        request.startProviding.id = "x"
        request.startProviding.stagingPath = path
        #expect(code { _ = try ProviderCall(serialized: request.encoded()) } == .invalidArgument)
    }

    @Test("ID-2: paths that leave the top folder are refused", arguments: ["/a", "a//b", "a/", "../x", "a/..", "."])
    func relativePaths(_ path: String) {
        var request = WireProviderProviderRequest()
        request.identifierForPath.path = path
        #expect(code { _ = try ProviderCall(serialized: request.encoded()) } == .invalidArgument)
        var answer = WireProviderProviderAnswer()
        answer.pathForIdentifier.found = true
        answer.pathForIdentifier.path = path
        #expect(code { _ = try ProviderReply(serialized: answer.encoded()) } == .contractBroken)
    }

    @Test("a folder with contents and a document without are not made")
    func creations() {
        var request = WireProviderProviderRequest()
        request.create = .with(name: "x")
        request.create.contentsPath = ""
        #expect(code { _ = try ProviderCall(serialized: request.encoded()) } == .invalidArgument)
        request.create.kind = .folder
        #expect(code { _ = try ProviderCall(serialized: request.encoded()) } == nil)
        request.create.contentsPath = "/tmp/x"
        #expect(code { _ = try ProviderCall(serialized: request.encoded()) } == .invalidArgument)
        request.create = .with(name: "x")
        request.create.operation = ""
        #expect(code { _ = try ProviderCall(serialized: request.encoded()) } == .invalidArgument)
    }

    @Test("counts are bounded, and none means a hundred")
    func counts() throws {
        var request = WireProviderProviderRequest()
        request.enumerate.containerID = "/"
        #expect(
            try ProviderCall(serialized: request.encoded())
                == .enumerate(container: .root, page: nil, suggestedCount: 100)
        )
        request.enumerate.suggestedCount = .max
        #expect(
            try ProviderCall(serialized: request.encoded())
                == .enumerate(container: .root, page: nil, suggestedCount: 10_000)
        )
    }

    @Test("settings of a session are checked")
    func sessions() {
        func changed(_ change: (inout WireProviderSessionSettings) -> Void) -> DocumentError.Code? {
            var settings = WireProviderSessionSettings()
            settings.providerID = "org.example.memory"
            settings.domain = "work"
            settings.stateFolder = "/s"
            settings.storageRoot = "/r"
            settings.stagingFolder = "/t"
            change(&settings)
            return code { _ = try SessionSettings(serialized: settings.encoded()) }
        }
        #expect(changed { _ in } == nil)
        #expect(changed { $0.domain = "../x" } == .invalidArgument)
        #expect(changed { $0.providerID = "memory" } == .invalidArgument)
        #expect(changed { $0.stateFolder = "s" } == .invalidArgument)
        #expect(changed { $0.stagingFolder = "" } == .invalidArgument)
        #expect(changed { $0.settings = ["": "x"] } == .invalidArgument)
        #expect(changed { $0.settings = ["k": "a\0"] } == .invalidArgument)
        #expect(
            changed { settings in
                for number in 0..<300 { settings.settings["k\(number)"] = "" }
            } == .invalidArgument
        )
    }

    @Test("capabilities that are not known are ignored")
    func unknownCapabilities() throws {
        var wire = WireProviderSessionCapabilities()
        wire.capabilities = ["modifying", "teleporting"]
        let capabilities = try SessionCapabilities(serialized: wire.encoded())
        #expect(capabilities == SessionCapabilities(capabilities: [.modifying]))
    }

    @Test("log texts are bounded and made fit for a terminal; an unknown level is information")
    func logs() throws {
        var notification = WireProviderProviderNotification()
        notification.log.level = .UNRECOGNIZED(9)
        notification.log.message = "one\ntwo\u{1B}]0;x\u{7}" + String(repeating: "é", count: 100_000)
        for number in 0..<500 { notification.log.metadata["k\(number)"] = "v" }
        guard
            case .log(.info, let message, let metadata) = try ProviderEvent(serialized: notification.encoded())
        else {
            Issue.record("not a log message of level info")
            return
        }
        #expect(message.hasPrefix("one\ntwo\\u{1b}]0;x\\u{7}é"))
        #expect(message.utf8.count <= 8200)
        #expect(metadata.count == 64)
    }

    @Test("empty bodies and unknown calls are unimplemented, on every side")
    func unknownCalls() {
        // Field 1000, length-delimited, empty: a call of some later version.
        for bytes in [[], [0xC2, 0x3E, 0x00]] as [[UInt8]] {
            #expect(code { _ = try ProviderCall(serialized: bytes) } == .unimplemented)
            #expect(code { _ = try ProviderReply(serialized: bytes) } == .unimplemented)
            #expect(code { _ = try HostCall(serialized: bytes) } == .unimplemented)
            #expect(code { _ = try HostReply(serialized: bytes) } == .unimplemented)
            #expect(code { _ = try ProviderEvent(serialized: bytes) } == .unimplemented)
            #expect(code { _ = try ServiceCall(serialized: bytes) } == .unimplemented)
            #expect(code { _ = try ServiceReply(serialized: bytes) } == .unimplemented)
        }
    }

    @Test("an answer that is empty, or of an unknown kind, says so, and what was expected")
    func unknownAnswers() throws {
        func message(_ bytes: [UInt8], to call: ProviderCall?) -> String? {
            #expect(throws: DocumentError.self) { try ProviderReply(serialized: bytes, to: call) }?.message
        }
        let start = ProviderCall.startProviding(.root, stagingPath: "/t/x", contentVersion: [])
        let empty = "The provider sent an answer with no field set"
        #expect(message([], to: .item(.root)) == "\(empty); `item` was expected. \(ProviderReply.advice)")
        #expect(message([], to: start) == "\(empty); `start_providing` was expected. \(ProviderReply.advice)")
        #expect(message([], to: nil) == "\(empty). \(ProviderReply.advice)")
        #expect(
            message([0xC2, 0x3E, 0x00], to: .identity)
                == "The provider sent an answer with only field 1000, which this host does not know; `identity` was expected. If the provider is newer than the host, update the host."
        )
        let error = #expect(throws: DocumentError.self) { try ProviderReply.itemChanged.check(answers: start) }
        #expect(
            error?.causes.first == "The provider was asked `start_providing` and answered with `item_changed`.",
            "\(String(describing: error))")
    }

    @Test("bytes that are no message are a protocol violation, on every side")
    func undecodable() {
        // A field that is cut short, and a string that is not UTF-8.
        for bytes in [[0x0A, 0x05, 0x01], [0x12, 0x04, 0x0A, 0x02, 0xFF, 0xFE]] as [[UInt8]] {
            #expect(code { _ = try ProviderCall(serialized: bytes) } == .protocolViolation)
            #expect(code { _ = try ProviderReply(serialized: bytes) } == .protocolViolation)
        }
        let cutShort: [UInt8] = [0x0A, 0x05, 0x01]
        #expect(code { _ = try HostCall(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try HostReply(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try ProviderEvent(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try SessionSettings(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try SessionCapabilities(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try ServiceCall(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try ServiceReply(serialized: cutShort) } == .protocolViolation)
        #expect(code { _ = try ToolIdentity(serialized: cutShort) } == .protocolViolation)
    }

    @Test("random and mutated bytes never trap, and throw nothing but document errors")
    func randomBytes() throws {
        func tryAll(_ bytes: [UInt8]) {
            let readers: [([UInt8]) throws -> Void] = [
                { _ = try ProviderCall(serialized: $0) }, { _ = try ProviderReply(serialized: $0) },
                { _ = try HostCall(serialized: $0) }, { _ = try HostReply(serialized: $0) },
                { _ = try ProviderEvent(serialized: $0) }, { _ = try SessionSettings(serialized: $0) },
                { _ = try SessionCapabilities(serialized: $0) }, { _ = try ServiceCall(serialized: $0) },
                { _ = try ServiceReply(serialized: $0) }, { _ = try ToolIdentity(serialized: $0) },
            ]
            for read in readers {
                do {
                    try read(bytes)
                } catch {
                    #expect(error is DocumentError)
                }
            }
        }
        try forEachSeed(1000) { generator in
            tryAll(generator.bytes(0...60))
            var mutated = ProviderReply.enumerate(ItemPage(items: [try generator.item(), try generator.item()]))
                .serialized()
            for _ in 0..<generator.int(1...4) {
                mutated[generator.int(0...(mutated.count - 1))] = UInt8(generator.int(0...255))
            }
            tryAll(mutated)
            tryAll(Array(mutated.prefix(generator.int(0...mutated.count))))
        }
    }

    @Test(
        "locations that are none are refused by the host tools' contract",
        arguments: ["", "work", "work:x", ":/x", "work:/../x", "work:/./x", "../work:/x", "work:/a\0"]
            .map(HostileText.init)
    )
    func locations(_ location: HostileText) {
        var request = WireServiceServiceRequest()
        request.getItem.location = location.text
        #expect(code { _ = try ServiceCall(serialized: request.encoded()) } == .invalidArgument)
    }

    @Test("unknown intents, ways to end a conflict and relative source paths are refused")
    func serviceCalls() {
        var access = WireServiceServiceRequest()
        access.beginAccess.location = "work:/x"
        #expect(code { _ = try ServiceCall(serialized: access.encoded()) } == .invalidArgument)
        access.beginAccess.intent = .UNRECOGNIZED(9)
        #expect(code { _ = try ServiceCall(serialized: access.encoded()) } == .invalidArgument)
        access.beginAccess.intent = .reading
        access.beginAccess.readingOptions.forUploading = true
        #expect(code { _ = try ServiceCall(serialized: access.encoded()) } == nil)
        access.beginAccess.readingOptions.immediatelyAvailableMetadataOnly = true
        #expect(code { _ = try ServiceCall(serialized: access.encoded()) } == .invalidArgument)
        var resolve = WireServiceServiceRequest()
        resolve.resolveConflict.location = "work:/x"
        #expect(code { _ = try ServiceCall(serialized: resolve.encoded()) } == .invalidArgument)
        var export = WireServiceServiceRequest()
        export.exportDocument.sourcePath = "x.txt"
        export.exportDocument.destination = "work:/x"
        #expect(code { _ = try ServiceCall(serialized: export.encoded()) } == .invalidArgument)
    }

    @Test("COORD-15: more than one writing option for one item in one step is refused")
    func writingOptions() {
        func written(_ options: (WireServiceWritingOption, String)...) -> WireServiceServiceRequest {
            var call = WireServiceServiceRequest()
            call.beginAccess.location = options[0].1
            call.beginAccess.intent = .writing
            call.beginAccess.writingOption = options[0].0
            call.beginAccess.also = options.dropFirst().map { option in
                var intention = WireServiceAccessIntention()
                intention.location = option.1
                intention.intent = .writing
                intention.writingOption = option.0
                return intention
            }
            return call
        }
        func refusal(_ call: WireServiceServiceRequest) -> DocumentError.Code? {
            code { _ = try ServiceCall(serialized: call.encoded()) }
        }
        #expect(refusal(written((.forMerging, "work:/x"), (.forMoving, "work:/x"))) == .invalidArgument)
        #expect(refusal(written((.unspecified, "work:/x"), (.forDeleting, "work:/x"))) == .invalidArgument)
        #expect(refusal(written((.forMoving, "work:/x"), (.forReplacing, "work:/y"))) == nil)
        #expect(refusal(written((.forMoving, "work:/x"), (.forMoving, "work:/x"))) == nil)
    }

    @Test("an impossible answer of the daemon is a protocol violation that says what to do")
    func serviceReplies() {
        var answer = WireServiceServiceAnswer()
        answer.item.item.location = "work:/x"
        answer.item.item.item = document
        answer.item.item.state = .unspecified
        let bytes = answer.encoded()
        let error = #expect(throws: DocumentError.self) { try ServiceReply(serialized: bytes) }
        #expect(error?.code == .protocolViolation)
        #expect(error?.message.contains("docent host stop") == true)
        var domains = WireServiceServiceAnswer()
        domains.listDomains.domains = [WireServiceDomain()]
        #expect(code { _ = try ServiceReply(serialized: domains.encoded()) } == .protocolViolation)
    }
}

extension WireProviderCreate {
    fileprivate static func with(name: String) -> WireProviderCreate {
        var create = WireProviderCreate()
        create.parentID = "/"
        create.name = name
        create.kind = .document
        create.contentsPath = "/tmp/contents"
        create.operation = "operation"
        return create
    }
}

/// Text that a test's log should not show as it is.
struct HostileText: Sendable, CustomTestStringConvertible {
    let text: String

    var testDescription: String { text.utf8.count > 40 ? "\(text.utf8.count) bytes" : text.debugDescription }
}
