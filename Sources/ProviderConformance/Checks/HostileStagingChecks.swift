import DocumentModel
import DocumentWire
import Foundation
import ProviderLauncher
import SystemPackage

/// Files that the host takes back, and disks that are full.
enum HostileStagingChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "A staging file that is gone fails the read, and is not made anew") { raw, document, file in
            try FileManager.default.removeItem(atPath: file.path.string)
            try await raw.provide(1, document, to: file)
            try expectFailed(try await raw.finalFrame(of: 1), "A read into a staging file that is gone")
            try expect(!exists(file), "A staging file that the host took back was made anew.")
            try await raw.expectAlive()
        },
        check("002", .must, "A staging folder that is gone fails the read, and is not made anew") {
            raw, document, file in
            file.remove()
            try await raw.provide(1, document, to: file)
            try expectFailed(try await raw.finalFrame(of: 1), "A read into a staging folder that is gone")
            try expect(
                !FileManager.default.fileExists(atPath: file.folder.string), "A staging folder was made anew.")
            try await raw.expectAlive()
        },
        check("003", .must, "A staging file that is taken back during the read is not made anew") {
            raw, document, file in
            try await raw.provide(1, document, to: file)
            try await Task.sleep(for: .milliseconds(10))
            file.removeEntry()
            _ = try await raw.finalFrames(of: [1])
            try expect(!exists(file), "A staging file that the host took back was made anew.")
        },
        check("004", .must, "A full disk fails the read, and does not end the provider") { raw, document, file in
            guard document.size ?? 0 > 4096 else { throw CheckSkip("There is no document of more than 4 KiB.") }
            try raw.process.limitFiles(to: 4096)
            try await raw.provide(1, document, to: file)
            try expectFailed(try await raw.finalFrame(of: 1), "A read onto a full disk")
            try await raw.expectAlive()
        },
        check("005", .must, "A symbolic link in the place of the staging file is not followed out of staging") {
            raw, document, file in
            let outside = file.folder.removingLastComponent().removingLastComponent()
                .appending("outside-" + operationName()).string
            _ = FileManager.default.createFile(atPath: outside, contents: Data("ours".utf8))
            defer { try? FileManager.default.removeItem(atPath: outside) }
            try FileManager.default.removeItem(atPath: file.path.string)
            try FileManager.default.createSymbolicLink(atPath: file.path.string, withDestinationPath: outside)
            try await raw.provide(1, document, to: file)
            _ = try await raw.finalFrame(of: 1)
            try expect(
                FileManager.default.contents(atPath: outside) == Data("ours".utf8),
                "The provider wrote through a symbolic link, out of staging.")
        },
        check("006", .must, "A folder in the place of the staging file fails the read") { raw, document, file in
            try FileManager.default.removeItem(atPath: file.path.string)
            try FileManager.default.createDirectory(
                atPath: file.path.string, withIntermediateDirectories: false, attributes: nil)
            try await raw.provide(1, document, to: file)
            try expectFailed(try await raw.finalFrame(of: 1), "A read into a folder")
            try await raw.expectAlive()
        },
        changing("007", .must, "New contents whose file is gone fail the create, and make nothing", of: "Create") {
            session, container in
            let call = ProviderCall.CreateCall(
                parentID: container.id, name: try ItemName("Lost.txt"), kind: .document,
                contentsPath: session.folder.send.appending("not-there").string, modified: nil,
                operation: operationName())
            try await expectAnyFailure("A create whose contents are gone") { try await session.create(call) }
            try expect(try await session.list(container.id), is: [], "A create that failed made something.")
        },
        changing("008", .must, "New contents whose file is gone fail the change, and change nothing", of: "Modify") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let call = ProviderCall.ModifyCall(
                id: item.id, baseVersion: .none,
                contentsPath: session.folder.send.appending("not-there").string, operation: operationName())
            try await expectAnyFailure("A change whose contents are gone") { try await session.modify(call) }
            try expect(try await session.item(item.id), is: item, "A change that failed changed the item.")
            try expect(
                try await session.contents(of: item.id).bytes, is: ModifyingChecks.contents,
                "A change that failed changed the contents.")
        },
        changing("009", .must, "A staging file that is full of something else is emptied first") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let file = try session.folder.newStagingFile(contents: [UInt8](repeating: 9, count: 10_000))
            defer { file.remove() }
            _ = try await session.startProviding(item.id, to: file)
            try expect(try file.bytes(), is: ModifyingChecks.contents, "What was in the staging file is still there.")
        },
    ]

    private static func exists(_ file: StagingFile) -> Bool {
        FileManager.default.fileExists(atPath: file.path.string)
    }

    private static func expectFailed(_ frame: Frame, _ what: String) throws {
        guard case .failure(let error) = frame.kind else { throw CheckFailure("\(what) succeeds.") }
        try expect(
            ![.noSuchItem, .deletionRejected, .versionNoLongerAvailable].contains(error.code),
            "\(what) fails with \(error.code), which says something of the item.")
    }

    private static func expectAnyFailure<Value>(_ what: String, _ body: () async throws -> Value) async throws {
        do {
            _ = try await body()
        } catch is DocumentError {
            return
        }
        throw CheckFailure("\(what) succeeds.")
    }

    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String, of message: String = "StartProviding",
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-STAGING-" + number, level, title, rule: .provider(message), body: body)
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (RawSession, Item, StagingFile) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-STAGING-" + number, level, title, rule: .provider("StartProviding")) { context in
            let document = try await context.documentForHostility()
            let file = try context.folder.newStagingFile()
            defer { file.remove() }
            let exit = try await context.withHostileSession { raw, _ in try await body(raw, document, file) }.exit
            try CheckFailure.check(exit.status, "its staging file is like this")
        }
    }
}
