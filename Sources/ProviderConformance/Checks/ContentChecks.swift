import CDocentShims
import DocumentModel
import DocumentWire
import ProviderLauncher
import SystemPackage

/// Contents: whole, in the version that was promised, in the staging file and nowhere else.
enum ContentChecks {
    static let all: [ConformanceCheck] = promises + staging + closing + digests + failures + sizes

    private static let promises: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-FETCH-001", .must, "The staging file has the size that the answer promises",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                for document in try await context.sampleDocuments(session).prefix(10) {
                    _ = try await session.contents(of: document.id)
                }
            }
        },
        ConformanceCheck(
            "PC-FETCH-002", .must, "The answer is the item in its current version", rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                try expect(
                    try await session.contents(of: document.id).item, is: try await session.item(document.id),
                    "The answer to StartProviding is another state of the item than GetItem gives.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-003", .must, "The version that is asked for is the version that is given",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let given = try await session.contents(of: document.id, version: document.version.content)
                try expect(
                    given.item.version.content, is: document.version.content,
                    "StartProviding gives another version than it was asked for.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-004", .must, "A version that the provider does not have fails with versionNoLongerAvailable",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                for version in [
                    Array("no such version".utf8), document.version.content + [0], [UInt8](repeating: 0xFE, count: 128),
                ] {
                    try await expectError(
                        .versionNoLongerAvailable, from: "StartProviding of a version that never was"
                    ) { try await session.contents(of: document.id, version: version) }
                }
            }
        },
        ConformanceCheck(
            "PC-FETCH-005", .must, "The same version has the same contents each time", rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let (one, two) = (
                    try await session.contents(of: document.id), try await session.contents(of: document.id)
                )
                try expect(
                    one.item.version.content != two.item.version.content || one.bytes == two.bytes,
                    "One version of a document has different contents.",
                    detail: "\(one.bytes.count) and \(two.bytes.count) bytes")
            }
        },
        ConformanceCheck(
            "PC-FETCH-006", .must, "Contents that the configuration knows are the ones that are given",
            rule: .provider("StartProviding")
        ) { context in
            let known = context.configuration.data.documents.filter { $0.contents != nil || $0.size != nil }
            guard !known.isEmpty else { throw CheckSkip("The configuration knows no contents.") }
            try await context.withSession { session in
                for document in known {
                    let item = try await context.known(document.path, session)
                    let bytes = try await session.contents(of: item.id).bytes
                    if let size = document.size {
                        try expect(Int64(bytes.count), is: size, "A known document has another size.")
                    }
                    if let contents = document.contents {
                        try expect(bytes, is: Array(contents.utf8), "A known document has other contents.")
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-FETCH-007", .must, "Documents can be fetched side by side", rule: .provider("ProviderRequest")
        ) { context in
            try await context.withSession { session in
                let documents = try await context.sampleDocuments(session).prefix(8)
                guard documents.count > 1 else { throw CheckSkip("There is only one document.") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for document in documents {
                        group.addTask {
                            for _ in 0..<3 {
                                let given = try await session.contents(of: document.id)
                                try expect(given.item.id, is: document.id, "Documents are mixed up.")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        },
        ConformanceCheck(
            "PC-FETCH-008", .must, "Contents come without a placeholder before them, and a placeholder after contents",
            rule: .provider("ProviderRequest")
        ) { context in
            try await context.withFreshSession { session in
                let document = try await context.sampleDocument(session)
                _ = try await session.contents(of: document.id)
                try await session.providePlaceholder(document.id)
                _ = try await session.contents(of: document.id)
            }
        },
    ]

    private static let staging: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-FETCH-020", .must, "The staging file is filled, and not replaced", rule: .provider("StartProviding")
        ) { context in
            try await withStagedSample(context) { _, file in
                try expect(
                    try file.isUntouchedAsAnEntry(), "The staging file was replaced, or has a second name.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-021", .must, "Nothing is left beside the staging file", rule: .provider("StartProviding")
        ) { context in
            try await withStagedSample(context) { _, file in
                try expect(
                    file.neighbours().isEmpty, "The provider leaves files beside the staging file.",
                    detail: file.neighbours().joined(separator: ", "))
            }
        },
        ConformanceCheck(
            "PC-FETCH-022", .must, "The staging file is not touched after the answer", rule: .provider("StartProviding")
        ) { context in
            try await withStagedSample(context) { _, file in
                let before = try file.bytes()
                let stamp = try file.modified()
                try await Task.sleep(for: .milliseconds(300))
                try expect(
                    try file.bytes() == before && file.modified() == stamp,
                    "The staging file is written after the answer.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-023", .must, "The staging file has no holes", rule: .rule("WIRE-39")
        ) { context in
            try await withStagedSample(context) { item, file in
                guard try file.size() > 0 else { throw CheckSkip("There is only an empty document.") }
                let descriptor = try FileDescriptor.open(file.path, .readOnly, options: [.closeOnExec])
                let hole = try descriptor.closeAfter { docent_seek_hole(descriptor.rawValue, 0) }
                guard hole >= 0 else { throw CheckSkip("The file system cannot tell holes.") }
                try expect(hole >= (try file.size()), "The staging file has a hole.", detail: "\(item): at \(hole)")
            }
        },
        ConformanceCheck(
            "PC-FETCH-024", .must, "A staging file that is gone is not made anew", rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let file = try context.folder.newStagingFile()
                file.removeEntry()
                defer { file.remove() }
                do {
                    _ = try await session.startProviding(document.id, to: file)
                } catch is DocumentError {
                    try expect(!file.exists, "The provider makes a staging file that the host has removed.")
                    return
                }
                throw CheckFailure("StartProviding succeeds without a staging file.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-025", .must, "A staging file that is a folder is refused", rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let call = ProviderCall.startProviding(
                    document.id, stagingPath: context.folder.fetch.string, contentVersion: [])
                do {
                    _ = try await session.ask(call)
                } catch is DocumentError {
                    return
                }
                throw CheckFailure("StartProviding succeeds with a folder for a staging file.")
            }
        },
    ]

    private static let closing: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-FETCH-026", .must, "The staging file is closed for writing when the answer comes",
            rule: .provider("StartProviding")
        ) { context in
            try await withStagedSample(context) { _, file in
                guard try file.isOpenForWriting() != nil else {
                    throw CheckSkip("The file system cannot tell who has a file open.")
                }
                // A process that is just being started holds for a moment what the provider has closed.
                let isClosed = try await eventually(within: .milliseconds(300)) { try file.isOpenForWriting() == false }
                try expect(isClosed, "The provider still has the staging file open for writing when it has answered.")
            }
        }
    ]

    private static let digests: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-FETCH-030", .must, "A digest that comes with contents is that of the staging file",
            rule: .provider("ItemAnswer")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                guard let digest = try await session.provide(document.id, to: file).sha256 else {
                    throw CheckSkip("The provider gives no digests.")
                }
                try expect(
                    digest, is: try FileDigest.bytes(of: file.path),
                    "The digest in the answer to StartProviding is not that of the staging file.")
            }
        }
    ]

    private static let failures: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-FETCH-040", .must, "Contents of an unknown item fail with noSuchItem, and nothing is written",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                let id = try context.unknownIdentifier()
                try await expectError(.noSuchItem, from: "StartProviding of an unknown item") {
                    try await session.startProviding(id, to: file)
                }
                try expect(try file.size() == 0, "Something is written to the staging file of an unknown item.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-041", .must, "Contents of a folder fail, and nothing is written",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                do {
                    _ = try await session.startProviding(session.rootID, to: file)
                } catch let error as DocumentError {
                    try expect(
                        [.definitive, .caller].contains(error.code.errorClass),
                        "Contents of a folder fail as if they could come later.", detail: "\(error)")
                    try expect(try file.size() == 0, "Something is written to the staging file of a folder.")
                    return
                }
                throw CheckFailure("StartProviding of a folder succeeds.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-042", .must, "An empty version means the current one, as often as it is asked for",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                for _ in 0..<5 {
                    try expect(
                        try await session.contents(of: document.id).item.version.content, is: document.version.content,
                        "The current version changes though nothing was changed.")
                }
            }
        },
    ]

    private static let sizes: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-FETCH-060", .must, "A document without contents is given as an empty file",
            rule: .provider("StartProviding"),
            needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let document = try await session.createDocument("empty.txt", in: container.id, contents: [])
                try expect(document.size ?? 0, is: 0, "An empty document has a size.")
                try expect(
                    try await session.contents(of: document.id).bytes.isEmpty, "An empty document has contents.")
            }
        },
        ConformanceCheck(
            "PC-FETCH-061", .must, "Large contents come whole", rule: .provider("StartProviding"), needs: [.modifying],
            mutates: true, limit: .seconds(60)
        ) { context in
            try await context.freshContainer { session, container in
                let bytes = noise(8 * 1_048_576 + 17)
                let document = try await session.createDocument("large.bin", in: container.id, contents: bytes)
                let given = try await session.contents(of: document.id)
                try expect(given.bytes == bytes, "Large contents come back different.", detail: "\(given.bytes.count)")
            }
        },
        ConformanceCheck(
            "PC-FETCH-062", .must, "Contents are bytes: none of them is changed on the way",
            rule: .provider("StartProviding"), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let contents: [[UInt8]] = [
                    Array(0...255), [0], [0, 0, 0], [0xEF, 0xBB, 0xBF, 0x41], Array("a\r\nb\rc\n".utf8),
                    [UInt8](repeating: 0, count: 65_536), [0xFF, 0xFE, 0x00],
                ]
                for (number, bytes) in contents.enumerated() {
                    let document = try await session.createDocument("\(number).txt", in: container.id, contents: bytes)
                    try expect(
                        try await session.contents(of: document.id).bytes == bytes, "Contents come back different.",
                        detail: "number \(number), \(bytes.count) bytes")
                }
            }
        },
        ConformanceCheck(
            "PC-FETCH-063", .must, "Sizes around powers of two are no different from others",
            rule: .provider("StartProviding"), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                for size in [1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 1_048_575, 1_048_577] {
                    let bytes = noise(size)
                    let document = try await session.createDocument("\(size)", in: container.id, contents: bytes)
                    try expect(document.size ?? Int64(size), is: Int64(size), "A new document has another size.")
                    try expect(
                        try await session.contents(of: document.id).bytes == bytes, "Contents come back different.",
                        detail: "\(size) bytes")
                }
            }
        },
        ConformanceCheck(
            "PC-FETCH-064", .must, "After a change the new contents are given, and the old version is not",
            rule: .provider("StartProviding"), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let old = try await session.createDocument("a.txt", in: container.id, contents: Array("old".utf8))
                let new = try await session.replaceContents(of: old.id, with: Array("newer".utf8))
                try expect(
                    old.version.content != new.version.content, "New contents have the version of the old ones.")
                let given = try await session.contents(of: old.id)
                try expect(given.bytes == Array("newer".utf8), "Not the new contents are given.")
                try expect(given.item.version, is: new.version, "The contents have another version than the change.")
                do {
                    let older = try await session.contents(of: old.id, version: old.version.content)
                    // Who keeps old versions may give them.
                    try expect(older.bytes == Array("old".utf8), "Under an old version new contents are given.")
                } catch let error as DocumentError {
                    try expect(
                        error.code, is: .versionNoLongerAvailable,
                        "An old version fails with a code that says something else.")
                }
            }
        },
    ]

    /// Has a document's contents staged, and looks at the file.
    private static func withStagedSample(
        _ context: CheckContext, _ body: (Item, StagingFile) async throws -> Void
    ) async throws {
        try await context.withSession { session in
            let document = try await context.sampleDocument(session)
            let file = try context.folder.newStagingFile()
            defer { file.remove() }
            let item = try await session.startProviding(document.id, to: file)
            try await body(item, file)
        }
    }

    /// Bytes that repeat at no power of two, the same in every run.
    static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let period = min(count, 65_521)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for _ in 0..<period {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.append(UInt8(truncatingIfNeeded: state >> 32))
        }
        while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
        return bytes
    }
}
