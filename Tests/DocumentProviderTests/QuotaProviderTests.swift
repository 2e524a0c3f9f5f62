import DocumentModel
import DocumentProvider
import DocumentTestSupport
import DocumentWire
import Testing

/// What the SDK makes of a provider that tells its room.
@Suite struct QuotaProviderTests {
    struct Shelf: QuotaProvider {
        init(context: ProviderContext) {}

        func quota() throws -> RemoteQuota { try RemoteQuota(total: 3, used: 1, available: 2) }

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

    @Test("CONT-13: a provider that can tell its room says so, and is asked; another one is no worse for the question")
    func asked() async throws {
        let settings = try SessionSettings.test(domain: "d")
        try await ProviderFixture.with(Shelf.self, settings: settings) { host async throws in
            #expect(host.capabilities.capabilities == [.quota])
            #expect(try await host.ask(.quota) == .quota(try RemoteQuota(total: 3, used: 1, available: 2)))
        }
        try await ProviderFixture.with(ThumbnailProviderTests.Gallery.self, settings: settings) { host async throws in
            let error = await #expect(throws: DocumentError.self) { try await host.ask(.quota) }
            #expect(error?.code == .unimplemented)
        }
    }
}
