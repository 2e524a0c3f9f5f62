import Glibc
import Synchronization
package import SystemPackage

/// An end in memory: what one end of a pair writes, the other one reads. Behaves as a pair of pipes does: bounded
/// buffers, partial writes, an end of stream, and readiness that is told through the loop.
package final class MemoryEnd: TransportEnd {
    private let incoming: MemoryPipe
    private let outgoing: MemoryPipe

    private init(incoming: MemoryPipe, outgoing: MemoryPipe) {
        self.incoming = incoming
        self.outgoing = outgoing
    }

    deinit {
        close()
    }

    /// - Parameter capacity: how many bytes each direction holds; that of a pipe, unless told.
    package static func pair(loop: EventLoop, capacity: Int = 65_536) -> (MemoryEnd, MemoryEnd) {
        let there = MemoryPipe(loop: loop, capacity: capacity)
        let back = MemoryPipe(loop: loop, capacity: capacity)
        return (MemoryEnd(incoming: back, outgoing: there), MemoryEnd(incoming: there, outgoing: back))
    }

    package func start(_ observer: any TransportObserver) throws(Errno) {
        incoming.setReader(observer, isInterested: true)
        outgoing.setWriter(observer, isInterested: false)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        incoming.read(into: buffer)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome {
        outgoing.write(bytes)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, passing descriptor: PassedDescriptor) -> TransportOutcome {
        outgoing.write(bytes, passing: descriptor)
    }

    package func takeDescriptors() -> [PassedDescriptor] { incoming.takeDescriptors() }

    package func setInterest(reading: Bool, writing: Bool) {
        incoming.setReader(nil, isInterested: reading)
        outgoing.setWriter(nil, isInterested: writing)
    }

    package func close() {
        incoming.closeReading()
        outgoing.closeWriting()
    }
}

/// One direction.
private final class MemoryPipe: Sendable {
    private let loop: EventLoop
    private let capacity: Int
    private let state = Mutex(State())

    private struct State {
        var bytes: [UInt8] = []
        var isWriterGone = false
        var isReaderGone = false
        var reader: Side?
        var writer: Side?
        /// That there is nobody to write for is told once.
        var isHangUpTold = false
        var isEndRead = false

        // What is passed lies before the byte with this number, counted from the first one ever.
        var writtenTotal = 0
        var readTotal = 0
        var passed: [(place: Int, descriptor: PassedDescriptor)] = []
        var arrived: [PassedDescriptor] = []
    }

    private struct Side {
        var observer: any TransportObserver
        var isInterested: Bool
        /// It is on its way through the loop already.
        var isTelling = false
    }

    init(loop: EventLoop, capacity: Int) {
        self.loop = loop
        self.capacity = capacity
    }

    func setReader(_ observer: (any TransportObserver)?, isInterested: Bool) {
        state.withLock { state in
            if let observer { state.reader = Side(observer: observer, isInterested: isInterested) }
            state.reader?.isInterested = isInterested
        }
        tellReader()
    }

    func setWriter(_ observer: (any TransportObserver)?, isInterested: Bool) {
        state.withLock { state in
            if let observer { state.writer = Side(observer: observer, isInterested: isInterested) }
            state.writer?.isInterested = isInterested
        }
        tellWriter()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        let outcome: TransportOutcome = state.withLock { state in
            guard !state.bytes.isEmpty else {
                guard state.isWriterGone || state.isReaderGone else { return .wouldBlock }
                state.isEndRead = true
                return .ended
            }
            let count = min(buffer.count, state.bytes.count)
            state.bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            state.bytes.removeFirst(count)
            state.readTotal += count
            while let first = state.passed.first, first.place < state.readTotal {
                state.arrived.append(state.passed.removeFirst().descriptor)
            }
            return .bytes(count)
        }
        tellWriter()
        return outcome
    }

    func write(_ bytes: UnsafeRawBufferPointer, passing descriptor: PassedDescriptor? = nil) -> TransportOutcome {
        let outcome: TransportOutcome = state.withLock { state in
            guard !state.isReaderGone, !state.isWriterGone else { return .ended }
            let count = min(bytes.count, capacity - state.bytes.count)
            guard count > 0 else { return .wouldBlock }
            if let descriptor {
                let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { return .failed(Errno(rawValue: errno)) }
                state.passed.append((state.writtenTotal, PassedDescriptor(copy)))
            }
            state.bytes.append(contentsOf: bytes[..<count])
            state.writtenTotal += count
            return .bytes(count)
        }
        tellReader()
        return outcome
    }

    func takeDescriptors() -> [PassedDescriptor] {
        state.withLock { state in
            defer { state.arrived = [] }
            return state.arrived
        }
    }

    func closeReading() {
        state.withLock { state in
            state.isReaderGone = true
            state.bytes = []
            state.passed = []
            state.arrived = []
            state.reader = nil
        }
        tellWriter()
    }

    func closeWriting() {
        state.withLock { state in
            state.isWriterGone = true
            state.writer = nil
        }
        tellReader()
    }

    private func tellReader() {
        let mustTell = state.withLock { state in
            guard let reader = state.reader, reader.isInterested, !reader.isTelling else { return false }
            guard !state.bytes.isEmpty || (state.isWriterGone && !state.isEndRead) else { return false }
            state.reader?.isTelling = true
            return true
        }
        guard mustTell else { return }
        loop.execute {
            let observer: (any TransportObserver)? = self.state.withLock { state in
                state.reader?.isTelling = false
                return state.reader?.isInterested == true ? state.reader?.observer : nil
            }
            observer?.endIsReady(.readable)
            // As with a poller: who does not read all of it is told again.
            self.tellReader()
        }
    }

    private func tellWriter() {
        let readiness: TransportReadiness = state.withLock { state in
            guard let writer = state.writer, !writer.isTelling else { return [] }
            if state.isReaderGone {
                guard !state.isHangUpTold else { return [] }
                state.isHangUpTold = true
                return .hungUp
            }
            guard writer.isInterested, state.bytes.count < capacity else { return [] }
            state.writer?.isTelling = true
            return .writable
        }
        guard !readiness.isEmpty else { return }
        loop.execute {
            let observer: (any TransportObserver)? = self.state.withLock { state in
                state.writer?.isTelling = false
                return state.writer?.observer
            }
            observer?.endIsReady(readiness)
            self.tellWriter()
        }
    }
}
