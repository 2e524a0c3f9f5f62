import DocumentModel
import DocumentWire

/// The capability “picker”: how a domain is shown, and when a session is over. What somebody chooses is in
/// ``PickerChoiceChecks``.
enum PickerChecks {
    static let all: [ConformanceCheck] = modes + presentation + sessions

    private static let modes: [ConformanceCheck] = PickerMode.allCases.enumerated().map { number, mode in
        picking(
            "PC-PICKER-00\(number + 1)", .must, "A picker for \(mode.rawValue) is prepared, and ended",
            rule: .provider("PreparePicker")
        ) { session in
            try await session.withPicker(mode) { _ in }
        }
    }

    private static let presentation: [ConformanceCheck] = [
        picking(
            "PC-PICKER-005", .must, "What a picker is to show keeps within its bounds",
            rule: .provider("PreparePickerAnswer")
        ) { session in
            for mode in PickerMode.allCases {
                let answer = try await rawAnswer(.sample(mode), session)
                try expect(
                    answer.bytes(1).count <= PickerPresentation.longestMessage,
                    "The message of a picker has more than \(PickerPresentation.longestMessage) bytes.")
                let sections = answer.all(2)
                try expect(
                    sections.count <= PickerPresentation.mostSections,
                    "A picker has more than \(PickerPresentation.mostSections) sections.", detail: "\(sections.count)")
                for title in sections.compactMap({ MessageFields($0)?.bytes(1) }) {
                    try expect(
                        (1...PickerSection.longestTitle).contains(title.count),
                        "The title of a section does not have 1 to \(PickerSection.longestTitle) bytes.",
                        detail: String(decoding: title, as: UTF8.self))
                }
            }
        },
        picking(
            "PC-PICKER-006", .must, "The sections and the start of a picker are folders that the provider has",
            rule: .provider("PreparePickerAnswer")
        ) { session in
            for mode in PickerMode.allCases {
                try await expectFolders(try await session.preparePicker(.sample(mode)), session)
            }
        },
        picking(
            "PC-PICKER-007", .should, "A picker's columns are known ones, each named once",
            rule: .provider("PreparePickerAnswer")
        ) { session in
            for mode in PickerMode.allCases {
                let columns = try await rawAnswer(.sample(mode), session).numbers(3)
                try expect(Set(columns).count == columns.count, "A column is named twice.", detail: "\(columns)")
                try expect(
                    columns.allSatisfy { (1...5).contains($0) }, "A column is none of the protocol's.",
                    detail: "\(columns)")
            }
        },
        picking(
            "PC-PICKER-008", .must, "A picker that is prepared twice is shown the same twice",
            rule: .provider("PreparePicker")
        ) { session in
            for mode in PickerMode.allCases {
                try await session.withPicker(mode) { picker in
                    let first = try await session.preparePicker(picker)
                    try expect(
                        try await session.preparePicker(picker), is: first,
                        "The same picker, prepared once more, is shown otherwise.")
                }
            }
        },
        picking(
            "PC-PICKER-009", .must,
            "A picker that cannot be fails: without a mode, of an unknown mode, without a session",
            rule: .provider("Picker")
        ) { session in
            let named = MessageBytes().adding(1, "a session").adding(3, "public.item").adding(6, 1)
            for picker in [named, named.adding(2, 99), MessageBytes().adding(2, 2).adding(3, "public.item")] {
                let body = MessageBytes.call(50, MessageBytes().adding(1, picker))
                try await expectError(.invalidArgument, from: "PreparePicker of a picker that cannot be") {
                    try await session.ask(raw: body)
                }
            }
        },
    ]

    private static let sessions: [ConformanceCheck] = [
        picking(
            "PC-PICKER-010", .must, "Sixteen sessions at once are prepared and ended each for itself",
            rule: .provider("PreparePicker")
        ) { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask { try await session.withPicker(PickerMode.allCases[number % 4]) { _ in } }
                }
                try await group.waitForAll()
            }
        },
        picking(
            "PC-PICKER-011", .must, "A session that is ended twice is ended", rule: .provider("EndPicker")
        ) { session in
            let picker = ProviderCall.PickerCall.sample(.open)
            _ = try await session.preparePicker(picker)
            for _ in 0..<10 { try await session.endPicker(picker.session) }
        },
        picking(
            "PC-PICKER-012", .must, "The end of a session that the provider never heard of is taken",
            rule: .provider("EndPicker")
        ) { session in
            // As after a restart: the host asks once more.
            try await session.endPicker(operationName())
        },
        picking(
            "PC-PICKER-013", .must, "The end of one session leaves others alone", rule: .provider("EndPicker")
        ) { session in
            try await session.withPicker(.export) { picker in
                let before = try await session.preparePicker(picker)
                try await session.withPicker(.export) { _ in }
                try expect(
                    try await session.preparePicker(picker), is: before,
                    "A picker is shown otherwise when another session has ended.")
            }
        },
        ConformanceCheck(
            "PC-PICKER-014", .must, "A cancelled preparation is answered exactly once", rule: .frame("Cancel"),
            needs: [.picker]
        ) { context in
            try await context.withRawSession { raw in
                let ids = (0..<10 as Range<UInt64>).map { $0 * 2 + 1 }
                for id in ids {
                    let call = ProviderCall.preparePicker(.sample(.open))
                    try await raw.send(
                        Frame(id: id, .request(body: call.serialized(), deadline: 0)), Frame(id: id, .cancel))
                }
                for frame in try await raw.finalFrames(of: Set(ids)).values {
                    guard case .failure(let error) = frame.kind else { continue }
                    try expect(
                        error.code == .cancelled, "A cancelled preparation fails with \(error.code).",
                        detail: "\(error)")
                }
                try await raw.expectAlive()
            }
        },
        ConformanceCheck(
            "PC-PICKER-015", .must, "While the remote is away a picker is prepared, or fails with a resolvable error",
            rule: .provider("PreparePicker"), needs: [.picker]
        ) { context in
            try await context.withFreshSession { session in
                try await context.takeRemoteAway()
                let failure: DocumentError?
                do {
                    failure = try await preparing(session)
                } catch {
                    try await context.bringRemoteBack()
                    throw error
                }
                try await context.bringRemoteBack()
                guard let failure else { return }
                try expect(
                    failure.code.errorClass == .resolvable,
                    "A picker fails with \(failure.code) while the remote is away, which is no error that can be resolved.",
                    detail: "\(failure)")
            }
        },
    ]

    /// A check of the capability, in the shared session.
    static func picking(
        _ id: String, _ level: CheckLevel, _ title: String, rule: RuleReference,
        body: @escaping @Sendable (ConformanceSession) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(id, level, title, rule: rule, needs: [.picker]) { context in
            try await context.withSession { try await body($0) }
        }
    }

    private static func preparing(_ session: ConformanceSession) async throws -> DocumentError? {
        do {
            try await session.withPicker(.open) { _ in }
            return nil
        } catch let error as DocumentError {
            return error
        }
    }

    /// `PreparePickerAnswer`, before anything is cut off it.
    private static func rawAnswer(
        _ picker: ProviderCall.PickerCall, _ session: ConformanceSession
    ) async throws -> MessageFields {
        let body = try await session.ask(raw: ProviderCall.preparePicker(picker).serialized())
        guard let answer = MessageFields(body), let presentation = MessageFields(answer.bytes(50)) else {
            throw CheckFailure("The answer to PreparePicker is no message.")
        }
        return presentation
    }

    private static func expectFolders(
        _ presentation: PickerPresentation, _ session: ConformanceSession
    ) async throws {
        for id in presentation.sections.map(\.containerID) + [presentation.startID].compactMap({ $0 }) {
            let item: Item
            do {
                item = try await session.item(id)
            } catch let error as DocumentError {
                throw CheckFailure(
                    "A picker leads to a folder that the provider does not have.", detail: "\(id): \(error)")
            }
            try expect(item.kind == .folder, "A picker leads to what is no folder.", detail: "\(item)")
        }
    }
}
