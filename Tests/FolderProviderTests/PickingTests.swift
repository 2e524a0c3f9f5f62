import DocumentModel
import DocumentProvider
import Testing

@testable import FolderProvider

/// What the folder's provider says to somebody who chooses in it.
@Suite struct PickingTests {
    private func context(_ mode: PickerMode, size: Int64 = 1) -> PickerContext {
        PickerContext(
            sessionID: "one", documentPickerMode: mode, validTypes: mode.choosesDocuments ? [.content] : nil,
            originalURL: mode.choosesDocuments ? nil : "/home/ada/q3.pdf",
            originalSize: mode.choosesDocuments ? nil : size)
    }

    @Test("PICK-18: that a folder is read-only, or too full, is said before anything is sent")
    func obstacles() async throws {
        let fixture = try FolderFixture()
        let provider = try await fixture.provider()
        #expect(try await provider.prepareForPresentation(context(.export)) == .plain)
        #expect(try await provider.prepareForPresentation(context(.open)) == .plain)
        let destination = PickerChoice.destination(
            container: provider.rootID, name: try ItemName("q3.pdf"), replacing: false)
        try await provider.validate(destination, in: context(.move))

        let huge = context(.export, size: .max)
        #expect(try await provider.prepareForPresentation(huge).message.contains("Make room there"))
        await expect(.insufficientQuota) { try await provider.validate(destination, in: huge) }

        let readOnly = try await fixture.provider(
            state: try fixture.otherState("other"), settings: ["read-only": "true"])
        #expect(try await readOnly.prepareForPresentation(context(.export)).message.contains("read-only"))
        await expect(.notPermitted) { try await readOnly.validate(destination, in: context(.export)) }
        #expect(try await readOnly.prepareForPresentation(context(.import)) == .plain)
    }

    @Test func whatIsGoneCannotBeChosen() async throws {
        let fixture = try FolderFixture()
        try fixture.write("x", to: "a.txt")
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.txt")
        try await provider.validate(.item(item.id), in: context(.open))
        try fixture.unlink("a.txt")
        await expect(.noSuchItem) { try await provider.validate(.item(item.id), in: context(.open)) }
    }
}
