import DocumentModel
import DocumentWire

/// The capability “thumbnails”: pictures that are what is said of them, of what was asked for and of nothing else.
enum ThumbnailChecks {
    static let all: [ConformanceCheck] = pictures + versions + answers

    private static let pictures: [ConformanceCheck] = [
        looking("001", .must, "Every document that is asked for is answered once, and nothing else is") {
            _ = try await $0.thumbnails(of: $1)
        },
        looking("002", .must, "A thumbnail is a PNG, a JPEG or a WebP within its bounds, and of the type that is said")
        {
            for (document, image) in try await $0.images(of: $1) {
                let thumbnail: Thumbnail
                do throws(DocumentError) {
                    thumbnail = try Thumbnail(image.bytes)
                } catch {
                    throw CheckFailure("A thumbnail is none.", detail: "\(document.id): \(error)")
                }
                try expect(
                    thumbnail.mediaType == image.mediaType, "A thumbnail is of another type than is said of it.",
                    detail: "\(document.id): \(thumbnail.mediaType), not \(image.mediaType)")
            }
        },
        looking("003", .must, "No side of a thumbnail has more than twice the pixels that were asked for") {
            for size in [256, 128, Thumbnail.sizes.lowerBound, Thumbnail.sizes.upperBound] {
                // A provider may have no picture so small.
                for (document, given) in try await $0.thumbnails(of: $1, size: size) {
                    guard let header = given.image.flatMap({ ImageHeader(of: $0.bytes) }) else { continue }
                    try expect(
                        header.longerSide <= size * Thumbnail.sizeFactor, "A thumbnail has too many pixels.",
                        detail: "\(document.id): \(header.width) × \(header.height), asked for \(size)")
                }
            }
        },
        looking("009", .should, "A thumbnail that is asked for again is the same") {
            let first = try await $0.images(of: $1)
            for (document, image) in try await $0.images(of: $1) {
                try expect(
                    first.first { $0.document.id == document.id }?.image == image,
                    "The thumbnail of one version changes from one time to the next.", detail: "\(document.id)")
            }
        },
    ]

    private static let versions: [ConformanceCheck] = [
        looking("004", .must, "A thumbnail is of the version that was asked for") {
            for (document, image) in try await $0.images(of: $1) {
                try expect(
                    image.contentVersion == document.version.content,
                    "A thumbnail is of another version than the one that was asked for.", detail: "\(document.id)")
            }
        },
        looking("005", .must, "There is no thumbnail of a version that never was") {
            let unknown = Array("no such version".utf8)
            for document in $1.prefix(Thumbnail.mostAtOnce) {
                let given = try await $0.thumbnails([WantedThumbnail(document.id, contentVersion: unknown)])
                for answer in given { try expectNone(answer, [.versionNoLongerAvailable]) }
            }
        },
        .changing(
            "PC-THUMB-006", .must, "There is no thumbnail of contents that were replaced",
            rule: .provider("GetThumbnails"), needs: [.thumbnails]
        ) { session, container in
            let made = try await session.createDocument("Dot.png", in: container.id, contents: dot)
            _ = try await session.thumbnails(of: [made])
            let changed = try await session.change(made, contents: dot + [0])
            guard changed.version.content != made.version.content else { return }
            let old = WantedThumbnail(made.id, contentVersion: made.version.content)
            for answer in try await session.thumbnails([old]) {
                try expectNone(answer, [.versionNoLongerAvailable])
            }
            _ = try await session.thumbnails(of: [changed])
        },
    ]

    private static let answers: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-THUMB-007", .must, "What is not there costs none of the others their thumbnails",
            rule: .provider("ProvidedThumbnail"), needs: [.thumbnails]
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let version = document.version.content.isEmpty ? [1] : document.version.content
                var left: [WantedThumbnail] = [
                    WantedThumbnail(try context.unknownIdentifier(), contentVersion: version),
                    WantedThumbnail(document.id, contentVersion: version),
                ]
                let alone = try await session.thumbnails([left[1]])
                var together: [ProvidedThumbnail] = []
                while !left.isEmpty {
                    let given = try await session.thumbnails(left)
                    left.removeAll { wanted in given.contains { $0.id == wanted.id } }
                    together += given
                }
                for answer in together {
                    guard answer.id == document.id else {
                        try expectNone(answer, [.noSuchItem, .versionNoLongerAvailable])
                        continue
                    }
                    try expect(
                        answer.image?.contentVersion == alone.first?.image?.contentVersion,
                        "A document is answered otherwise beside one that is not there.", detail: "\(document.id)")
                }
            }
        },
        ConformanceCheck(
            "PC-THUMB-008", .must,
            "GetThumbnails of nothing, of too many, of one twice, of no version or of no size that there is fails",
            rule: .provider("GetThumbnails"), needs: [.thumbnails]
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let one = MessageBytes().adding(1, document.id.rawValue).adding(2, [1])
                let good = MessageBytes().adding(1, one)
                let many = (0...Thumbnail.mostAtOnce).reduce(MessageBytes()) { message, number in
                    message.adding(1, MessageBytes().adding(1, "item \(number)").adding(2, [1]))
                }
                for call in [
                    MessageBytes().adding(2, 256), many.adding(2, 256), good.adding(1, one).adding(2, 256), good,
                    good.adding(2, 15), good.adding(2, 1025),
                    MessageBytes().adding(1, MessageBytes().adding(1, document.id.rawValue)).adding(2, 256),
                    MessageBytes().adding(1, MessageBytes().adding(2, [1])).adding(2, 256),
                ] { try await ArgumentChecks.expectRefusal(of: MessageBytes.call(60, call), session) }
            }
        },
        ConformanceCheck(
            "PC-THUMB-010", .must, "A cancelled request for thumbnails gets its one final frame",
            rule: .frame("Cancel"),
            needs: [.thumbnails]
        ) { context in
            let documents = try await context.withSession { try await context.sampleDocuments($0) }
            let wanted = documents.filter { !$0.version.content.isEmpty }.prefix(Thumbnail.mostAtOnce).map {
                WantedThumbnail($0.id, contentVersion: $0.version.content)
            }
            guard !wanted.isEmpty else { throw CheckSkip("There is no document with a version.") }
            try await context.withRawSession { raw in
                for round in 0..<5 as Range<UInt64> {
                    let id = round * 2 + 1
                    try await raw.ask(id, .thumbnails(ProviderCall.ThumbnailsCall(items: wanted, size: 128)))
                    try await raw.send(Frame(id: id, .cancel))
                    try CancelChecks.expectFinal(try await raw.finalFrame(of: id))
                }
                try await CancelChecks.expectSilence(raw)
            }
        },
    ]

    /// No image, and no other failure than these.
    private static func expectNone(_ answer: ProvidedThumbnail, _ codes: [DocumentError.Code]) throws {
        switch answer.answer {
        case .missing: return
        case .image: throw CheckFailure("A thumbnail is given of what is not there.", detail: "\(answer.id)")
        case .failure(let error):
            let names = codes.map(\.description).joined(separator: " or ")
            try expect(
                codes.contains(error.code), "What is not there fails with \(error.code), and not with \(names).",
                detail: "\(answer.id): \(error)")
        }
    }

    private static func looking(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, [Item]) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            "PC-THUMB-" + number, level, title, rule: .provider("GetThumbnails"), needs: [.thumbnails]
        ) { context in
            try await context.withSession { session in
                try await body(session, try await context.sampleDocuments(session))
            }
        }
    }

    /// A PNG of one pixel.
    private static let dot: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00, 0x00, 0xB5, 0x1C, 0x0C, 0x02, 0x00, 0x00, 0x00,
        0x0B, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x64, 0x60, 0x00, 0x00, 0x00, 0x06, 0x00, 0x02, 0x30, 0x81,
        0xD0, 0x2F, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
}
