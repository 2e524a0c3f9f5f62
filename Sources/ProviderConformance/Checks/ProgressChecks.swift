import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage

/// What is told of a request while it runs.
enum ProgressChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-PROG-001", .must, "Progress never goes back, and does not go on after the answer",
            rule: .frame("Progress")
        ) { context in
            let (frames, _) = try await fetch(context)
            try expectOrder(frames.map(\.frame))
        },
        ConformanceCheck(
            "PC-PROG-002", .must, "Progress comes at most every 50 ms", rule: .frame("Progress")
        ) { context in
            let (frames, seconds) = try await fetch(context)
            let reports = frames.count { isProgress($0.frame) }
            try expect(
                Double(reports) <= seconds / 0.05 + 2, "Progress comes more often than every 50 ms.",
                detail: "\(reports) reports in \(seconds) s")
        },
        ConformanceCheck(
            "PC-PROG-003", .should, "Progress never tells more bytes than the document has", rule: .frame("Progress")
        ) { context in
            let (frames, _) = try await fetch(context)
            guard case .answer(let body)? = frames.first(where: { isFinal($0.frame) })?.frame.kind,
                case .startProviding(let provided) = try ProviderReply(serialized: body), let size = provided.item.size
            else { throw CheckFailure("The request is not answered with an item.") }
            for case .progress(let progress) in frames.map(\.frame.kind) {
                try expect(
                    progress.done <= UInt64(size), "Progress tells more bytes than the document has.",
                    detail: "\(progress.done) of \(size)")
            }
        },
        ConformanceCheck(
            "PC-PROG-004", .must, "Progress of a Create and of a Modify never goes back, nor on after the answer",
            rule: .frame("Progress"), needs: [.modifying], mutates: true, limit: .seconds(60)
        ) { context in
            try await context.ownContainer { container in
                let file = try context.folder.newFile(contents: contents)
                defer { file.remove() }
                let creation = ProviderCall.CreateCall(
                    parentID: container.id, name: try ItemName("Large.bin"), kind: .document,
                    contentsPath: file.path.string, modified: nil, operation: operationName())
                let (created, _) = try await exchange(.create(creation), context)
                try expectOrder(created.map(\.frame))
                guard case .answer(let body)? = created.map(\.frame).first(where: isFinal)?.kind,
                    case .create(let item) = try ProviderReply(serialized: body)
                else { throw CheckFailure("A large document cannot be made.", detail: "\(created.map(\.frame))") }
                let change = ProviderCall.ModifyCall(
                    id: item.id, baseVersion: item.version, contentsPath: file.path.string, operation: operationName())
                try expectOrder(try await exchange(.modify(change), context).frames.map(\.frame))
            }
        },
    ]

    /// Of what goes up: large enough that a provider has something to tell.
    private static let contents = [UInt8](repeating: 0x64, count: 8_388_608)

    private static func expectOrder(_ frames: [Frame]) throws {
        var done: UInt64 = 0
        for frame in frames {
            guard case .progress(let progress) = frame.kind else { continue }
            try expect(
                progress.done >= done, "Progress goes back.", detail: "from \(done) to \(progress.done) bytes")
            done = progress.done
        }
        guard let answer = frames.firstIndex(where: isFinal) else { throw CheckFailure("The request is not answered.") }
        try expect(
            frames[(answer + 1)...].isEmpty, "Frames of a request come after its answer.",
            detail: "\(frames[(answer + 1)...])")
    }

    private static func isFinal(_ frame: Frame) -> Bool {
        switch frame.kind {
        case .answer, .failure: true
        default: false
        }
    }

    private static func isProgress(_ frame: Frame) -> Bool {
        switch frame.kind {
        case .progress, .heartbeat: true
        default: false
        }
    }

    /// Fetches the largest document that there is.
    private static func fetch(
        _ context: CheckContext
    ) async throws -> (frames: [(time: Double, frame: Frame)], seconds: Double) {
        let document = try await context.withSession { session in
            let named = try await context.sampleDocuments(session)
            let found = try await context.allItems(session).filter { $0.kind == .document }
            guard let largest = (named + found).max(by: { $0.size ?? 0 < $1.size ?? 0 }) else {
                throw CheckSkip("There is no document.")
            }
            return largest
        }
        let file = try context.folder.newStagingFile()
        defer { file.remove() }
        return try await exchange(
            .startProviding(document.id, stagingPath: file.path.string, contentVersion: []), context)
    }

    /// Asks over a raw end, and hands over all frames of the request and how many seconds it took.
    private static func exchange(
        _ call: ProviderCall, _ context: CheckContext
    ) async throws -> (frames: [(time: Double, frame: Frame)], seconds: Double) {
        try await context.withRawSession { raw in
            let clock = ContinuousClock()
            let began = clock.now
            try await raw.ask(1, call)
            var frames: [(time: Double, frame: Frame)] = []
            var seconds = 0.0
            while true {
                let isAnswered = frames.contains { isFinal($0.frame) }
                // After the answer a moment for what should not come.
                guard let event = try await raw.next(within: isAnswered ? .milliseconds(150) : nil) else {
                    guard isAnswered else { throw CheckFailure("The provider did not answer in time.") }
                    return (frames, seconds)
                }
                switch event {
                case .frame(let frame) where frame.id == 1:
                    let time = (clock.now - began) / .seconds(1)
                    frames.append((time, frame))
                    if isFinal(frame) { seconds = time }
                case .frame: continue
                case .violation(let violation): throw CheckFailure(violation.message, detail: "\(violation)")
                case .end: throw CheckFailure("The provider closed its standard output while it was asked.")
                }
            }
        }.result
    }
}
