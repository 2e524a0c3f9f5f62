package import DocumentWire
import Synchronization

/// Cuts what goes over a transport end into entries, and blanks out the secrets before it hands them on.
package final class TrafficRecorder: Sendable {
    private let sink: @Sendable (TrafficEntry) -> Void
    private let start: MonotonicTime
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var redaction: FrameRedaction
        var toProvider = Lane(expectsPreface: false)
        var toHost = Lane(expectsPreface: true)
    }

    /// - Parameters:
    ///   - redaction: what is known to be secret beforehand.
    ///   - sink: gets the entries, those of one direction in order, on the thread that reads or writes. Must not block.
    package init(
        redaction: FrameRedaction = FrameRedaction(), start: MonotonicTime = .now(),
        sink: @escaping @Sendable (TrafficEntry) -> Void
    ) {
        self.sink = sink
        self.start = start
        state = Mutex(State(redaction: redaction))
    }

    /// What is known to be secret by now.
    package var redaction: FrameRedaction { state.withLock { $0.redaction } }

    func take(_ bytes: UnsafeRawBufferPointer, _ direction: FrameRedaction.Direction) {
        tell(direction) { lane, redaction in lane.take(bytes, direction, &redaction) }
    }

    func end(_ direction: FrameRedaction.Direction) {
        tell(direction) { lane, redaction in lane.end(direction, &redaction) }
    }

    private func tell(
        _ direction: FrameRedaction.Direction,
        _ body: (inout Lane, inout FrameRedaction) -> [TrafficEntry.Content]
    ) {
        let contents = state.withLock { state in
            switch direction {
            case .toProvider: body(&state.toProvider, &state.redaction)
            case .toHost: body(&state.toHost, &state.redaction)
            }
        }
        guard !contents.isEmpty else { return }
        let time = MonotonicTime.now().since(start)
        for content in contents { sink(TrafficEntry(time: time, direction: direction, content: content)) }
    }

    /// One direction.
    private struct Lane: ~Copyable {
        private var decoder: FrameDecoder
        private var lacksPreface: Bool
        private var isBroken = false
        private var hasEnded = false

        init(expectsPreface: Bool) {
            decoder = FrameDecoder(limit: FrameLimits.default.frameBytes, expectsPreface: expectsPreface)
            lacksPreface = expectsPreface
        }

        mutating func take(
            _ bytes: UnsafeRawBufferPointer, _ direction: FrameRedaction.Direction, _ redaction: inout FrameRedaction
        ) -> [TrafficEntry.Content] {
            guard !bytes.isEmpty, !hasEnded else { return [] }
            if isBroken { return [Self.loose(Array(bytes), redaction)] }
            let before = decoder.offset
            var bodies: [[UInt8]] = []
            var rest: [UInt8]?
            do throws(FrameViolation) {
                try decoder.decode(bytes) { body, _ throws(FrameViolation) in bodies.append(Array(body)) }
            } catch {
                isBroken = true
                // What the decoder had taken already, of the preface or of a length, and all that it had not.
                let taken = Int(decoder.offset - error.offset)
                rest = Array(error.bytes.prefix(taken)) + bytes[Int(decoder.offset - before)...]
            }
            var contents: [TrafficEntry.Content] = []
            if lacksPreface, decoder.hasPreface, rest == nil || !bodies.isEmpty {
                lacksPreface = false
                contents.append(.preface)
            }
            for var body in bodies {
                redaction.redact(frame: &body, direction)
                contents.append(.frame(body))
            }
            if let rest { contents.append(Self.loose(rest, redaction)) }
            return contents
        }

        mutating func end(
            _ direction: FrameRedaction.Direction, _ redaction: inout FrameRedaction
        ) -> [TrafficEntry.Content] {
            guard !hasEnded else { return [] }
            hasEnded = true
            // A frame that was never finished.
            guard !isBroken, let torn = decoder.violationAtEnd() else { return [.end] }
            var bytes = torn.bytes
            redaction.redact(frame: &bytes, direction)
            return [.bytes(bytes), .end]
        }

        private static func loose(_ bytes: [UInt8], _ redaction: FrameRedaction) -> TrafficEntry.Content {
            var bytes = bytes
            redaction.redact(bytes: &bytes)
            return .bytes(bytes)
        }
    }
}
