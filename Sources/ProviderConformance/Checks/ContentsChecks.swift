import DocumentModel
import DocumentWire

/// Contents of every size, there and back.
enum ContentsChecks {
    private static let largeSize = 16 * 1_048_576

    static let all: [ConformanceCheck] = [
        check("001", .must, "An empty document can be made, listed and provided") { session, container in
            let made = try await session.createDocument("Empty", in: container.id, contents: [])
            try expect(made.size ?? 0, is: 0, "An empty document has a size.")
            try expect(try await session.contents(of: made.id).bytes, is: [], "An empty document has contents.")
            try expect(!made.version.content.isEmpty, "An empty document has no content version.")
        },
        check("002", .must, "A document can become empty, and have contents again") { session, container in
            let made = try await ModifyingChecks.document(in: container, session)
            let empty = try await session.change(made, contents: [])
            try expect(empty.size ?? 0, is: 0, "A document that became empty has a size.")
            try expect(try await session.contents(of: made.id).bytes, is: [], "The document has not become empty.")
            try expect(
                empty.version.content != made.version.content, "Empty contents have the version of the old ones.")
            _ = try await session.change(made, contents: [7])
            try expect(try await session.contents(of: made.id).bytes, is: [7], "The new contents are missing.")
        },
        check("003", .must, "A document of 16 MiB comes back as it was") { session, container in
            let contents = pattern(largeSize, seed: 1)
            let made = try await session.createDocument("Large.bin", in: container.id, contents: contents)
            try expect(made.size ?? Int64(largeSize), is: Int64(largeSize), "The size is another.")
            try expect(try await session.contents(of: made.id).bytes == contents, "The contents are others.")
        },
        check("004", .must, "A small document can grow to 16 MiB, and shrink again") { session, container in
            let made = try await ModifyingChecks.document(in: container, session)
            let contents = pattern(largeSize, seed: 2)
            _ = try await session.change(made, contents: contents)
            try expect(try await session.contents(of: made.id).bytes == contents, "The large contents are others.")
            _ = try await session.change(made, contents: [1, 2, 3])
            try expect(try await session.contents(of: made.id).bytes, is: [1, 2, 3], "The small contents are others.")
        },
        check("005", .must, "Sizes around the borders of blocks come back as they were") { session, container in
            for size in [1, 511, 512, 4095, 4096, 4097, 65_535, 65_536, 65_537, 262_143, 262_144, 1_048_577] {
                let contents = pattern(size, seed: size)
                let made = try await session.createDocument("\(size) bytes", in: container.id, contents: contents)
                try expect(
                    try await session.contents(of: made.id).bytes == contents, "The contents of a size are others.",
                    detail: "\(size) bytes")
            }
        },
        check("006", .must, "Every byte comes back as it was: zeros, line ends, bytes that are no text") {
            session, container in
            let all = (0...255).map { UInt8($0) }
            let cases: [[UInt8]] = [
                all, all.reversed(), [0], [0, 0, 0, 0], [13, 10, 10, 13, 26], [0xEF, 0xBB, 0xBF, 0x41], [0xFF, 0xFE],
                [0x89, 0x44, 0x4F, 0x43, 0x0D, 0x0A, 0x1A, 0x0A],
            ]
            for (number, contents) in cases.enumerated() {
                let made = try await session.createDocument("\(number).txt", in: container.id, contents: contents)
                try expect(try await session.contents(of: made.id).bytes, is: contents, "The contents are others.")
            }
        },
        check("007", .must, "A document that ends in zeros keeps them") { session, container in
            let contents = [UInt8](repeating: 1, count: 10) + [UInt8](repeating: 0, count: 1_048_576)
            let made = try await session.createDocument("Zeros.bin", in: container.id, contents: contents)
            try expect(try await session.contents(of: made.id).bytes == contents, "The contents are others.")
        },
        check("008", .must, "A copy of a document that is changed leaves the first one as it was") {
            session, container in
            let contents = pattern(200_000, seed: 3)
            let first = try await session.createDocument("First.bin", in: container.id, contents: contents)
            let second = try await session.createDocument("Second.bin", in: container.id, contents: contents)
            _ = try await session.change(second, contents: [1])
            try expect(try await session.contents(of: first.id).bytes == contents, "Another document changed with it.")
            try expect(try await session.item(first.id), is: first, "Another document's metadata changed with it.")
        },
        check("009", .must, "Of a large document no byte is missing on the way to the staging file") {
            session, container in
            let contents = pattern(5 * 1_048_576 + 17, seed: 4)
            let made = try await session.createDocument("Large.bin", in: container.id, contents: contents)
            let file = try session.folder.newStagingFile()
            defer { file.remove() }
            _ = try await session.startProviding(made.id, to: file)
            let read = try file.bytes()
            try expect(read.count, is: contents.count, "The staging file has another size than the document.")
            try expect(read == contents, "The staging file has other bytes than the document.")
        },
    ]

    /// Bytes that repeat at no power of two.
    static func pattern(_ size: Int, seed: Int) -> [UInt8] {
        var state = UInt32(truncatingIfNeeded: seed &* 2_654_435_761 | 1)
        let period = min(size, 65_521)
        var bytes = [UInt8](unsafeUninitializedCapacity: period) { buffer, count in
            for index in 0..<period {
                state = state &* 1_664_525 &+ 1_013_904_223
                buffer[index] = UInt8(truncatingIfNeeded: state >> 24)
            }
            count = period
        }
        bytes.reserveCapacity(size)
        while bytes.count < size { bytes += bytes.prefix(size - bytes.count) }
        return bytes
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing(
            "PC-CONTENTS-" + number, level, title, rule: .provider("StartProviding"), limit: .seconds(60), body: body)
    }
}
