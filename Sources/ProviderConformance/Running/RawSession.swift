import DocumentModel
package import DocumentTransport
package import DocumentWire
import Foundation
package import ProviderLauncher
import Synchronization

/// A provider's pipes without a connection over them: for hosts that do what no connection of ours would do.
package final class RawSession: Sendable {
    package let launched: LaunchedProvider
    private let provider: ProviderUnderTest
    private let limit: Duration
    private let label: String
    private let state: Mutex<Incoming>

    package var process: ProviderProcess { launched.process }

    /// What comes from the provider.
    package enum Event: Hashable, Sendable {
        case frame(Frame)
        /// What is no frame: the rest of the stream is not read.
        case violation(FrameViolation)
        /// The end of its standard output.
        case end
    }

    private struct Incoming: ~Copyable {
        var decoder = FrameDecoder(limit: FrameLimits.default.frameBytes, expectsPreface: true)
        var events: [Event] = []
        var isOver = false
        var buffer = [UInt8](repeating: 0, count: 65_536)
    }

    private final class Nobody: TransportObserver {
        func endIsReady(_ readiness: TransportReadiness) {}
        func readAhead() -> Bool { false }
    }

    init(_ launched: LaunchedProvider, of provider: ProviderUnderTest, limit: Duration, label: String) throws {
        self.launched = launched
        self.provider = provider
        self.limit = limit
        self.label = label
        state = Mutex(Incoming())
        do {
            try launched.end.start(Nobody())
            launched.end.setInterest(reading: false, writing: false)
        } catch {
            throw KitError("The provider's pipes cannot be used: \(error)")
        }
    }

    // MARK: Sending

    /// Sends bytes, waiting for room.
    ///
    /// - Returns: false when the provider has closed its standard input.
    /// - Throws: ``CheckFailure`` when it does not read.
    @discardableResult
    package func send(_ bytes: [UInt8]) async throws -> Bool {
        var rest = bytes[...]
        var isClosed = false
        let isSent = try await eventually(within: limit) {
            while !rest.isEmpty {
                switch rest.withUnsafeBytes({ launched.end.write($0) }) {
                case .bytes(let count): rest = rest.dropFirst(count)
                case .wouldBlock: return false
                case .ended, .failed:
                    isClosed = true
                    return true
                }
            }
            return true
        }
        guard isSent else { throw CheckFailure("The provider does not read its standard input.") }
        return !isClosed
    }

    /// Sends frames, in one piece.
    @discardableResult
    package func send(_ frames: Frame...) async throws -> Bool {
        var bytes: [UInt8] = []
        for frame in frames { frame.append(to: &bytes) }
        return try await send(bytes)
    }

    /// Asks, without waiting for the answer.
    package func ask(_ id: UInt64, _ call: ProviderCall) async throws {
        try await send(Frame(id: id, .request(body: call.serialized(), deadline: 0, label: RequestLabel(label))))
    }

    /// Ends the provider's standard input, and goes on reading.
    package func closeInput() {
        launched.pipes.closeWriting()
    }

    // MARK: Receiving

    /// The next thing that comes.
    ///
    /// - Returns: nil when nothing comes within the time.
    package func next(within limit: Duration? = nil) async throws -> Event? {
        var event: Event?
        _ = try await eventually(within: limit ?? self.limit) {
            event = state.withLock { incoming in
                if incoming.events.isEmpty { read(&incoming) }
                return incoming.events.isEmpty ? nil : incoming.events.removeFirst()
            }
            return event != nil
        }
        return event
    }

    /// The next frame but for what the provider tells unasked, which it may at any time.
    ///
    /// - Throws: ``CheckFailure`` when there is none.
    package func frame(within limit: Duration? = nil) async throws -> Frame {
        while true {
            let frame = try await anyFrame(within: limit)
            if case .notification = frame.kind { continue }
            return frame
        }
    }

    /// Waits for so long that nothing comes but what the provider tells unasked.
    ///
    /// - Throws: ``CheckFailure`` with these words when something does.
    package func expectSilence(_ words: String, for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while true {
            let left = end - .now
            guard left > .zero, let event = try await next(within: left) else { return }
            if case .frame(let frame) = event, case .notification = frame.kind { continue }
            throw CheckFailure(words, detail: "\(event)")
        }
    }

    private func anyFrame(within limit: Duration?) async throws -> Frame {
        switch try await next(within: limit) {
        case .frame(let frame): return frame
        case .violation(let violation):
            throw CheckFailure("What the provider wrote is no frame: \(violation.message)", detail: "\(violation)")
        case .end:
            throw CheckFailure(ofEnd: "The provider closed its standard output where an answer was expected.")
        case nil: throw CheckFailure("The provider did not answer in time.")
        }
    }

    /// The final frame of a request; everything else that comes before it is passed over.
    ///
    /// - Throws: ``CheckFailure`` when there is none.
    package func finalFrame(of id: UInt64) async throws -> Frame {
        while true {
            let frame = try await frame()
            switch frame.kind {
            case .answer where frame.id == id, .failure where frame.id == id: return frame
            case .request(let body, _, _, _):
                // The provider may need the host to answer first.
                let placeholder: Frame.Kind =
                    (try? HostCall(serialized: body)) != nil
                    ? .answer(body: HostReply.writePlaceholder.serialized())
                    : .failure(DocumentError(.unimplemented, "This host does not know the request."))
                try await send(Frame(id: frame.id, placeholder))
            default: continue
            }
        }
    }

    /// Everything that comes until the end of the stream.
    ///
    /// - Throws: ``CheckFailure`` when it does not end within the time.
    package func rest(within limit: Duration? = nil) async throws -> [Event] {
        var events: [Event] = []
        let end = ContinuousClock.now + (limit ?? self.limit)
        while ContinuousClock.now < end, events.count < 100_000 {
            guard let event = try await next(within: end - .now) else { break }
            if event == .end { return events }
            events.append(event)
        }
        throw CheckFailure("The provider did not close its standard output in time.")
    }

    private func read(_ incoming: inout Incoming) {
        guard !incoming.isOver else {
            incoming.events.append(.end)
            return
        }
        let outcome = incoming.buffer.withUnsafeMutableBytes { launched.end.read(into: $0) }
        switch outcome {
        case .wouldBlock: return
        case .ended, .failed:
            incoming.isOver = true
            if let torn = incoming.decoder.violationAtEnd() { incoming.events.append(.violation(torn)) }
            incoming.events.append(.end)
        case .bytes(let count):
            var frames: [Event] = []
            let bytes = incoming.buffer
            let violation = bytes.withUnsafeBytes { all -> FrameViolation? in
                do throws(FrameViolation) {
                    try incoming.decoder.decode(UnsafeRawBufferPointer(rebasing: all[..<count])) {
                        (body, offset) throws(FrameViolation) in
                        guard let frame = try? Frame(body: body) else {
                            throw FrameViolation("A frame is no message of the protocol.", offset: offset, bytes: body)
                        }
                        frames.append(.frame(frame))
                    }
                    return nil
                } catch {
                    return error
                }
            }
            if let violation {
                frames.append(.violation(violation))
                incoming.isOver = true
            }
            incoming.events += frames
        }
    }

    // MARK: Handshake

    /// A hello as a host sends it.
    package func helloFrame(_ change: (inout Frame.Hello) -> Void = { _ in }) throws -> Frame {
        var hello = Frame.Hello()
        hello.versions = Manifest.hostProtocolVersions
        hello.software = "provider-conformance"
        hello.processID = Int64(ProcessInfo.processInfo.processIdentifier)
        hello.session = label
        hello.locale = "en"
        hello.context = try provider.sessionSettings.serialized()
        change(&hello)
        return Frame(.hello(hello))
    }

    /// Says hello and reads the reply.
    ///
    /// - Throws: ``CheckFailure`` when there is none.
    @discardableResult
    package func hello(_ change: (inout Frame.Hello) -> Void = { _ in }) async throws -> Frame.HelloReply {
        try await send(try helloFrame(change))
        let frame = try await frame(within: provider.startLimit)
        guard case .helloReply(let reply) = frame.kind, frame.id == 0 else {
            throw CheckFailure("The provider's first frame is no answer to the hello.", detail: frame.evidence)
        }
        return reply
    }

    // MARK: Ending

    /// Whether the process ends by itself within a time.
    package func exits(within limit: Duration) async throws -> Bool {
        let process = process
        do {
            return try await within(limit, else: CancellationError()) { await process.waitUntilExited() }
        } catch is CancellationError {
            try Task.checkCancellation()
            return false
        }
    }

    private func within<Result: Sendable>(
        _ limit: Duration, else late: any Error, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await ProviderConformance.within(limit, else: late, body)
    }
}
