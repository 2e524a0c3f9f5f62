import DocumentModel
import Testing

@testable import DocumentWire

/// Nothing impossible gets through the checks of the provider protocol, and no bytes make any of them trap.
struct HostileInputTests: HostileInputSuite {
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
}
