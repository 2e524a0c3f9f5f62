import CDocentShims
import Glibc
import Synchronization
package import SystemPackage

/// An end made of descriptors: two pipes, or one socket. Owns them, and makes them non-blocking.
package final class PipeEnd: TransportEnd {
    private let loop: EventLoop
    private let isSocket: Bool
    /// Whether descriptors that the other side passes are taken; else the kernel drops them.
    private let takesPassed: Bool
    private let state: Mutex<State>

    private struct State {
        var reading: Watched
        /// The same descriptor as `reading`, for a socket; then only `reading` is watched.
        var writing: Watched
        var isClosed = false
        var isWritingClosed = false
        var passed: [PassedDescriptor] = []
    }

    /// How many passed descriptors wait to be taken at most.
    private static let passedLimit = 256

    fileprivate struct Watched {
        let descriptor: Int32
        var key: UInt64?
        var interest: Poller.Interest = []
        /// It has ended, or the other side has gone: it would be reported for ever.
        var isOver = false
        var observer: Observer?
    }

    package init(reading: FileDescriptor, writing: FileDescriptor, loop: EventLoop, takingPassed: Bool = false) {
        self.loop = loop
        takesPassed = takingPassed
        isSocket = reading.rawValue == writing.rawValue
        state = Mutex(
            State(reading: Watched(descriptor: reading.rawValue), writing: Watched(descriptor: writing.rawValue)))
    }

    /// A connected stream socket, which is read and written through one descriptor.
    ///
    /// - Parameter takingPassed: whether to take descriptors that the other side passes.
    package convenience init(socket: FileDescriptor, loop: EventLoop, takingPassed: Bool = false) {
        self.init(reading: socket, writing: socket, loop: loop, takingPassed: takingPassed)
    }

    deinit {
        close()
    }

    package func start(_ observer: any TransportObserver) throws(Errno) {
        let error: Errno? = state.withLock { state in
            guard !state.isClosed else { return .badFileDescriptor }
            for descriptor in [state.reading.descriptor, state.writing.descriptor] {
                let flags = fcntl(descriptor, F_GETFL)
                guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
                    return Errno(rawValue: errno)
                }
            }
            state.reading.observer = Observer(self, observer, isSocket ? .socket : .reading)
            if let error = state.reading.watch(.reading, on: loop) { return error }
            guard !isSocket else { return nil }
            state.writing.observer = Observer(self, observer, .writing)
            // With no interest, to be told when the reader has gone.
            return state.writing.watch([], on: loop)
        }
        if let error { throw error }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        state.withLock { state in
            guard !state.isClosed else { return .ended }
            while true {
                let count =
                    takesPassed
                    ? Self.receive(buffer, &state)
                    : Glibc.read(state.reading.descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { return .bytes(count) }
                if count == 0 {
                    if !isSocket { state.reading.endWatching(on: loop) }
                    return .ended
                }
                switch errno {
                case EINTR: continue
                case EAGAIN: return .wouldBlock
                // A socket whose other side was closed with bytes unread.
                case ECONNRESET:
                    state.reading.endWatching(on: loop)
                    return .ended
                case let error:
                    state.reading.endWatching(on: loop)
                    return .failed(Errno(rawValue: error))
                }
            }
        }
    }

    /// Reads, and keeps what descriptor has come along.
    private static func receive(_ buffer: UnsafeMutableRawBufferPointer, _ state: inout State) -> Int {
        var passed: Int32 = -1
        let count = docent_receive(state.reading.descriptor, buffer.baseAddress, buffer.count, &passed)
        if passed >= 0 {
            let descriptor = PassedDescriptor(passed)
            if state.passed.count < passedLimit { state.passed.append(descriptor) }
        }
        return count
    }

    package func takeDescriptors() -> [PassedDescriptor] {
        guard takesPassed else { return [] }
        return state.withLock { state in
            defer { state.passed = [] }
            return state.passed
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome { write(bytes, descriptor: nil) }

    package func write(_ bytes: UnsafeRawBufferPointer, passing descriptor: PassedDescriptor) -> TransportOutcome {
        guard isSocket else { return .failed(.notSupported) }
        return write(bytes, descriptor: descriptor)
    }

    private func write(_ bytes: UnsafeRawBufferPointer, descriptor passed: PassedDescriptor?) -> TransportOutcome {
        state.withLock { state in
            guard !state.isClosed, !state.isWritingClosed else { return .ended }
            while true {
                let descriptor = state.writing.descriptor
                let count =
                    if let passed {
                        docent_send_passing(descriptor, bytes.baseAddress, bytes.count, passed.rawValue)
                    } else if isSocket {
                        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    } else {
                        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                    }
                if count >= 0 { return .bytes(count) }
                switch errno {
                case EINTR: continue
                case EAGAIN: return .wouldBlock
                case EPIPE, ECONNRESET: return .ended
                case let error: return .failed(Errno(rawValue: error))
                }
            }
        }
    }

    package func setInterest(reading: Bool, writing: Bool) {
        state.withLock { state in
            guard !state.isClosed else { return }
            var interest: Poller.Interest = reading ? .reading : []
            if isSocket {
                if writing { interest.insert(.writing) }
                _ = state.reading.watch(interest, on: loop)
            } else {
                if interest.isEmpty {
                    // A pipe without writers is reported whatever the interest.
                    state.reading.pauseWatching(on: loop)
                } else {
                    _ = state.reading.watch(interest, on: loop)
                }
                _ = state.writing.watch(writing ? .writing : [], on: loop)
            }
        }
    }

    package func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.reading.endWatching(on: loop)
            state.writing.endWatching(on: loop)
            _ = Glibc.close(state.reading.descriptor)
            if !isSocket, !state.isWritingClosed { _ = Glibc.close(state.writing.descriptor) }
            state.reading.observer = nil
            state.writing.observer = nil
            state.passed = []
        }
    }

    /// Ends what is written, so that the other side reads the end of the stream, and goes on reading. Of two pipes only.
    package func closeWriting() {
        state.withLock { state in
            guard !state.isClosed, !state.isWritingClosed, !isSocket else { return }
            state.isWritingClosed = true
            state.writing.endWatching(on: loop)
            _ = Glibc.close(state.writing.descriptor)
            state.writing.observer = nil
        }
    }

    fileprivate func hangUp(_ role: Observer.Role) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if role == .writing {
                state.writing.endWatching(on: loop)
            } else {
                state.reading.endWatching(on: loop)
            }
        }
    }

    /// Translates what the poller says of one descriptor.
    fileprivate final class Observer: LoopEventHandler {
        enum Role { case reading, writing, socket }

        /// A circle, until the end is closed.
        private let end: PipeEnd
        private let observer: any TransportObserver
        private let role: Role

        init(_ end: PipeEnd, _ observer: any TransportObserver, _ role: Role) {
            self.end = end
            self.observer = observer
            self.role = role
        }

        func ready(_ readiness: Poller.Readiness) {
            var told: TransportReadiness = []
            if readiness.contains(.readable) { told.insert(.readable) }
            if readiness.contains(.writable) { told.insert(.writable) }
            if readiness.contains(.hungUp) {
                switch role {
                case .reading:
                    // The end of the stream; what is in the pipe comes first.
                    told.insert(.readable)
                case .writing:
                    told = .hungUp
                    end.hangUp(role)
                case .socket:
                    told = [.readable, .hungUp]
                    end.hangUp(role)
                }
            }
            observer.endIsReady(told)
        }

        func readAhead() -> Bool {
            role != .writing && observer.readAhead()
        }
    }
}

/// An end made of a socket.
package typealias SocketEnd = PipeEnd

extension PipeEnd.Watched {
    fileprivate mutating func watch(_ wanted: Poller.Interest, on loop: EventLoop) -> Errno? {
        guard !isOver, let observer else { return nil }
        if let key {
            guard wanted != interest else { return nil }
            loop.setInterest(wanted, of: descriptor, key)
        } else {
            switch loop.register(descriptor, wanted, observer) {
            case .success(let key): self.key = key
            case .failure(let error): return error
            }
        }
        interest = wanted
        return nil
    }

    fileprivate mutating func pauseWatching(on loop: EventLoop) {
        guard let key else { return }
        loop.unregister(descriptor, key)
        self.key = nil
    }

    fileprivate mutating func endWatching(on loop: EventLoop) {
        pauseWatching(on: loop)
        isOver = true
    }
}
