import DocumentWire

/// What is to be written: frames as bytes, in order, with a fast lane that passes everything but a frame that has
/// begun to go out.
package struct Outbox: ~Copyable, Sendable {
    private var bytes: [UInt8] = []
    /// How many of `bytes` were written.
    private var head = 0
    /// A place in `bytes` where a frame begins, not after the first one that is unwritten.
    private var frameStart = 0
    private var urgent: [UInt8] = []
    private var urgentHead = 0

    /// Where answers end in the lane, counted from its first byte ever; the oldest first.
    private var answerEnds = Deque<UInt64>()
    private var appendedTotal: UInt64 = 0
    private var writtenTotal: UInt64 = 0
    /// What goes with the first byte of an answer, and where in the lane that is, counted as above; the oldest first.
    private var passed: [(start: UInt64, descriptor: PassedDescriptor)] = []
    /// Unsent bytes that a peer caused and that no request of its own holds a place for: pongs and refusals. Falls to
    /// 0 when everything was sent.
    package private(set) var unaskedBytes = 0
    /// The last frames, where they are kept.
    var trace: FrameTrace?

    package var isEmpty: Bool { head == bytes.count && urgentHead == urgent.count }
    package var count: Int { bytes.count - head + urgent.count - urgentHead }
    /// Answers that have not left yet.
    var unsentAnswers: Int { answerEnds.count }

    mutating func append(_ frame: Frame) {
        let before = bytes.count
        frame.append(to: &bytes)
        appendedTotal += UInt64(bytes.count - before)
        trace?.sent(frame, bytes: bytes.count - before)
    }

    /// - Parameter descriptor: what is passed with its first byte.
    mutating func append(answer frame: Frame, passing descriptor: PassedDescriptor? = nil) {
        if let descriptor { passed.append((appendedTotal, descriptor)) }
        append(frame)
        answerEnds.append(appendedTotal)
    }

    mutating func append(refusal frame: Frame) {
        let before = bytes.count
        append(frame)
        unaskedBytes += bytes.count - before
    }

    mutating func append(urgent frame: Frame) {
        let before = urgent.count
        frame.append(to: &urgent)
        unaskedBytes += urgent.count - before
        trace?.sent(frame, bytes: urgent.count - before)
    }

    /// Only before any frame.
    mutating func append(preface: [UInt8]) {
        urgent += preface
    }

    /// Forgets everything: nobody will read it.
    mutating func removeAll() {
        let trace = trace
        self = Outbox()
        self.trace = trace
    }

    private var isUrgentNext: Bool { urgentHead < urgent.count && (urgentHead > 0 || head == nextFrameStart) }

    /// What goes with the first byte of what ``withNext(_:)`` gives.
    var nextPassed: PassedDescriptor? {
        guard let first = passed.first, first.start == writtenTotal, !isUrgentNext else { return nil }
        return first.descriptor
    }

    /// What is to be written next; empty when there is nothing.
    package func withNext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if isUrgentNext {
            return urgent.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[urgentHead...])) }
        }
        let end = min(urgent.isEmpty ? bytes.count : nextFrameStart, nextPassedStart)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head..<end])) }
    }

    /// Takes out what was written of the last ``withNext(_:)``.
    mutating func wrote(_ count: Int) {
        if isUrgentNext {
            urgentHead += count
            if urgentHead == urgent.count {
                urgent.removeAll(keepingCapacity: true)
                urgentHead = 0
            }
        } else {
            if count > 0, let first = passed.first, first.start == writtenTotal { passed.removeFirst() }
            head += count
            writtenTotal += UInt64(count)
            if head == bytes.count {
                let isLarge = bytes.capacity > Self.keptCapacity
                bytes.removeAll(keepingCapacity: !isLarge)
                head = 0
                frameStart = 0
                answerEnds.removeAll()
            } else {
                while let end = answerEnds.first, end <= writtenTotal { _ = answerEnds.popFirst() }
                compact()
            }
        }
        if isEmpty { unaskedBytes = 0 }
    }

    /// Up to where in `bytes` nothing more is passed than with the next byte.
    private var nextPassedStart: Int {
        for (start, _) in passed.prefix(2) where start > writtenTotal { return head + Int(start - writtenTotal) }
        return bytes.count
    }

    private static let keptCapacity = 1_048_576

    /// The first place at or after `head` where a frame begins.
    private var nextFrameStart: Int {
        var start = frameStart
        while start < head {
            var length = 0
            var shift = 0
            while bytes[start] >= 0x80 {
                length |= Int(bytes[start] & 0x7F) << shift
                shift += 7
                start += 1
            }
            length |= Int(bytes[start]) << shift
            start += 1 + length
        }
        return start
    }

    private mutating func compact() {
        guard head > 65_536, head > bytes.count / 2 else { return }
        let next = nextFrameStart
        bytes.removeFirst(head)
        frameStart = next - head
        head = 0
    }
}
