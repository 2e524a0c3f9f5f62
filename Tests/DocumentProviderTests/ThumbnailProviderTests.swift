import DocumentModel
import DocumentProvider
import DocumentTestSupport
import DocumentWire
import Testing

/// What the SDK makes of a provider's thumbnails.
@Suite struct ThumbnailProviderTests {
    /// Has a picture of as many bytes as an identifier says, and fails for others.
    struct Gallery: ThumbnailProvider {
        init(context: ProviderContext) {}

        func thumbnail(
            for id: ItemIdentifier, contentVersion: [UInt8], size: Int, transfer: Transfer
        ) throws -> Thumbnail? {
            switch id.rawValue {
            case "none": return nil
            case "gone": throw DocumentError(.noSuchItem, "It is gone.")
            case "reserved": throw DocumentError(.providerDied, "I died.")
            case "number": throw Errno.noSpace
            default:
                let picture = TestPicture.png(size, size)
                return try Thumbnail(
                    picture + [UInt8](repeating: 0, count: max(0, (Int(id.rawValue) ?? 0) - picture.count)))
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

    /// Answers more than there is room for, whatever it is asked for.
    struct Heap: ThumbnailProvider {
        init(context: ProviderContext) {}

        func thumbnail(
            for id: ItemIdentifier, contentVersion: [UInt8], size: Int, transfer: Transfer
        ) -> Thumbnail? { nil }

        func thumbnails(
            for items: [ThumbnailRequest], size: Int, transfer: Transfer
        ) throws -> [ThumbnailOutcome] {
            let picture = TestPicture.png(9, 9)
            let large = try Thumbnail(picture + [UInt8](repeating: 0, count: 1 << 20 - picture.count))
            return (0..<100).map { _ in .image(large) }
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

    private func ask(_ host: ProviderTestHost, _ ids: [String]) async throws -> [ProvidedThumbnail] {
        let call = ProviderCall.thumbnails(
            .init(
                items: try ids.enumerated().map { number, id in
                    WantedThumbnail(try ItemIdentifier(id), contentVersion: [UInt8(number)])
                }, size: 64))
        let reply = try await host.ask(call)
        try reply.check(answers: call)
        guard case .thumbnails(let given) = reply else { return [] }
        return given
    }

    @Test("PICK-17: each item is answered on its own, with the version that was asked for")
    func each() async throws {
        let settings = try SessionSettings.test(domain: "d")
        try await ProviderFixture.with(Gallery.self, settings: settings) { host async throws in
            #expect(host.capabilities.capabilities == [.thumbnails])
            let given = try await ask(host, ["0", "none", "gone", "reserved", "number"])
            #expect(given.map(\.id.rawValue) == ["0", "none", "gone", "reserved", "number"])
            guard case .image(let bytes, "image/png", [0]) = given[0].answer else {
                Issue.record("\(given[0])")
                return
            }
            #expect(bytes == TestPicture.png(64, 64) && given[1].answer == .missing)
            let codes = given[2...].map { answer -> DocumentError.Code? in
                if case .failure(let error) = answer.answer { error.code } else { nil }
            }
            #expect(codes == [.noSuchItem, .internal, .localStorage])
        }
    }

    @Test("PICK-20: what has no room in an answer is left out of it")
    func room() async throws {
        let settings = try SessionSettings.test(domain: "d")
        try await ProviderFixture.with(Gallery.self, settings: settings) { host async throws in
            let given = try await ask(host, (0..<9).map { "\((1 << 20) - $0)" })
            #expect(given.count == 3)
            let small = try await ask(host, (1...32).map { "\($0)" })
            #expect(small.count == 32)
        }
        try await ProviderFixture.with(Heap.self, settings: settings) { host async throws in
            #expect(try await ask(host, ["a", "b", "c", "d", "e"]).count == 3)
            #expect(try await ask(host, ["a"]).count == 1)
        }
    }
}
