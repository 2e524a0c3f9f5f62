import DocumentModel
import DocumentWire
import Synchronization

extension Connection: TransportObserver, LoopFlushing {
    /// Other connections of the loop want to be read too.
    private static let readsPerTurn = 4
    /// Whoever took the loop for so long, in nanoseconds, lets the others go first.
    private static let fairShare: UInt64 = 1_000_000
    /// What a peer that is gone can have left: no pipe of an ordinary user's holds more.
    private static let largestPipe = 1_048_576
    /// What a pipe holds that nobody has enlarged.
    private static let usualPipe = 65_536

    package func endIsReady(_ readiness: TransportReadiness) {
        update { state in
            guard !state.isEnded else { return }
            if readiness.contains(.writable) { state.isWriteBlocked = false }
            if readiness.contains(.hungUp) {
                // What it said last comes first.
                let violation = readRest(&state)
                state.isPeerGone = true
                state.machine.peerIsGone(violation)
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

    package func flush() {
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
            let slice = UnsafeMutableRawBufferPointer(rebasing: state.buffer.bytes[..<state.readLength])
            switch end.read(into: slice) {
            case .bytes(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: slice[..<count])
                state.machine.arrived += end.takeDescriptors()
                let began = MonotonicTime.now()
                Self.take(bytes, &state.decoder, &state.machine, at: now)
                if state.machine.isOver { return true }
                let isGreedy = state.adjustReadLength(
                    MonotonicTime.now().nanoseconds - began.nanoseconds, Self.fairShare)
                // A pipe that gave less than it was asked for is empty.
                // But the end of a stream shows only in one more read.
                if isGreedy || count < slice.count || !state.machine.wantsReading { return true }
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

    /// Reads what a peer said last that does not read any more. One that goes on writing is not read on: it would keep
    /// the loop, and have us keep what it says, for as long as it likes.
    ///
    /// - Returns: what is wrong with its stream ending there.
    private func readRest(_ state: inout State) -> FrameViolation? {
        var taken = 0
        // What is more than we keep for anybody is taken only so far that no answer behind it is lost.
        while taken < (state.machine.wantsReading ? Self.largestPipe : Self.usualPipe) {
            let before = state.decoder.offset
            guard readIn(&state, times: 1), !state.hasReadEnd, !state.machine.isOver else {
                return state.decoder.violationAtEnd()
            }
            // Bytes that come one by one do not have it read more often either.
            taken += max(ReadBuffer.shortest, Int(state.decoder.offset - before))
        }
        // That it stops within a frame is our doing.
        return nil
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
                        "A frame of \(body.count) bytes is not a message of the protocol.", offset: offset,
                        bytes: FrameDecoder.length(body.count) + body.prefix(FrameViolation.keptBytes))
                }
                machine.outbox.trace?.received(frame, bytes: body.count, at: now)
                do throws(ConnectionStateMachine.Offence) {
                    try machine.receive(frame, at: now)
                } catch {
                    throw FrameViolation(
                        error.message, offset: offset,
                        bytes: FrameDecoder.length(body.count) + body.prefix(FrameViolation.keptBytes))
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
            let passed = state.machine.outbox.nextPassed
            let outcome = state.machine.outbox.withNext { bytes in
                if let passed { end.write(bytes, passing: passed) } else { end.write(bytes) }
            }
            switch outcome {
            case .bytes(let count):
                state.machine.wrote(count, at: state.time)
            case .wouldBlock:
                state.isWriteBlocked = true
                updateInterest(&state)
                return
            case .ended, .failed:
                // What it said last comes first.
                let violation = readRest(&state)
                state.isPeerGone = true
                state.machine.peerIsGone(violation)
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
            state.machine.timePassed(at: .now(), unfinished: state.decoder.unfinished)
        }
    }
}

/// Where a connection reads to.
final class ReadBuffer: @unchecked Sendable {  // Only touched with the connection's lock held.
    static let size = 65_536
    /// Enough for a thousand of the smallest frames.
    static let shortest = 4_096

    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)

    deinit {
        bytes.deallocate()
    }
}

extension Connection.State {
    /// Reads less at once from a peer whose bytes take long, and more again when they do not.
    ///
    /// - Returns: whether they took more than a fair share.
    mutating func adjustReadLength(_ cost: UInt64, _ share: UInt64) -> Bool {
        if cost > share {
            readLength = max(ReadBuffer.shortest, readLength / 2)
        } else if cost < share / 4 {
            readLength = min(ReadBuffer.size, readLength * 2)
        }
        return cost > share
    }
}
