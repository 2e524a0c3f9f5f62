import DocumentModel
import Testing

@testable import DocumentWire

/// Nothing impossible gets through the checks of the host tools' contract.
struct HostileServiceTests: HostileInputSuite {
    @Test(
        "CONT-8: what a presenter presents is an item of a domain or an absolute path, and not both",
        arguments: [
            ("d:/a", "/home/a"), ("", "home/a"), ("", "/home/../a"), ("", "/a\0b"),
            ("", "/" + String(repeating: "x", count: 4095)), ("/home/a", ""), (":/home/a", ""),
        ])
    func presented(location: String, path: String) {
        #expect(throws: DocumentError.self) { try PresentedPlace(location: location, localPath: path) }
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
