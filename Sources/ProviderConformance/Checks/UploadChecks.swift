import DocumentModel
import DocumentWire
import Glibc
import ProviderLauncher
import Synchronization
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
            let bytes = contents
            let isMade = Mutex(false)
            async let made = {
                defer { isMade.withLock { $0 = true } }
                return try await session.createDocument(name.rawValue, in: container.id, contents: bytes)
            }()
            while !isMade.withLock({ $0 }) {
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
                for (number, moment) in moments.enumerated() {
                    let call = ProviderCall.CreateCall(
                        parentID: container.id, name: try ItemName("Killed \(number).bin"), kind: .document,
                        contentsPath: file.path.string, modified: nil, operation: operationName())
                    try await kill(.create(call), after: moment, context)
                    try await context.withFreshSession { session in
                        let before = try await session.list(container.id)
                        try expect(
                            before.count == number || before.count == number + 1,
                            "What was being made is there more than once, or something else is gone.",
                            detail: "\(before.map(\.name))")
                        if let item = before.first(where: { $0.name == call.name }) {
                            try expect(
                                try await session.contents(of: item.id).bytes == contents,
                                "A document whose upload was killed is there, and not whole.")
                        } else {
                            try expect(before.count, is: number, "What was being made is there under another name.")
                        }
                        let item = try await session.create(call)
                        try expect(
                            try await session.contents(of: item.id).bytes == contents,
                            "Asked again, the document is not whole.")
                        try expect(
                            try await session.list(container.id).count, is: number + 1,
                            "There is not exactly one document.")
                    }
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
                for (number, moment) in moments.enumerated() {
                    let before = Array("old contents".utf8)
                    let old = try await context.withSession { session in
                        try await session.createDocument("Old \(number).bin", in: container.id, contents: before)
                    }
                    let call = ProviderCall.ModifyCall(
                        id: old.id, baseVersion: old.version, contentsPath: file.path.string,
                        operation: operationName())
                    try await kill(.modify(call), after: moment, context)
                    try await context.withFreshSession { session in
                        // It may have another identifier by now (ID-4).
                        guard let now = try await session.list(container.id).first(where: { $0.name == old.name })
                        else { throw CheckFailure("A document whose new contents were killed is gone.") }
                        let found = try await session.contents(of: now.id).bytes
                        try expect(
                            found == contents || found == before,
                            "A document has part of the contents that were killed on their way.",
                            detail: "\(found.count) bytes")
                        let done = try await session.modify(call)
                        try expect(
                            try await session.contents(of: done.id).bytes == contents,
                            "Asked again, it is not changed.")
                    }
                }
            }
        },
    ]

    /// How long a provider may say nothing before it is killed: some say how far they are, and some do not.
    private static let moments: [Duration] = [.milliseconds(5), .milliseconds(60), .seconds(1)]

    /// Asks, and kills the provider's process as soon as it says that it is on its way, or when it has been silent so long.
    private static func kill(_ call: ProviderCall, after silence: Duration, _ context: CheckContext) async throws {
        try await context.withRawSession { raw in
            try await raw.ask(1, call)
            while let event = try await raw.next(within: silence) {
                guard case .frame(let frame) = event, frame.id != 1 else { break }
            }
            raw.process.send(SIGKILL)
            _ = await raw.process.waitUntilExited()
        }
    }
}
