import DocumentModel
import DocumentProvider
import DocumentTestSupport
import DocumentWire
import Testing

/// What a provider learns of a picker session, and says to it.
@Suite struct PickerProviderTests {
    /// Tells what it was told.
    struct Choosy: PickerProvider {
        init(context: ProviderContext) {}

        func prepareForPresentation(_ picker: PickerContext) throws -> PickerPresentation {
            let facts: [String] = [
                picker.sessionID, picker.documentPickerMode.rawValue,
                picker.validTypes?.map(\.identifier).joined(separator: "+") ?? "nil",
                picker.originalURL?.string ?? "nil", picker.originalSize.map(String.init) ?? "nil",
                picker.providerIdentifier?.rawValue ?? "nil", picker.documentStorageURL?.string ?? "nil",
            ]
            return PickerPresentation(message: facts.joined(separator: " "), columns: [.type])
        }

        func validate(_ choice: PickerChoice, in picker: PickerContext) throws {
            guard case .destination(_, let name, _) = choice, name.rawValue == "good" else {
                throw DocumentError(.notPermitted, "Choose “good”.")
            }
        }

        func item(for id: ItemIdentifier) -> Item { .root }
        func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) -> ItemPage {
            ItemPage(items: [])
        }
        func providePlaceholder(for id: ItemIdentifier) {}
        func startProvidingItem(
            _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
        ) -> Item { .root }
        func itemChanged(_ id: ItemIdentifier) {}
        func stopProvidingItem(_ id: ItemIdentifier) {}
    }

    /// Has nothing to say.
    struct Indifferent: PickerProvider {
        init(context: ProviderContext) {}
        func item(for id: ItemIdentifier) -> Item { .root }
        func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) -> ItemPage {
            ItemPage(items: [])
        }
        func providePlaceholder(for id: ItemIdentifier) {}
        func startProvidingItem(
            _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
        ) -> Item { .root }
        func itemChanged(_ id: ItemIdentifier) {}
        func stopProvidingItem(_ id: ItemIdentifier) {}
    }

    private func message(_ host: ProviderTestHost, _ picker: ProviderCall.PickerCall) async throws -> [String] {
        guard case .preparePicker(let presentation) = try await host.ask(.preparePicker(picker)) else { return [] }
        return presentation.message.split(separator: " ").map(String.init)
    }

    @Test(
        "PICK-8: types come in import and open, the original in export and move, and the file half's values only with one",
        arguments: EndKind.allCases)
    func context(kind: EndKind) async throws {
        let settings = try SessionSettings.test(domain: "d")
        try await ProviderFixture.with(Choosy.self, over: kind, settings: settings) { host async throws in
            #expect(host.capabilities.capabilities == [.picker])
            let (id, root) = (settings.providerID.rawValue, settings.storageRoot)
            for mode in [PickerMode.import, .open] {
                let picker = ProviderCall.PickerCall(session: "s", mode: mode, validTypes: [.text, .data])
                #expect(
                    try await message(host, picker)
                        == ["s", mode.rawValue, "public.text+public.data", "nil", "nil", id, root])
            }
            for mode in [PickerMode.export, .move] {
                let picker = ProviderCall.PickerCall(
                    session: "s", mode: mode, originalPath: "/a/b.pdf", originalSize: 7, hasFileHalf: mode == .move)
                let values = mode == .move ? [id, root] : ["nil", "nil"]
                #expect(try await message(host, picker) == ["s", mode.rawValue, "nil", "/a/b.pdf", "7"] + values)
            }
        }
    }

    @Test("a provider refuses a choice with its own error")
    func validation() async throws {
        let settings = try SessionSettings.test(domain: "d")
        try await ProviderFixture.with(Choosy.self, settings: settings) { host async throws in
            let picker = ProviderCall.PickerCall(session: "s", mode: .export, originalPath: "/a", originalSize: 7)
            for (name, expected) in [("good", nil), ("bad", DocumentError.Code.notPermitted)] {
                let choice = PickerChoice.destination(
                    container: .root, name: try ItemName(name), replacing: false)
                let found = await code { try await host.ask(.validateChoice(choice, picker)) }
                #expect(found == expected)
            }
        }
    }

    @Test("by default there are no wishes, and every choice is good")
    func defaults() async throws {
        let settings = try SessionSettings.test(domain: "d")
        try await ProviderFixture.with(Indifferent.self, settings: settings) { host async throws in
            let picker = ProviderCall.PickerCall(session: "s", mode: .open, validTypes: [.content])
            #expect(try await host.ask(.preparePicker(picker)) == .preparePicker(.plain))
            #expect(try await host.ask(.validateChoice(.item(.root), picker)) == .validateChoice)
            #expect(try await host.ask(.endPicker(session: "s")) == .endPicker)
        }
    }

    @Test("a provider without the capability says so")
    func without() async throws {
        try await ProviderFixture.with(ScriptedProvider.Script()) { host async throws in
            let picker = ProviderCall.PickerCall(session: "s", mode: .open, validTypes: [.content])
            #expect(await code { try await host.ask(.preparePicker(picker)) } == .unimplemented)
        }
    }
}
