import DocumentTransport

/// ``FrameDecoder``: however a stream is cut, it has the same frames at the same places, and breaks off at the same one.
///
/// The input: flags (1: a preface is expected), the limit's logarithm, the length of the slices, the stream.
enum FrameDecoderTarget: FuzzTarget {
    static let name = "frame-decoder"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        var input = FuzzInput(input)
        let expectsPreface = input.byte() & 1 == 1
        let limit = 1 << (Int(input.byte()) % 23)
        let slice = Int(input.byte()) + 1
        let stream = Array(input.rest)

        let whole = Reading(stream, by: max(stream.count, 1), limit: limit, expectsPreface: expectsPreface)
        for count in Set([1, slice]) {
            let cut = Reading(stream, by: count, limit: limit, expectsPreface: expectsPreface)
            try require(
                cut == whole, "Cut into slices of \(count) bytes the stream reads differently: \(cut), \(whole).")
        }
        for body in whole.bodies {
            try require(!body.isEmpty && body.count <= limit, "A frame has \(body.count) bytes.")
        }
        try require(whole.reserved <= max(2 * stream.count, 64), "Memory is taken for what was only announced.")
    }

    /// What a decoder made of a stream.
    private struct Reading: Equatable, CustomStringConvertible {
        var bodies: [[UInt8]] = []
        var offsets: [UInt64] = []
        var violation: UInt64?
        var violationAtEnd: UInt64?
        var offset: UInt64
        var isMidFrame: Bool
        var hasPreface: Bool
        var reserved: Int

        init(_ stream: [UInt8], by count: Int, limit: Int, expectsPreface: Bool) {
            var decoder = FrameDecoder(limit: limit, expectsPreface: expectsPreface)
            var (bodies, offsets): ([[UInt8]], [UInt64]) = ([], [])
            do throws(FrameViolation) {
                try stream.withUnsafeBufferPointer { bytes throws(FrameViolation) in
                    for start in stride(from: 0, to: bytes.count, by: count) {
                        let slice = UnsafeRawBufferPointer(
                            rebasing: UnsafeRawBufferPointer(bytes)[start..<min(start + count, bytes.count)])
                        try decoder.decode(slice) { body, offset throws(FrameViolation) in
                            bodies.append(Array(body))
                            offsets.append(offset)
                        }
                    }
                }
            } catch {
                violation = error.offset
            }
            (self.bodies, self.offsets) = (bodies, offsets)
            violationAtEnd = decoder.violationAtEnd()?.offset
            (offset, isMidFrame) = (decoder.offset, decoder.isMidFrame)
            (hasPreface, reserved) = (decoder.hasPreface, decoder.reservedBytes)
        }

        /// How much is reserved may differ.
        static func == (one: Reading, other: Reading) -> Bool {
            one.bodies == other.bodies && one.offsets == other.offsets && one.violation == other.violation
                && one.violationAtEnd == other.violationAtEnd && one.offset == other.offset
                && one.isMidFrame == other.isMidFrame && one.hasPreface == other.hasPreface
        }

        var description: String {
            let violation = violation.map { ", broken at \($0)" } ?? ""
            return "\(bodies.count) frames at \(offsets)\(violation), \(offset) bytes taken"
        }
    }
}
