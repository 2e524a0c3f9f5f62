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
            var done: UInt64 = 0
            for (_, frame) in frames {
                guard case .progress(let progress) = frame.kind else { continue }
                try expect(
                    progress.done >= done, "Progress goes back.", detail: "from \(done) to \(progress.done) bytes")
                done = progress.done
            }
            guard let answer = frames.firstIndex(where: { isFinal($0.frame) }) else {
                throw CheckFailure("The request is not answered.")
            }
            try expect(
                frames[(answer + 1)...].isEmpty, "Frames of a request come after its answer.",
                detail: "\(frames[(answer + 1)...].map(\.frame))")
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
                case .startProviding(let item) = try ProviderReply(serialized: body), let size = item.size
            else { throw CheckFailure("The request is not answered with an item.") }
            for case .progress(let progress) in frames.map(\.frame.kind) {
                try expect(
                    progress.done <= UInt64(size), "Progress tells more bytes than the document has.",
                    detail: "\(progress.done) of \(size)")
            }
        },
    ]

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

    /// Fetches a document over a raw end, the largest that is known or can be made, and hands over all frames of the
    /// request and how many seconds it took.
    private static func fetch(
        _ context: CheckContext
    ) async throws -> (frames: [(time: Double, frame: Frame)], seconds: Double) {
        let document = try await context.withSession { session in
            let documents = try await context.sampleDocuments(session)
            guard let largest = documents.max(by: { $0.size ?? 0 < $1.size ?? 0 }) else {
                throw CheckSkip("There is no document.")
            }
            return largest
        }
        return try await context.withRawSession { raw in
            let file = try context.folder.newStagingFile()
            defer { file.remove() }
            let clock = ContinuousClock()
            let began = clock.now
            try await raw.ask(
                1, .startProviding(document.id, stagingPath: file.path.string, contentVersion: []))
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
