import DocumentModel
import DocumentWire
import Glibc
import ProviderLauncher
import SystemPackage

/// Contents on their way to the remote: nobody sees them before they are whole, also when the provider is killed over them.
enum UploadChecks {
    private static let contents = (0..<4_194_304).map { UInt8(truncatingIfNeeded: $0 / 11) }

    static let all: [ConformanceCheck] = [
        .changing(
            "PC-CONC-010", .must, "A document that is being made is not seen before it is whole",
            rule: .provider("Create"), limit: .seconds(60)
        ) { session, container in
            let name = try ItemName("Coming.bin")
            async let made = session.createDocument(name.rawValue, in: container.id, contents: contents)
            for _ in 0..<40 {
                guard let seen = try await session.list(container.id).first(where: { $0.name == name }) else {
                    try await Task.sleep(for: .milliseconds(5))
                    continue
                }
                try expect(
                    seen.size ?? Int64(contents.count), is: Int64(contents.count),
                    "A document that is being made is listed before it is whole.")
                try expect(
                    try await session.contents(of: seen.id).bytes == contents,
                    "A document that is being made can be read before it is whole.")
                break
            }
            let item = try await made
            try expect(
                try await session.contents(of: item.id).bytes == contents, "The document that was made is not whole.")
        },
        ConformanceCheck(
            "PC-RESTART-010", .must, "A document whose upload was killed is not there, or is there whole",
            rule: .rule("PROV-19"), needs: [.modifying], mutates: true, limit: .seconds(60)
        ) { context in
            try await context.ownContainer { container in
                let file = try context.folder.newFile(contents: contents)
                defer { file.remove() }
                let call = ProviderCall.CreateCall(
                    parentID: container.id, name: try ItemName("Killed.bin"), kind: .document,
                    contentsPath: file.path.string, modified: nil, operation: operationName())
                try await kill(.create(call), context)
                try await context.withFreshSession { session in
                    for item in try await session.list(container.id) {
                        try expect(item.name, is: call.name, "What was being made is there under another name.")
                        try expect(
                            try await session.contents(of: item.id).bytes == contents,
                            "A document whose upload was killed is there, and not whole.")
                    }
                    let item = try await session.create(call)
                    try expect(
                        try await session.contents(of: item.id).bytes == contents,
                        "Asked again, the document is not whole.")
                    try expect(try await session.list(container.id).count, is: 1, "There is not exactly one document.")
                }
            }
        },
        ConformanceCheck(
            "PC-RESTART-011", .must, "A document whose new contents were killed on their way has the old ones, or all",
            rule: .rule("PROV-19"), needs: [.modifying], mutates: true, limit: .seconds(60)
        ) { context in
            try await context.ownContainer { container in
                let file = try context.folder.newFile(contents: contents)
                defer { file.remove() }
                let old = try await context.withSession { try await ModifyingChecks.document(in: container, $0) }
                let call = ProviderCall.ModifyCall(
                    id: old.id, baseVersion: old.version, contentsPath: file.path.string, operation: operationName())
                try await kill(.modify(call), context)
                try await context.withFreshSession { session in
                    let found = try await session.contents(of: old.id).bytes
                    try expect(
                        found == contents || found == ModifyingChecks.contents,
                        "A document has part of the contents that were killed on their way.",
                        detail: "\(found.count) bytes")
                    _ = try await session.modify(call)
                    try expect(
                        try await session.contents(of: old.id).bytes == contents, "Asked again, it is not changed.")
                }
            }
        },
    ]

    /// Asks, and kills the provider's process as soon as it says that it is on its way, or a little later.
    private static func kill(_ call: ProviderCall, _ context: CheckContext) async throws {
        try await context.withRawSession { raw in
            try await raw.ask(1, call)
            while let event = try await raw.next(within: .milliseconds(30)) {
                guard case .frame(let frame) = event, frame.id != 1 else { break }
            }
            raw.process.send(SIGKILL)
            _ = await raw.process.waitUntilExited()
        }
    }
}

extension CheckContext {
    /// A folder of the check's own that outlives the processes which the body starts, and is removed afterwards.
    func ownContainer(_ body: (Item) async throws -> Void) async throws {
        let container = try await withSession { try await newContainer($0) }
        do {
            try await body(container)
        } catch {
            // The first error is the one that matters. An interrupted check cleans up, too.
            _ = await Task { try await withSession { try await $0.delete(container.id, recursive: true) } }.result
            throw error
        }
        try await withSession { try await $0.delete(container.id, recursive: true) }
    }
}
