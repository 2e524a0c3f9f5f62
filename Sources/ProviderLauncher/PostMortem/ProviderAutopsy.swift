internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Glibc
internal import SystemPackage

/// Puts together what is known of a life that ended badly.
struct ProviderAutopsy: Sendable {
    let bundle: ProviderBundle
    let settings: SessionSettings
    let host: String
    /// When it was launched.
    let begin: ContinuousClock.Instant

    /// What a life leaves behind, beside how its process ended.
    struct Remains: Sendable {
        var session = ""
        var software = ""
        var processID: Int32 = 0
        var stage = PostMortem.Stage.launching
        var flight: FlightRecord?
        /// The tail of standard error of a process that runs on.
        var lastWords: [String] = []
    }

    func record(
        _ error: DocumentError, exit: ProcessExit?, evidence: FrameViolation?, remains: Remains,
        leavingOut redaction: FrameRedaction
    ) -> PostMortem {
        func clean(_ text: String) -> String { redaction.redact(text) }
        var record = PostMortem(
            time: Self.now(), provider: bundle.manifest.identifier.rawValue, domain: settings.domain.rawValue,
            version: bundle.manifest.version, program: bundle.executable.string, host: host, session: remains.session,
            stage: remains.stage, summary: clean(error.message), code: "\(error.code)",
            causes: error.causes.map(clean))
        record.software = clean(remains.software)
        if let exit {
            record.process = process(exit, remains.processID)
        } else if remains.processID != 0 {
            record.process = PostMortem.Process(
                id: remains.processID, lived: Self.seconds(ContinuousClock.now - begin), exitStatus: nil, signal: nil,
                signalName: nil, wasForced: false, usage: nil)
        }
        if let evidence {
            var bytes = evidence.bytes
            redaction.redact(bytes: &bytes)
            let shown = FrameViolation(evidence.message, offset: evidence.offset, bytes: bytes)
            record.badBytes = PostMortem.BadBytes(
                problem: clean(shown.message), offset: shown.offset, hex: shown.hex, text: shown.text,
                looksLikeText: evidence.looksLikeText)
        }
        record.standardError = (exit?.lastWords ?? remains.lastWords).map(clean)
        if let flight = remains.flight { add(flight, to: &record) }
        record.activity = activity(record)
        return record
    }

    private func process(_ exit: ProcessExit, _ id: Int32) -> PostMortem.Process {
        var status: Int32?
        var signal: Int32?
        switch exit.status {
        case .exited(let code): status = code
        case .signalled(let number): signal = number
        }
        return PostMortem.Process(
            id: id, lived: Self.seconds(ContinuousClock.now - begin), exitStatus: status, signal: signal,
            signalName: signal.flatMap(ProcessExit.name(of:)), wasForced: exit.wasForced,
            usage: exit.usage.map { usage in
                PostMortem.Usage(
                    userTime: Self.seconds(usage.userTime), systemTime: Self.seconds(usage.systemTime),
                    peakMemory: usage.peakMemory, pageFaults: usage.pageFaults, blocksRead: usage.blocksRead,
                    blocksWritten: usage.blocksWritten)
            })
    }

    private func add(_ flight: FlightRecord, to record: inout PostMortem) {
        record.openRequests = flight.open.map { request in
            PostMortem.OpenRequest(
                id: request.id, call: CallName.ofRequest(request.call), label: request.label,
                age: Self.seconds(flight.endedAt.since(request.askedAt)), state: request.stage.rawValue,
                bytesDone: request.bytesDone)
        }
        record.openAtHost = flight.openAtPeer
        record.framesSent = flight.sent.map { frame($0, flight, isSent: true) }
        record.framesReceived = flight.received.map { frame($0, flight, isSent: false) }
        record.framesSentInAll = flight.sentCount
        record.framesReceivedInAll = flight.receivedCount
    }

    private func frame(_ entry: FlightRecord.Entry, _ flight: FlightRecord, isSent: Bool) -> PostMortem.FrameRecord {
        // An answer has the number of the call that it answers.
        let isHosts = (entry.kind == .request) == isSent
        let call =
            switch entry.kind {
            case .request, .answer: isHosts ? CallName.ofRequest(entry.call) : CallName.ofHostRequest(entry.call)
            case .notification: isSent ? "" : CallName.ofEvent(entry.call)
            default: ""
            }
        return PostMortem.FrameRecord(
            before: Self.seconds(flight.endedAt.since(entry.time)), kind: entry.kind.rawValue, call: call, id: entry.id,
            bytes: entry.bytes)
    }

    private func activity(_ record: PostMortem) -> String {
        switch record.stage {
        case .launching: return "being started"
        case .handshake: return "saying hello, or telling who it is"
        case .serving: break
        }
        guard let oldest = record.openRequests.max(by: { $0.age < $1.age }) else { return "waiting for requests" }
        let count = record.openRequests.count
        let age = "\((oldest.age * 10).rounded() / 10) s"
        return "answering \(count) \(count == 1 ? "request" : "requests"), the oldest (\(oldest.call)) for \(age)"
    }

    private static func seconds(_ duration: Duration) -> Double {
        ((duration / .milliseconds(1)) as Double).rounded() / 1000
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1_000_000
    }
}
