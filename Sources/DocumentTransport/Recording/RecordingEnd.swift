package import DocumentWire
package import SystemPackage

/// An end that tells a recorder all that goes over another one, and is otherwise that end.
package final class RecordingEnd: TransportEnd {
    private let end: any TransportEnd
    private let recorder: TrafficRecorder
    private let outgoing: FrameRedaction.Direction
    private let incoming: FrameRedaction.Direction

    /// - Parameter outgoing: which way goes what is written to the end: at the host `toProvider`.
    package init(_ end: any TransportEnd, outgoing: FrameRedaction.Direction = .toProvider, recorder: TrafficRecorder) {
        self.end = end
        self.recorder = recorder
        self.outgoing = outgoing
        incoming = outgoing == .toProvider ? .toHost : .toProvider
    }

    package func start(_ observer: any TransportObserver) throws(Errno) {
        try end.start(observer)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        let outcome = end.read(into: buffer)
        switch outcome {
        case .bytes(let count): recorder.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), incoming)
        case .ended, .failed: recorder.end(incoming)
        case .wouldBlock: break
        }
        return outcome
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome {
        let outcome = end.write(bytes)
        switch outcome {
        case .bytes(let count): recorder.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), outgoing)
        case .ended, .failed: recorder.end(outgoing)
        case .wouldBlock: break
        }
        return outcome
    }

    package func setInterest(reading: Bool, writing: Bool) {
        end.setInterest(reading: reading, writing: writing)
    }

    package func close() {
        end.close()
        recorder.end(outgoing)
    }
}
