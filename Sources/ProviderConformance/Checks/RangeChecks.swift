import DocumentModel
import DocumentWire
import Synchronization
import SystemPackage

/// Parts of contents: the right bytes, at their place, of one version, and nothing else of the staging file.
enum RangeChecks {
    static let all: [ConformanceCheck] = reading + placing + refusing

    private static let reading: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-RANGE-001", .must, "The parts of a document, put together, are the document",
            rule: .provider("ProvideRange"), needs: [.ranges], limit: .seconds(60)
        ) { context in
            try await context.withSession { session in
                let document = try await context.largestDocument(session)
                let whole = try await session.contents(of: document.id)
                guard whole.bytes.count >= 3 else { throw CheckSkip("There is no document of three bytes.") }
                let size = Int64(whole.bytes.count)
                let file = try session.folder.newStagingFile(contents: [UInt8](repeating: 0, count: whole.bytes.count))
                defer { file.remove() }
                // The end first, then the beginning: as when somebody looks into the middle of a film.
                for range in [(size / 3 * 2)..<size, 0..<(size / 3), (size / 3)..<(size / 3 * 2)] {
                    _ = try await session.provideRange(
                        range, of: document.id, version: whole.item.version.content, to: file)
                }
                try expect(try file.bytes() == whole.bytes, "The parts make something else than the document.")
            }
        },
        ConformanceCheck(
            "PC-RANGE-002", .must, "The answer is the item in the version that was asked for",
            rule: .provider("ProvideRange"), needs: [.ranges]
        ) { context in
            try await context.withSession { session in
                let document = try await context.largestDocument(session)
                guard let size = document.size, size > 0 else { throw CheckSkip("There is no document with contents.") }
                let file = try session.folder.newStagingFile(contents: [UInt8](repeating: 0, count: Int(size)))
                defer { file.remove() }
                let given = try await session.provideRange(
                    0..<1, of: document.id, version: document.version.content, to: file)
                try expect(given.id, is: document.id, "A part of another document was given.")
                try expect(
                    given.version.content, is: document.version.content, "A part of another version was given.")
                try expect(given.size ?? size, is: size, "The answer has another size than the document.")
            }
        },
    ]

    private static let placing: [ConformanceCheck] = [
        changing("003", .must, "Parts of every size are at their place, and nothing before or behind them changes") {
            session, container in
            let contents = ContentsChecks.pattern(300_001, seed: 11)
            let made = try await session.createDocument("Parts.bin", in: container.id, contents: contents)
            let ranges: [Range<Int64>] = [
                0..<1, 300_000..<300_001, 1..<2, 4095..<4097, 65_535..<131_073, 0..<300_001, 123_456..<234_567,
            ]
            for range in ranges {
                let before = [UInt8](repeating: 0xA5, count: contents.count)
                let file = try session.folder.newStagingFile(contents: before)
                defer { file.remove() }
                _ = try await session.provideRange(range, of: made.id, version: made.version.content, to: file)
                var wanted = before
                let part = Int(range.lowerBound)..<Int(range.upperBound)
                wanted.replaceSubrange(part, with: contents[part])
                let found = try file.bytes()
                try expect(found.count, is: wanted.count, "A part has changed the staging file's size.")
                try expect(
                    found == wanted, "A part is not what it is to be, or not all that has changed.", detail: "\(range)")
                try expect(try file.isUntouchedAsAnEntry(), "The staging file was replaced, or has a second name.")
                try expect(file.neighbours(), is: [], "The provider leaves files beside the staging file.")
            }
        },
        changing("004", .must, "Parts of one document may come side by side, into one file") { session, container in
            let contents = ContentsChecks.pattern(2_000_003, seed: 12)
            let made = try await session.createDocument("Parts.bin", in: container.id, contents: contents)
            let file = try session.folder.newStagingFile(contents: [UInt8](repeating: 0, count: contents.count))
            defer { file.remove() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let start = Int64(number) * 250_001
                    let range = start..<min(start + 250_001, Int64(contents.count))
                    group.addTask {
                        _ = try await session.provideRange(
                            range, of: made.id, version: made.version.content, to: file)
                    }
                }
                try await group.waitForAll()
            }
            try expect(try file.bytes() == contents, "The parts make something else than the document.")
        },
        changing("005", .must, "A part that is asked for again is the same part") { session, container in
            let contents = ContentsChecks.pattern(70_000, seed: 13)
            let made = try await session.createDocument("Parts.bin", in: container.id, contents: contents)
            let file = try session.folder.newStagingFile(contents: [UInt8](repeating: 0, count: contents.count))
            defer { file.remove() }
            for _ in 0..<3 {
                _ = try await session.provideRange(
                    60_000..<70_000, of: made.id, version: made.version.content, to: file)
            }
            _ = try await session.provideRange(0..<60_000, of: made.id, version: made.version.content, to: file)
            try expect(try file.bytes() == contents, "The parts make something else than the document.")
        },
        changing("006", .should, "The progress of a part never falls, and stays within its length") {
            session, container in
            let contents = ContentsChecks.pattern(3_000_000, seed: 14)
            let made = try await session.createDocument("Parts.bin", in: container.id, contents: contents)
            let file = try session.folder.newStagingFile(contents: [UInt8](repeating: 0, count: contents.count))
            defer { file.remove() }
            let reports = Mutex<[UInt64]>([])
            _ = try await session.provideRange(
                1_000_000..<3_000_000, of: made.id, version: made.version.content, to: file
            ) { progress in
                if let done = progress?.done { reports.withLock { $0.append(done) } }
            }
            let told = reports.withLock { $0 }
            try expect(told == told.sorted(), "The progress of a part falls.", detail: "\(told)")
            try expect(told.allSatisfy { $0 <= 2_000_000 }, "More of a part is told than it has.", detail: "\(told)")
        },
    ]

    private static let refusing: [ConformanceCheck] = [
        changing("007", .must, "A part of a version that is gone fails with versionNoLongerAvailable") {
            session, container in
            let made = try await session.createDocument(
                "Parts.bin", in: container.id, contents: ContentsChecks.pattern(5000, seed: 15))
            let changed = try await session.change(made, contents: ContentsChecks.pattern(5000, seed: 16))
            for version in [made.version.content, Array("no such version".utf8)]
            where version != changed.version.content {
                try await expectNoPart(0..<100, of: made.id, version, [.versionNoLongerAvailable], session)
            }
        },
        changing("008", .must, "A part that is not within the contents fails with invalidArgument") {
            session, container in
            let made = try await session.createDocument(
                "Parts.bin", in: container.id, contents: ContentsChecks.pattern(5000, seed: 17))
            for range in [0..<5001, 4999..<5001, 5000..<5001, 1 << 40..<(1 << 40) + 1] as [Range<Int64>] {
                try await expectNoPart(range, of: made.id, made.version.content, [.invalidArgument], session)
            }
            let empty = try await session.createDocument("Empty", in: container.id, contents: [])
            try await expectNoPart(0..<1, of: empty.id, empty.version.content, [.invalidArgument], session)
        },
        changing("009", .must, "A folder has no parts, and an item that was removed none either") {
            session, container in
            try await expectNoPart(
                0..<1, of: container.id, [1], [.invalidArgument, .versionNoLongerAvailable], session)
            let made = try await session.createDocument("Parts.bin", in: container.id, contents: [1, 2, 3])
            try await session.delete(made.id)
            try await expectNoPart(0..<1, of: made.id, made.version.content, [.noSuchItem], session)
        },
        ConformanceCheck(
            "PC-RANGE-010", .must,
            "ProvideRange without an item, a file or a version, of no bytes, or before the beginning fails",
            rule: .provider("ProvideRange"), needs: [.ranges]
        ) { context in
            try await context.withSession { session in
                let document = try await context.largestDocument(session)
                let file = try session.folder.newStagingFile(contents: [1, 2, 3, 4])
                defer { file.remove() }
                let named = MessageBytes().adding(1, document.id.rawValue).adding(2, file.path.string)
                let version = document.version.content
                let nameless = MessageBytes().adding(2, file.path.string).adding(3, version)
                let placeless = MessageBytes().adding(1, document.id.rawValue).adding(3, version)
                for call in [
                    nameless.adding(4, 0).adding(5, 1), placeless.adding(4, 0).adding(5, 1),
                    named.adding(4, 0).adding(5, 1), named.adding(3, version).adding(4, 0),
                    named.adding(3, version).adding(4, UInt64(bitPattern: -1)).adding(5, 1),
                    named.adding(3, version).adding(4, 1).adding(5, UInt64(bitPattern: -1)),
                    named.adding(3, version).adding(4, UInt64(Int64.max)).adding(5, UInt64(Int64.max)),
                ] { try await ArgumentChecks.expectRefusal(of: MessageBytes.call(40, call), session) }
                try expect(try file.bytes(), is: [1, 2, 3, 4], "What was refused has changed the staging file.")
            }
        },
    ]

    /// The part fails with one of the codes, and the staging file is as it was.
    private static func expectNoPart(
        _ range: Range<Int64>, of id: ItemIdentifier, _ version: [UInt8], _ codes: [DocumentError.Code],
        _ session: ConformanceSession
    ) async throws {
        let file = try session.folder.newStagingFile(contents: [7, 7, 7])
        defer { file.remove() }
        do {
            _ = try await session.provideRange(range, of: id, version: version, to: file)
        } catch let error as DocumentError {
            guard codes.contains(error.code) else {
                let wanted = codes.map(\.description).joined(separator: " or ")
                throw CheckFailure(
                    "A part that is not there fails with \(error.code), and not with \(wanted).", detail: "\(error)")
            }
            return try expect(try file.bytes(), is: [7, 7, 7], "What failed has changed the staging file.")
        }
        throw CheckFailure("A part that is not there is given.", detail: "\(id): \(range)")
    }

    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing(
            "PC-RANGE-" + number, level, title, rule: .provider("ProvideRange"), needs: [.ranges], limit: .seconds(60),
            body: body)
    }
}
