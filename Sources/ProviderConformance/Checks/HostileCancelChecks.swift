import DocumentModel
import DocumentWire
import ProviderLauncher
import SystemPackage

/// Hosts that lose interest: before, during and after, in things that never were.
enum HostileCancelChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "The cancel of a request that never was is ignored") { raw, _, _ in
            try await raw.send(Frame(id: 77, .cancel), Frame(id: UInt64.max, .cancel))
            try await raw.expectAlive()
        },
        check("002", .must, "The cancel of the connection itself is ignored, or ends it without a crash") { raw, _, _ in
            try await raw.send(Frame(id: 0, .cancel))
            raw.closeInput()
            try await raw.expectGone("the connection itself is cancelled")
        },
        check("003", .must, "A cancel that comes after the answer is ignored") { raw, _, _ in
            try await raw.send(HostileHostChecks.request(1, .identity))
            _ = try await raw.finalFrame(of: 1)
            try await raw.send(Frame(id: 1, .cancel))
            try await raw.expectAlive()
        },
        check("004", .must, "A cancel that comes together with its request leaves one answer") { raw, document, file in
            try await raw.send(
                HostileHostChecks.request(
                    1, .startProviding(document.id, stagingPath: file.path.string, contentVersion: [])),
                Frame(id: 1, .cancel))
            try expectEnd(try await raw.finalFrames(of: [1])[1])
        },
        check("005", .must, "A read that is cancelled is answered once, soon") { raw, document, file in
            try await raw.provide(1, document, to: file)
            try await Task.sleep(for: .milliseconds(30))
            try await raw.send(Frame(id: 1, .cancel))
            let clock = ContinuousClock()
            let began = clock.now
            let frame = try await raw.finalFrame(of: 1)
            try expectEnd(frame)
            try expect(clock.now - began < .seconds(5), "A cancelled read goes on for longer than five seconds.")
            try await raw.expectAlive()
        },
        check("006", .must, "A read that is cancelled three times is answered once") { raw, document, file in
            try await raw.provide(1, document, to: file)
            try await raw.send(Frame(id: 1, .cancel), Frame(id: 1, .cancel))
            try await raw.send(Frame(id: 1, .cancel))
            try expectEnd(try await raw.finalFrames(of: [1])[1])
        },
        check("007", .must, "Of many reads that are cancelled at all stages each is answered once") {
            raw, document, file in
            let ids = (0..<20).map { UInt64(2 * $0 + 1) }
            for id in ids {
                try await raw.provide(id, document, to: file)
                if id % 3 == 0 { try await Task.sleep(for: .milliseconds(Int(id % 7))) }
                if id > 5 { try await raw.send(Frame(id: id - 4, .cancel)) }
            }
            for (_, frame) in try await raw.finalFrames(of: Set(ids)) { try expectEnd(frame) }
        },
        check("008", .must, "After a cancelled read the same document can be read whole") { raw, document, file in
            try await raw.provide(1, document, to: file)
            try await raw.send(Frame(id: 1, .cancel))
            try expectEnd(try await raw.finalFrames(of: [1])[1])
            try await raw.provide(1_000_003, document, to: file)
            guard case .answer = try await raw.finalFrame(of: 1_000_003).kind else {
                throw CheckFailure("After a cancelled read a document cannot be read any more.")
            }
            if let size = document.size { try expect(try file.size(), is: size, "The document was not read whole.") }
        },
        check("009", .must, "After the answer to a cancelled read the staging file is not touched") {
            raw, document, file in
            try await raw.provide(1, document, to: file)
            try await Task.sleep(for: .milliseconds(20))
            try await raw.send(Frame(id: 1, .cancel))
            _ = try await raw.finalFrame(of: 1)
            let size = try file.size()
            try await Task.sleep(for: .milliseconds(200))
            try expect(try file.size(), is: size, "The staging file grows after the answer to a cancelled read.")
        },
    ]

    /// A normal end, or a cancelled one.
    private static func expectEnd(_ frame: Frame?) throws {
        guard case .failure(let error) = frame?.kind else { return }
        try expect(
            error.code == .cancelled || error.code == .busy, "A cancelled read fails with \(error.code).",
            detail: "\(error)")
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (RawSession, Item, StagingFile) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-GIVEUP-" + number, level, title, rule: .frame("Cancel"), limit: .seconds(45)) { context in
            let document = try await context.documentForHostility()
            let file = try context.folder.newStagingFile()
            defer { file.remove() }
            let exit = try await context.withHostileSession { raw, _ in try await body(raw, document, file) }.exit
            try CheckFailure.check(exit.status, "requests are cancelled like this")
        }
    }
}
