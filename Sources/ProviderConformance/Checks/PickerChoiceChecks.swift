import DocumentModel
import DocumentWire

/// What somebody chooses in a picker, and what the provider has to say to it.
enum PickerChoiceChecks {
    static let all: [ConformanceCheck] = verdicts + ends

    private static let verdicts: [ConformanceCheck] = [
        choosing("PC-PICKER-020", "A document that is chosen is judged, in import and in open") { context, session in
            let document = try await context.sampleDocument(session)
            for mode in [PickerMode.import, .open] {
                try await session.withPicker(mode) { picker in
                    try expectProper(try await session.verdict(on: .item(document.id), in: picker))
                }
            }
        },
        choosing("PC-PICKER-021", "A place that is chosen is judged, in export and in move") { _, session in
            let name = try ItemName(operationName() + ".txt")
            for mode in [PickerMode.export, .move] {
                try await session.withPicker(mode) { picker in
                    for replacing in [false, true] {
                        let place = PickerChoice.destination(
                            container: session.rootID, name: name, replacing: replacing)
                        try expectProper(try await session.verdict(on: place, in: picker))
                    }
                }
            }
        },
        choosing("PC-PICKER-022", "The same choice gets the same verdict again") { context, session in
            let document = try await context.sampleDocument(session)
            for (mode, choice) in try choices(document, session) {
                try await session.withPicker(mode) { picker in
                    let first = try await session.verdict(on: choice, in: picker)
                    for _ in 0..<3 {
                        let other = try await session.verdict(on: choice, in: picker)
                        try expect(
                            other?.code, is: first?.code, "The same choice gets another verdict when it is asked again."
                        )
                    }
                }
            }
        },
        choosing("PC-PICKER-023", "Nothing that was chosen fails with invalidArgument") { _, session in
            let picker = MessageBytes().adding(1, "a session").adding(2, 2).adding(3, "public.item").adding(6, 1)
            let body = MessageBytes.call(51, MessageBytes().adding(1, picker))
            try await expectError(.invalidArgument, from: "ValidateChoice without a choice") {
                try await session.ask(raw: body)
            }
        },
        choosing("PC-PICKER-024", "An item that is not there is let through, or refused as such") { context, session in
            let item = PickerChoice.item(try context.unknownIdentifier())
            try await session.withPicker(.open) { picker in
                try expectGone(try await session.verdict(on: item, in: picker), "item")
            }
        },
        choosing("PC-PICKER-025", "A folder that is not there is let through, or refused as such") { context, session in
            let place = PickerChoice.destination(
                container: try context.unknownIdentifier(), name: try ItemName("a.txt"), replacing: false)
            try await session.withPicker(.export) { picker in
                try expectGone(try await session.verdict(on: place, in: picker), "folder")
            }
        },
        choosing("PC-PICKER-026", "A refusal says in a sentence why, and another choice may follow") {
            context, session in
            let document = try await context.sampleDocument(session)
            var hasRefused = false
            for (mode, choice) in try choices(document, session) {
                try await session.withPicker(mode) { picker in
                    guard let refusal = try await session.verdict(on: choice, in: picker) else { return }
                    hasRefused = true
                    try expect(!refusal.isWordless, "A choice is refused without a word.", detail: "\(refusal.code)")
                    try expect(
                        refusal.message.utf8.count <= 1000, "A refusal is longer than people read.",
                        detail: refusal.message)
                    for (other, next) in try choices(document, session) where other == mode {
                        try expectProper(try await session.verdict(on: next, in: picker))
                    }
                }
            }
            guard hasRefused else { throw CheckSkip("The provider refuses nothing of what was chosen.") }
        },
        ConformanceCheck.changing(
            "PC-PICKER-027", .must, "To judge a choice changes nothing", rule: .provider("ValidateChoice"),
            needs: [.picker]
        ) { session, container in
            let document = try await session.createDocument("there.txt", in: container.id, contents: [1, 2, 3])
            let before = try await session.list(container.id)
            for mode in [PickerMode.export, .move] {
                try await session.withPicker(mode) { picker in
                    for (name, replacing) in [("new.txt", false), ("there.txt", true)] {
                        let place = PickerChoice.destination(
                            container: container.id, name: try ItemName(name), replacing: replacing)
                        _ = try await session.verdict(on: place, in: picker)
                    }
                }
            }
            for mode in [PickerMode.import, .open] {
                try await session.withPicker(mode) { picker in
                    _ = try await session.verdict(on: .item(document.id), in: picker)
                }
            }
            try expect(
                Set(try await session.list(container.id)), is: Set(before), "A folder has changed by being chosen in.")
        },
    ]

    private static let ends: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-PICKER-030", .must, "A session goes on in a process that was started after its preparation",
            rule: .provider("PreparePicker"), needs: [.picker]
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            let picker = ProviderCall.PickerCall.sample(.open)
            try await context.withFreshSession { session in _ = try await session.preparePicker(picker) }
            try await context.withFreshSession { session in
                try expectProper(try await session.verdict(on: .item(document.id), in: picker))
                try await session.endPicker(picker.session)
            }
        },
        ConformanceCheck(
            "PC-PICKER-031", .must, "A cancelled choice is answered exactly once", rule: .frame("Cancel"),
            needs: [.picker]
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            try await context.withRawSession { raw in
                let picker = ProviderCall.PickerCall.sample(.open)
                try await raw.ask(1, .preparePicker(picker))
                try expectAnswer(try await raw.finalFrame(of: 1))
                let ids = (1..<11 as Range<UInt64>).map { $0 * 2 + 1 }
                for id in ids {
                    let call = ProviderCall.validateChoice(.item(document.id), picker)
                    try await raw.send(
                        Frame(id: id, .request(body: call.serialized(), deadline: 0)), Frame(id: id, .cancel))
                }
                _ = try await raw.finalFrames(of: Set(ids))
                try await raw.expectAlive()
            }
        },
        choosing("PC-PICKER-032", "A session that was cancelled without a choice leaves the next one as it was") {
            context, session in
            let document = try await context.sampleDocument(session)
            var codes: [DocumentError.Code?] = []
            for _ in 0..<2 {
                try await session.withPicker(.open) { _ in }
                try await session.withPicker(.open) { picker in
                    codes.append(try await session.verdict(on: .item(document.id), in: picker)?.code)
                }
            }
            try expect(codes[0], is: codes[1], "After a session without a choice the verdict is another one.")
        },
    ]

    private static func choosing(
        _ id: String, _ title: String,
        body: @escaping @Sendable (CheckContext, ConformanceSession) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(id, .must, title, rule: .provider("ValidateChoice"), needs: [.picker]) { context in
            try await context.withSession { try await body(context, $0) }
        }
    }

    /// Choices that a provider may well refuse, and others.
    private static func choices(
        _ document: Item, _ session: ConformanceSession
    ) throws -> [(PickerMode, PickerChoice)] {
        var choices: [(PickerMode, PickerChoice)] = [(.open, .item(document.id)), (.import, .item(document.id))]
        for name in ["report.txt", ".hidden", "CON", "a:b?.txt"] {
            let place = PickerChoice.destination(
                container: session.rootID, name: try ItemName(name), replacing: false)
            choices += [(.export, place), (.move, place)]
        }
        return choices
    }

    /// A verdict is none of what went wrong on the way to it.
    private static func expectProper(_ refusal: DocumentError?) throws {
        guard let refusal else { return }
        let isOwn = refusal.code == .unimplemented || refusal.code.isReservedForHost || refusal.code == .internal
        try expect(!isOwn, "A choice fails with \(refusal.code), which is no verdict on it.", detail: "\(refusal)")
    }

    private static func expectGone(_ refusal: DocumentError?, _ what: String) throws {
        guard let refusal else { return }
        try expect(
            [.noSuchItem, .notPermitted, .invalidArgument].contains(refusal.code),
            "The choice of an unknown \(what) fails with \(refusal.code), which does not say so.", detail: "\(refusal)")
    }
}
