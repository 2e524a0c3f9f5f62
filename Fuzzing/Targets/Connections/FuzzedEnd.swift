import DocumentTransport
import Synchronization
import SystemPackage

/// An end whose other side sends given bytes, in slices of one size, reads everything, and hangs up.
final class FuzzedEnd: TransportEnd {
    private let loop: EventLoop
    private let slice: Int
    private let state: Mutex<State>

    private struct State {
        var incoming: ArraySlice<UInt8>
        var outgoing: [UInt8] = []
        var observer: (any TransportObserver)?
        var isReading = true
        var isTelling = false
        var hasEnded = false
    }

    init(_ bytes: [UInt8], slice: Int, loop: EventLoop) {
        self.loop = loop
        self.slice = slice
        state = Mutex(State(incoming: bytes[...]))
    }

    /// What was written.
    var written: [UInt8] { state.withLock { $0.outgoing } }

    func start(_ observer: any TransportObserver) throws(Errno) {
        state.withLock { $0.observer = observer }
        tell()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        state.withLock { state in
            guard !state.incoming.isEmpty else {
                state.hasEnded = true
                return .ended
            }
            let bytes = state.incoming.prefix(min(slice, buffer.count))
            bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
            state.incoming = state.incoming.dropFirst(bytes.count)
            return .bytes(bytes.count)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome {
        state.withLock { $0.outgoing += bytes }
        return .bytes(bytes.count)
    }

    func setInterest(reading: Bool, writing: Bool) {
        state.withLock { $0.isReading = reading }
        tell()
    }

    func close() {
        state.withLock { $0.observer = nil }
    }

    private func tell() {
        let mustTell = state.withLock { state in
            guard state.observer != nil, state.isReading, !state.isTelling, !state.hasEnded else { return false }
            state.isTelling = true
            return true
        }
        guard mustTell else { return }
        loop.execute {
            let observer: (any TransportObserver)? = self.state.withLock { state in
                state.isTelling = false
                return state.isReading ? state.observer : nil
            }
            observer?.endIsReady(.readable)
            self.tell()
        }
    }
}
