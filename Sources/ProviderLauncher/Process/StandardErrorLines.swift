internal import Glibc

/// What a provider says on its standard error, cut into lines: bounded in length, in rate and in memory.
struct StandardErrorLines: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Limits: Sendable {
        /// What a line has beyond it is dropped.
        var lineBytes = 4096
        /// Lines to the log a second, on average, and at once.
        var linesPerSecond = 50.0
        var burst = 200.0
        /// How many of the last lines are kept for error messages.
        var tail = 20
    }

    enum Event: Hashable, Sendable {
        case line(String)
        /// So many lines were not passed on, because there were too many.
        case leftOut(Int)
    }

    private let limits: Limits
    private var partial: [UInt8] = []
    private var partialIsCut = false
    private var lastLines: [[UInt8]] = []
    private var allowance: Double
    private var lastRefill: Instant?
    private var leftOut = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
        allowance = limits.burst
    }

    /// The last lines, oldest first, the one that has not ended included.
    var tail: [String] {
        (lastLines + (partial.isEmpty ? [] : [partial])).suffix(limits.tail).map(Self.printable)
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer, now: Instant) -> [Event] {
        var events: [Event] = []
        var rest = bytes
        while let start = rest.baseAddress, let end = memchr(start, Int32(UInt8(ascii: "\n")), rest.count) {
            let length = start.distance(to: UnsafeRawPointer(end))
            append(UnsafeRawBufferPointer(rebasing: rest[..<length]))
            endLine(now: now, &events)
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        append(rest)
        return events
    }

    /// The stream has ended.
    mutating func finish(now: Instant) -> [Event] {
        var events: [Event] = []
        if !partial.isEmpty { endLine(now: now, &events) }
        if leftOut > 0 {
            events.append(.leftOut(leftOut))
            leftOut = 0
        }
        return events
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let room = limits.lineBytes - partial.count
        partial.append(contentsOf: bytes.prefix(room))
        if bytes.count > room { partialIsCut = true }
    }

    private mutating func endLine(now: Instant, _ events: inout [Event]) {
        if partialIsCut { partial += Array("…".utf8) }
        let line = partial
        partial.removeAll(keepingCapacity: true)
        partialIsCut = false
        guard !line.isEmpty else { return }
        lastLines.append(line)
        if lastLines.count > limits.tail { lastLines.removeFirst() }

        if let lastRefill {
            allowance = min(limits.burst, allowance + (now - lastRefill) / .seconds(1) * limits.linesPerSecond)
        }
        lastRefill = now
        guard allowance >= 1 else {
            leftOut += 1
            return
        }
        allowance -= 1
        if leftOut > 0 {
            events.append(.leftOut(leftOut))
            leftOut = 0
        }
        events.append(.line(Self.printable(line)))
    }

    /// Text that cannot move a terminal's cursor.
    static func printable(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x09: text += " "
            case 0x0D: continue
            case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
