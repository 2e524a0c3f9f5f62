import DocumentModel
import DocumentWire
import Synchronization

extension Connection: TransportObserver, LoopFlushing {
    /// Other connections of the loop want to be read too.
    private static let readsPerTurn = 4

    package func endIsReady(_ readiness: TransportReadiness) {
        update { state in
            guard !state.isEnded else { return }
            if readiness.contains(.writable) { state.isWriteBlocked = false }
            if readiness.contains(.hungUp) {
                // What it said last comes first.
                readIn(&state, times: .max)
                state.isPeerGone = true
                state.machine.peerIsGone(state.decoder.violationAtEnd())
            } else if readiness.contains(.readable), state.machine.wantsReading {
                readIn(&state, times: Self.readsPerTurn)
            }
            if readiness.contains(.writable) {
                writeOut(&state)
            }
            if !state.isEnded { updateInterest(&state) }
        }
    }

    package func readAhead() -> Bool {
        update { state in
            guard !state.isEnded, state.machine.wantsReading else { return false }
            return readIn(&state, times: Self.readsPerTurn)
        }
    }

    func flush() {
        update { state in
            state.isFlushScheduled = false
            guard !state.isEnded, !state.isWriteBlocked else { return }
            writeOut(&state)
            updateInterest(&state)
        }
    }

    /// - Returns: whether something came.
    @discardableResult
    private func readIn(_ state: inout State, times: Int) -> Bool {
        guard !state.hasReadEnd else { return false }
        let now = loop.time
        state.time = now
        var left = times
        while left > 0 {
            left -= 1
            switch end.read(into: state.buffer.bytes) {
            case .bytes(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: state.buffer.bytes[..<count])
                Self.take(bytes, &state.decoder, &state.machine, at: now)
                if state.machine.isOver { return true }
                // A pipe that gave less than it was asked for is empty.
                // But the end of a stream shows only in one more read.
                if times != .max, count < state.buffer.bytes.count || !state.machine.wantsReading { return true }
            case .wouldBlock:
                return left < times - 1
            case .ended, .failed:
                state.hasReadEnd = true
                state.machine.streamEnded(state.decoder.violationAtEnd())
                return true
            }
        }
        return true
    }

    /// Decodes what was read.
    private static func take(
        _ bytes: UnsafeRawBufferPointer, _ decoder: inout FrameDecoder, _ machine: inout ConnectionStateMachine,
        at now: MonotonicTime
    ) {
        var count = 0
        do throws(FrameViolation) {
            try decoder.decode(bytes) { body, offset throws(FrameViolation) in
                count += 1
                let frame: Frame
                do throws(Frame.DecodingError) {
                    frame = try Frame(body: body)
                } catch {
                    throw FrameViolation(
                        "A frame of \(body.count) bytes is not a message of the protocol.", offset: offset, bytes: body)
                }
                do throws(ConnectionStateMachine.Offence) {
                    try machine.receive(frame, at: now)
                } catch {
                    throw FrameViolation(error.message, offset: offset, bytes: body)
                }
            }
        } catch {
            machine.violated(error)
        }
        machine.frameIsIncomplete(decoder.isMidFrame, hasProgressed: count > 0, at: now)
    }

    /// Writes until there is nothing left or no room.
    func writeOut(_ state: inout State) {
        while !state.machine.outbox.isEmpty {
            switch state.machine.outbox.withNext(end.write) {
            case .bytes(let count):
                state.machine.wrote(count, at: state.time)
            case .wouldBlock:
                state.isWriteBlocked = true
                updateInterest(&state)
                return
            case .ended, .failed:
                // What it said last comes first.
                readIn(&state, times: .max)
                state.isPeerGone = true
                state.machine.peerIsGone(state.decoder.violationAtEnd())
                return
            }
        }
    }

    /// Asks to be told of what there is use for.
    func updateInterest(_ state: inout State) {
        let wantsReading = state.machine.wantsReading && !state.hasReadEnd
        if wantsReading != state.isReading {
            // While we do not read, the peer cannot finish a frame.
            state.machine.frameIsIncomplete(wantsReading && state.decoder.isMidFrame, hasProgressed: true, at: .now())
        }
        guard wantsReading != state.isReading || state.isWriteBlocked != state.isAwaitingRoom else { return }
        state.isReading = wantsReading
        state.isAwaitingRoom = state.isWriteBlocked
        end.setInterest(reading: wantsReading, writing: state.isWriteBlocked)
    }

    // MARK: Timers

    func schedule(at time: MonotonicTime, insteadOf old: TimerQueue.Key?) {
        if let old { loop.cancel(old) }
        let key = loop.schedule(at: time) { self.alarmRang(time) }
        let isLate = state.withLock { state in
            guard !state.isEnded, state.timer == time else { return true }
            state.timerKey = key
            return false
        }
        if isLate { loop.cancel(key) }
    }

    private func alarmRang(_ time: MonotonicTime) {
        update { state in
            if state.timer == time { (state.timer, state.timerKey) = (.never, nil) }
            guard !state.isEnded else { return }
            state.machine.timePassed(at: .now())
        }
    }
}

/// Where a connection reads to.
final class ReadBuffer: @unchecked Sendable {  // Only touched with the connection's lock held.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    deinit {
        bytes.deallocate()
    }
}
