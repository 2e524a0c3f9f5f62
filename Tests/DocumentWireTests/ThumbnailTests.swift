import DocumentModel
import DocumentWire
import Testing

@Suite struct ThumbnailTests {
    private static let id = (try? ItemIdentifier("a")) ?? .root
    private static let other = (try? ItemIdentifier("b")) ?? .root
    private static let call = ProviderCall.ThumbnailsCall(
        items: [WantedThumbnail(id, contentVersion: [1]), WantedThumbnail(other, contentVersion: [2])], size: 128)

    private func png(_ width: UInt8, bytes: Int = 9) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 1, width, 0, 0, 0, 1] + [UInt8](repeating: 0, count: bytes)
    }

    private func image(
        _ bytes: [UInt8], type: String = "image/png", version: [UInt8] = [1]
    ) -> ProvidedThumbnail {
        ProvidedThumbnail(Self.id, .image(bytes: bytes, mediaType: type, contentVersion: version))
    }

    private func finding(_ answer: ProvidedThumbnail) -> String? {
        do throws(DocumentError) {
            _ = try answer.outcome(for: Self.call)
            return nil
        } catch {
            #expect(error.code == .contractBroken)
            return error.causes.first
        }
    }

    @Test("PICK-17: a picture of the type, the size and the version that were asked for is taken")
    func good() throws {
        // 256 pixels, twice as many as were asked for.
        let given = image(png(0))
        #expect(try given.outcome(for: Self.call).get()?.header.width == 256)
        #expect(try ProvidedThumbnail(Self.id, .missing).outcome(for: Self.call) == .missing)
        let error = DocumentError(.noSuchItem, "It is gone.")
        #expect(try ProvidedThumbnail(Self.id, .failure(error)).outcome(for: Self.call) == .failed(error))
    }

    @Test("PICK-17: what is not what is said of it, or not what was asked for, is refused with what is wrong")
    func refused() {
        for (answer, words) in [
            (image(png(1)), "257 × 1 pixels, where 128 were asked for"),
            (image(png(0), type: "image/jpeg"), "is said to be “image/jpeg”, and is image/png"),
            (image(png(0), type: "\u{1B}[2J"), "\\u{1b}"), (image(png(0), version: [2]), "another version"),
            (image(png(0), version: []), "another version"), (image([]), "these 0 bytes are none"),
            (image(Array("<svg/>".utf8)), "are none"), (image(png(0, bytes: 1 << 20)), "may have 1048576 bytes"),
            (ProvidedThumbnail(Self.id, .failure(DocumentError(.providerDied, "I died."))), "only a host may use"),
        ] {
            #expect(finding(answer)?.contains(words) == true, "\(words): \(finding(answer) ?? "nothing")")
        }
    }

    @Test(
        "PICK-17, PICK-20: an answer is of what was asked for, of each once, of one at least, and no more than may be")
    func faults() throws {
        let (one, two) = (ProvidedThumbnail(Self.id, .missing), ProvidedThumbnail(Self.other, .missing))
        let stranger = ProvidedThumbnail(try ItemIdentifier("c"), .missing)
        let heavy = ProvidedThumbnail(
            Self.id, .image(bytes: [UInt8](repeating: 0, count: 3 << 20), mediaType: "", contentVersion: []))
        let heavier = ProvidedThumbnail(Self.other, .image(bytes: [0], mediaType: "", contentVersion: []))
        for (given, isFine) in [
            ([one], true), ([two, one], true), ([], false), ([one, one], false), ([one, stranger], false),
            ([stranger], false), ([heavy], true), ([heavy, heavier], false),
        ] {
            let reply = ProviderReply.thumbnails(given)
            let call = ProviderCall.thumbnails(Self.call)
            #expect(reply.fits(call) && (Self.call.fault(of: given) == nil) == isFine)
            if isFine {
                try reply.check(answers: call)
            } else {
                #expect(throws: DocumentError.self) { try reply.check(answers: call) }
            }
        }
    }

    @Test("PICK-17: a call that asks for nothing, for too many, for one twice, of no version or no size is refused")
    func calls() throws {
        func code(_ items: [WantedThumbnail], _ size: Int = 128) -> DocumentError.Code? {
            let call = ProviderCall.thumbnails(.init(items: items, size: size))
            do throws(DocumentError) {
                _ = try ProviderCall(serialized: call.serialized())
                return nil
            } catch {
                return error.code
            }
        }
        func items(_ count: Int) throws -> [WantedThumbnail] {
            try (0..<count).map { WantedThumbnail(try ItemIdentifier("i\($0)"), contentVersion: [1]) }
        }
        #expect(try code(items(32)) == nil && code(items(1), 16) == nil && code(items(1), 1024) == nil)
        #expect(try code([]) == .invalidArgument && code(items(33)) == .invalidArgument)
        #expect(try code(items(1) + items(1)) == .invalidArgument)
        #expect(code([WantedThumbnail(Self.id, contentVersion: [])]) == .invalidArgument)
        #expect(code([WantedThumbnail(Self.id, contentVersion: [UInt8](repeating: 1, count: 129))]) == .invalidArgument)
        for size in [0, 15, 1025, 1 << 40] { #expect(try code(items(1), size) == .invalidArgument) }
    }

    @Test("PICK-17: also of a host a tool takes nothing for a picture that is none")
    func answers() throws {
        let good = try ServiceReply(serialized: ServiceReply.thumbnails([.image(Thumbnail(png(0)))]).serialized())
        #expect(try good == .thumbnails([.image(Thumbnail(png(0)))]))
        // The same with another first byte of the picture.
        var bytes = ServiceReply.thumbnails([.image(try Thumbnail(png(0)))]).serialized()
        let place = try #require(bytes.firstIndex(of: 0x89))
        bytes[place] = 0x88
        #expect(throws: DocumentError.self) { try ServiceReply(serialized: bytes) }
    }
}
