import DocumentModel
import Testing

@testable import DocumentWire

/// Picker calls and answers that a peer that means well would not send.
struct PickerHostileInputTests {
    private func code(_ body: () throws -> Void) -> DocumentError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    private func code(_ call: WireServiceServiceRequest.OneOf_Call) -> DocumentError.Code? {
        var request = WireServiceServiceRequest()
        request.call = call
        return code { _ = try ServiceCall(serialized: request.encoded()) }
    }

    @Test("PICK-9: a session of no mode, of two kinds, or with a relative original is refused")
    func sessions() {
        let calls: [WireServiceBeginPicker] = [
            .making { $0.mode = "steal" }, .making { $0.mode = "open" },
            .making {
                $0.mode = "open"
                $0.types = ["public.text"]
                $0.originalPath = "/a"
            },
            .making {
                $0.mode = "import"
                $0.types = ["not a type"]
            },
            .making {
                $0.mode = "import"
                $0.types = Array(repeating: "public.text", count: 65)
            },
            .making { $0.mode = "export" },
            .making {
                $0.mode = "move"
                $0.originalPath = "a/../b"
            },
            .making {
                $0.mode = "export"
                $0.originalPath = "/a"
                $0.several = true
            },
            .making {
                $0.mode = "export"
                $0.originalPath = "/a"
                $0.domain = "no/domain"
            },
        ]
        for call in calls { #expect(code(.beginPicker(call)) == .invalidArgument, "\(call)") }
    }

    @Test("a choice of nothing, of two kinds, of too much, or with a name that is none is refused")
    func choices() {
        let calls: [WireServiceChoosePicker] = [
            .making { $0.session = 1 },
            .making {
                $0.entries = [collected([1])]
                $0.paths = ["/a"]
            },
            .making {
                $0.entries = [collected([1])]
                $0.target.name = "x"
            },
            .making { $0.entries = Array(repeating: collected([1]), count: 257) },
            .making { $0.entries = [collected([])] },
            .making { $0.entries = [collected(Array(repeating: 1, count: 5_000))] },
            .making { $0.paths = ["/a\0b"] }, .making { $0.paths = [""] },
            .making {
                $0.target.folder = collected([1])
                $0.target.name = "../x"
            },
        ]
        for call in calls { #expect(code(.choosePicker(call)) == .invalidArgument, "\(call)") }
        #expect(code(.browsePicker(.making { $0.session = 1 })) == .invalidArgument)
        for query in ["", "   ", String(repeating: "x", count: 257)] {
            let search = WireServiceSearchPicker.making {
                $0.folder = collected([1])
                $0.query = query
            }
            #expect(code(.searchPicker(search)) == .invalidArgument, "\(query)")
        }
        #expect(
            code(
                .makePickerFolder(
                    .making {
                        $0.folder = collected([1])
                        $0.name = "a\u{1B}b"
                    })) == .invalidArgument)
    }

    @Test("what a provider says to a picker is bounded, made fit for terminals, and refused when it cannot be")
    func presentations() throws {
        func reply(_ answer: WireProviderPreparePickerAnswer) throws -> ProviderReply {
            var message = WireProviderProviderAnswer()
            message.preparePicker = answer
            return try ProviderReply(serialized: message.encoded())
        }
        let section = WireProviderPickerSection.making {
            $0.title = "Recent"
            $0.containerID = "a"
        }
        for broken: WireProviderPreparePickerAnswer in [
            .making { $0.sections = Array(repeating: section, count: 17) },
            .making { $0.sections = [.making { $0.containerID = "a" }] },
            .making { $0.sections = [.making { $0.title = "a" }] },
            .making { $0.startID = "a\0b" },
        ] {
            #expect(code { _ = try reply(broken) } == .contractBroken)
        }
        let loud = try reply(
            .making {
                $0.message = "\u{1B}[31m" + String(repeating: "x", count: 5_000)
                $0.columns = [.size, .UNRECOGNIZED(99), .unspecified, .type]
            })
        guard case .preparePicker(let presentation) = loud else {
            Issue.record("no presentation")
            return
        }
        #expect(presentation.message.utf8.count <= PickerPresentation.longestMessage)
        #expect(!presentation.message.contains("\u{1B}") && presentation.columns == [.size, .type])
    }

    @Test("PICK-18: what a provider can ask of its host is placeholders, and what belongs to a sign-in; nothing else")
    func interaction() {
        // Field 99, as a newer provider might send it.
        #expect(code { _ = try HostCall(serialized: [0x9A, 0x06, 0x00]) } == .unimplemented)
        // Whoever adds one has this to change, and to think of: people are asked by `prompt`, while they sign in.
        let understood = (1...200).filter { field in
            let tag = field << 3 | 2
            let bytes = tag < 128 ? [UInt8(tag)] : [UInt8(tag & 127 | 128), UInt8(tag >> 7)]
            return code { _ = try HostCall(serialized: bytes + [0]) } != .unimplemented
        }
        #expect(understood == [1, 2, 3, 4])
    }

    @Test("PICK-9: a picker that a host cannot mean is refused by a provider")
    func pickers() {
        func code(_ picker: WireProviderPicker) -> DocumentError.Code? {
            var request = WireProviderProviderRequest()
            request.validateChoice.picker = picker
            request.validateChoice.itemID = "a"
            return self.code { _ = try ProviderCall(serialized: request.encoded()) }
        }
        func picker(_ change: (inout WireProviderPicker) -> Void) -> WireProviderPicker {
            var picker = WireProviderPicker.making {
                $0.session = "s"
                $0.mode = .open
                $0.types = ["public.text"]
            }
            change(&picker)
            return picker
        }
        #expect(code(picker { _ in }) == nil)
        #expect(code(picker { $0.session = "" }) == .invalidArgument)
        #expect(code(picker { $0.mode = .unspecified }) == .invalidArgument)
        #expect(code(picker { $0.types = [] }) == .invalidArgument)
        #expect(code(picker { $0.originalPath = "/a" }) == .invalidArgument)
        #expect(code(picker { $0.originalSize = 7 }) == .invalidArgument)
        var nothing = WireProviderProviderRequest()
        nothing.validateChoice.picker = picker { _ in }
        #expect(self.code { _ = try ProviderCall(serialized: nothing.encoded()) } == .invalidArgument)
    }
}

/// As SwiftProtobuf's `with`, which only the wire itself imports.
private protocol Made {
    init()
}

extension Made {
    fileprivate static func making(_ change: (inout Self) -> Void) -> Self {
        var message = Self()
        change(&message)
        return message
    }
}

extension WireServiceBeginPicker: Made {}
extension WireServiceChoosePicker: Made {}
extension WireServiceSearchPicker: Made {}
extension WireServiceBrowsePicker: Made {}
extension WireServiceMakePickerFolder: Made {}
extension WireProviderPickerSection: Made {}
extension WireProviderPreparePickerAnswer: Made {}
extension WireProviderPicker: Made {}
