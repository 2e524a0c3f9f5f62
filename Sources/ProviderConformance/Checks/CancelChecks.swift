import DocumentModel
import DocumentWire
import SystemPackage

/// Requests that nobody is interested in any more.
enum CancelChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-CANCEL-001", .must, "A cancelled request gets its one final frame, whatever it says",
            rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                for round in 0..<5 as Range<UInt64> {
                    let id = round * 2 + 1
                    let file = try context.folder.newStagingFile()
                    defer { file.remove() }
                    try await raw.ask(
                        id, .startProviding(document.id, stagingPath: file.path.string, contentVersion: []))
                    try await raw.send(Frame(id: id, .cancel))
                    try expectFinal(try await raw.finalFrame(of: id))
                }
                try await expectSilence(raw)
            }
        },
        ConformanceCheck(
            "PC-CANCEL-002", .must, "A cancel in the same write as its request is no different", rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                let call = ProviderCall.startProviding(
                    document.id, stagingPath: file.path.string, contentVersion: [])
                try await raw.send(
                    Frame(id: 1, .request(body: call.serialized(), deadline: 0)), Frame(id: 1, .cancel))
                try expectFinal(try await raw.finalFrame(of: 1))
                try await expectSilence(raw)
            }
        },
        ConformanceCheck(
            "PC-CANCEL-003", .must, "A cancel of a request that is finished is ignored", rule: .frame("Cancel")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.ask(1, .identity)
                try expectAnswer(try await raw.finalFrame(of: 1))
                try await raw.send(Frame(id: 1, .cancel))
                try await expectSilence(raw)
            }
        },
        ConformanceCheck(
            "PC-CANCEL-004", .must, "A cancel of a request that never was is ignored", rule: .frame("Cancel")
        ) { context in
            try await context.withRawSession { raw in
                for id in [99, 12_345_677, .max] as [UInt64] { try await raw.send(Frame(id: id, .cancel)) }
                try await raw.ask(1, .identity)
                let frame = try await raw.frame()
                try expect(frame.id == 1, "A cancel of a request that never was is answered.", detail: frame.evidence)
                try expectAnswer(frame)
            }
        },
        ConformanceCheck(
            "PC-CANCEL-005", .must, "A request that is cancelled twice gets one final frame", rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                try await raw.ask(1, .providePlaceholder(document.id))
                try await raw.send(Frame(id: 1, .cancel), Frame(id: 1, .cancel))
                try expectFinal(try await raw.finalFrame(of: 1))
                try await raw.ask(3, .identity)
                try expectAnswer(try await raw.finalFrame(of: 3))
            }
        },
        ConformanceCheck(
            "PC-CANCEL-006", .must, "A request that waits for the host ends when it is cancelled",
            rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                try await raw.ask(1, .providePlaceholder(document.id))
                // The host takes its time, and ends it when the provider has lost interest.
                let asked = try await raw.frame()
                guard case .request = asked.kind else {
                    throw CheckSkip("The provider does not ask the host to write the placeholder.")
                }
                try await raw.send(Frame(id: 1, .cancel))
                while true {
                    guard case .frame(let frame)? = try await raw.next(within: .seconds(10)) else {
                        throw CheckFailure("A cancelled request that waits for the host does not end.")
                    }
                    if frame == Frame(id: asked.id, .cancel) {
                        try await raw.send(Frame(id: asked.id, .failure(DocumentError(.cancelled, "Cancelled."))))
                    }
                    if frame.id == 1 {
                        try expectFinal(frame)
                        return
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-CANCEL-007", .must, "After a cancelled request's final frame its staging file is left alone",
            rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                try await raw.ask(1, .startProviding(document.id, stagingPath: file.path.string, contentVersion: []))
                try await raw.send(Frame(id: 1, .cancel))
                try expectFinal(try await raw.finalFrame(of: 1))
                let (bytes, stamp) = (try file.bytes(), try file.modified())
                try await Task.sleep(for: .milliseconds(300))
                try expect(
                    try file.bytes() == bytes && file.modified() == stamp,
                    "The staging file of a cancelled request is written after its final frame.")
                try expect(
                    try file.isUntouchedAsAnEntry(), "The staging file of a cancelled request was replaced.")
            }
        },
        ConformanceCheck(
            "PC-CANCEL-008", .must, "A cancel ends no other request", rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                try await raw.ask(1, .item(document.id))
                try await raw.ask(3, .item(document.id))
                try await raw.ask(5, .item(document.id))
                try await raw.send(Frame(id: 3, .cancel))
                var good: Set<UInt64> = []
                var seen: Set<UInt64> = []
                while seen.count < 3 {
                    let frame = try await raw.frame()
                    try expectFinal(frame)
                    seen.insert(frame.id)
                    if case .answer = frame.kind { good.insert(frame.id) }
                }
                try expect(
                    good.isSuperset(of: [1, 5]), "A cancel ends another request than its own.", detail: "\(good)")
            }
        },
        ConformanceCheck(
            "PC-CANCEL-009", .must, "After many cancelled requests the provider answers as before",
            rule: .frame("Cancel")
        ) { context in
            try await withDocument(context) { raw, document in
                var id: UInt64 = 1
                for _ in 0..<200 {
                    try await raw.ask(id, .item(document.id))
                    try await raw.send(Frame(id: id, .cancel))
                    try expectFinal(try await raw.finalFrame(of: id))
                    id += 2
                }
                try await raw.ask(id, .item(document.id))
                try expectAnswer(try await raw.finalFrame(of: id))
            }
        },
    ]

    private static func withDocument(
        _ context: CheckContext, _ body: @escaping @Sendable (RawSession, Item) async throws -> Void
    ) async throws {
        let document = try await context.withSession { try await context.sampleDocument($0) }
        try await context.withRawSession { try await body($0, document) }
    }

    /// An answer, or a failure that is no wonder after a cancel.
    static func expectFinal(_ frame: Frame) throws {
        switch frame.kind {
        case .answer: return
        case .failure(let error) where error.code == .cancelled: return
        default:
            throw CheckFailure("A cancelled request ends with neither an answer nor cancelled.", detail: frame.evidence)
        }
    }

    /// Also before the answer to what is asked next, which comes late where all is slow.
    static func expectSilence(_ raw: RawSession) async throws {
        let words = "Something comes where nothing was asked for."
        try await raw.expectSilence(words, for: .milliseconds(150))
        let last: UInt64 = 1001
        try await raw.ask(last, .identity)
        let frame = try await raw.frame()
        try expect(frame.id == last, words, detail: frame.evidence)
        try expectAnswer(frame)
    }
}
