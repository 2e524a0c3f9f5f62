import DocumentTransport
import DocumentWire
import Logging
import Synchronization

/// Where all that is seen of a provider goes: to the check that runs, and to the recording of the whole run.
final class TrafficTap: Sendable {
    /// So much of a check's traffic is kept for the report, in bytes.
    private static let checkLimit = 1_048_576
    /// So many lines of standard error are kept a check.
    private static let logLimit = 200

    private let state: Mutex<State>
    let redaction: FrameRedaction

    private struct State {
        var log = TrafficLog(limit: TrafficTap.checkLimit)
        var lines: [String] = []
        var leftOut = 0
        var records: [Session] = []
        /// The check that runs.
        var check: String?
    }

    /// A session from its first entry on.
    private struct Session {
        var record: TrafficRecord
        /// The checks that had a part in it.
        var checks: [String] = []
    }

    /// Whether whole sessions are kept.
    private let keepsRecords: Bool

    init(redaction: FrameRedaction, keepsRecords: Bool) {
        self.redaction = redaction
        self.keepsRecords = keepsRecords
        state = Mutex(State())
    }

    /// A recorder for a process that begins now.
    func recorder(notes: [TrafficRecord.Note]) -> TrafficRecorder {
        let number = state.withLock { state -> Int in
            if keepsRecords { state.records.append(Session(record: TrafficRecord(notes: notes))) }
            return state.records.count - 1
        }
        return TrafficRecorder(redaction: redaction) { entry in
            self.state.withLock { state in
                state.log.append(entry)
                guard self.keepsRecords else { return }
                state.records[number].record.entries.append(entry)
                // A shared session ends when a later check wants one of its own.
                if let check = state.check, entry.isWork, state.records[number].checks.last != check {
                    state.records[number].checks.append(check)
                }
            }
        }
    }

    /// What comes from now on is of this check.
    func begin(_ check: String) {
        state.withLock { $0.check = check }
    }

    func append(line: String) {
        let line = redaction.redact(line)
        state.withLock { state in
            if state.lines.count < Self.logLimit { state.lines.append(line) } else { state.leftOut += 1 }
        }
    }

    /// Hands over what was seen since the last time.
    func take() -> (exchanges: [Exchange], log: [String]) {
        let (log, lines, leftOut) = state.withLock { state in
            defer {
                state.log = TrafficLog(limit: Self.checkLimit)
                state.lines = []
                state.leftOut = 0
            }
            return (state.log, state.lines, state.leftOut)
        }
        var exchanges = log.entries.map { Exchange($0) }
        if log.leftOut > 0 {
            exchanges.insert(
                Exchange(time: 0, isToProvider: true, summary: "\(log.leftOut) earlier ones are left out", text: ""),
                at: 0)
        }
        return (exchanges, lines + (leftOut > 0 ? ["(\(leftOut) more lines)"] : []))
    }

    /// The recordings of all sessions so far, each with the checks that had a part in it, which its notes name, too.
    var records: [(record: TrafficRecord, checks: [String])] {
        var limits = ReplayLimits()
        return state.withLock { $0.records }.map { session in
            var record = session.record
            let reason = limits.reason(against: record)
            if !session.checks.isEmpty {
                record.notes.append(.init(key: "checks", text: session.checks.joined(separator: " ")))
            }
            if let reason = session.checks.compactMap(ReplayLimits.fault).first ?? reason {
                record.notes.append(.init(key: TrafficRecord.unreplayable, text: reason))
            }
            return (record, session.checks)
        }
    }

    /// A logger whose lines come here.
    var logger: Logger { Logger(label: "provider") { _ in Handler(tap: self) } }

    private struct Handler: LogHandler {
        let tap: TrafficTap
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.info

        init(tap: TrafficTap) {
            self.tap = tap
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            tap.append(line: event.message.description)
        }
    }
}

extension TrafficEntry {
    /// Whether it is no part of the end of a session.
    fileprivate var isWork: Bool {
        switch (content, frame?.kind) {
        case (.end, _), (_, .shutdown), (_, .goodbye): false
        default: true
        }
    }
}
