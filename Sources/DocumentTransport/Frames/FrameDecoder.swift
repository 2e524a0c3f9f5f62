import DocumentModel

/// Cuts a stream of bytes into frames: a state machine that is fed slices of any size.
///
/// Nothing is allocated for what a peer announces, only for what has come. The first violation is final.
package struct FrameDecoder: ~Copyable, Sendable {
    /// What a provider's stream begins with: bytes that no text can begin with.
    package static let preface: [UInt8] = [0x89, 0x44, 0x4F, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The longest body that is accepted.
    package let limit: Int
    /// How many bytes were taken so far, bad ones not counted.
    package private(set) var offset: UInt64 = 0

    private var stage: Stage
    /// What has come of the preface, of a length or of a body that is not whole yet.
    private var partial: [UInt8] = []

    private enum Stage {
        case preface
        case length
        /// `start` is the offset of the frame's first byte.
        case body(length: Int, start: UInt64)
        case failed(FrameViolation)
    }

    package init(limit: Int, expectsPreface: Bool = false) {
        self.limit = limit
        self.stage = expectsPreface ? .preface : .length
    }

    /// Whether a frame has begun and is not whole.
    package var isMidFrame: Bool {
        switch stage {
        case .preface, .length: !partial.isEmpty
        case .body: true
        case .failed: false
        }
    }

    /// Whether the preface, if one is expected, was there.
    package var hasPreface: Bool {
        if case .preface = stage { false } else { true }
    }

    /// How much memory the frame that has begun takes.
    package var reservedBytes: Int { partial.capacity }

    /// Takes the next bytes of the stream and hands out the bodies of the frames that they complete, each with the
    /// offset of its frame. What `body` throws is final as well.
    package mutating func decode(
        _ slice: UnsafeRawBufferPointer,
        _ body: (_ body: UnsafeRawBufferPointer, _ offset: UInt64) throws(FrameViolation) -> Void
    ) throws(FrameViolation) {
        do throws(FrameViolation) {
            var rest = slice
            while !rest.isEmpty {
                switch stage {
                case .preface: try takePreface(&rest)
                case .length: try takeLength(&rest)
                case .body(let length, let start): try takeBody(length, start, &rest, body)
                case .failed(let violation): throw violation
                }
            }
        } catch {
            stage = .failed(error)
            partial = []
            throw error
        }
    }

    /// What is wrong with the stream ending here; nil when it ended between two frames.
    package func violationAtEnd() -> FrameViolation? {
        if case .failed(let violation) = stage { return violation }
        return unfinished.map { $0.violation("The stream ended within \($0.place).") }
    }

    /// What has begun and is not whole; nil between two frames.
    package var unfinished: UnfinishedFrame? {
        let shown = partial.prefix(FrameViolation.keptBytes)
        switch stage {
        case .failed:
            return nil
        case .preface:
            guard !partial.isEmpty else { return nil }
            return UnfinishedFrame(place: "the preface", offset: 0, bytes: Array(shown))
        case .length:
            guard !partial.isEmpty else { return nil }
            return UnfinishedFrame(
                place: "the length of a frame", offset: offset - UInt64(partial.count), bytes: Array(shown))
        case .body(let length, let start):
            return UnfinishedFrame(
                place: "a frame, after \(partial.count) of its \(length) bytes", offset: start,
                bytes: Self.length(length) + shown)
        }
    }

    /// The bytes that announced a body: evidence begins where its offset says. There is only one form of each length.
    static func length(_ length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = length
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private mutating func takePreface(_ rest: inout UnsafeRawBufferPointer) throws(FrameViolation) {
        while !rest.isEmpty, partial.count < Self.preface.count {
            guard rest[0] == Self.preface[partial.count] else {
                throw violationInPreface(followedBy: rest)
            }
            partial.append(rest[0])
            offset += 1
            rest = rest.dropped(1)
        }
        if partial.count == Self.preface.count {
            partial = []
            stage = .length
        }
    }

    private func violationInPreface(followedBy rest: UnsafeRawBufferPointer) -> FrameViolation {
        let violation = FrameViolation("", offset: 0, bytes: partial + rest.prefix(FrameViolation.keptBytes))
        var explained = violation
        explained.message =
            violation.looksLikeText
            ? """
            Text was printed to standard output before the protocol began; standard output carries the protocol, so \
            print to standard error.
            """
            : "The stream does not begin with the preface 89 44 4F 43 0D 0A 1A 0A."
        return explained
    }

    private mutating func takeLength(_ rest: inout UnsafeRawBufferPointer) throws(FrameViolation) {
        while !rest.isEmpty {
            let byte = rest[0]
            let seen = partial.count
            if byte == 0, seen == 0 {
                throw violationInLength("A frame has the length 0.", followedBy: rest)
            }
            if byte == 0 {
                throw violationInLength("The length of a frame is padded.", followedBy: rest)
            }
            if byte >= 0x80, seen == 3 {
                throw violationInLength("The length of a frame takes more than 4 bytes.", followedBy: rest)
            }
            guard byte < 0x80 else {
                partial.append(byte)
                offset += 1
                rest = rest.dropped(1)
                continue
            }
            var length = Int(byte) << (7 * seen)
            for (index, byte) in partial.enumerated() {
                length |= Int(byte & 0x7F) << (7 * index)
            }
            guard length <= limit else {
                var violation = violationInLength(
                    "A frame has \(length) bytes, and at most \(limit) are accepted.", followedBy: rest)
                violation.code = .frameTooLarge
                throw violation
            }
            stage = .body(length: length, start: offset - UInt64(seen))
            partial.removeAll(keepingCapacity: true)
            offset += 1
            rest = rest.dropped(1)
            return
        }
    }

    private func violationInLength(_ message: String, followedBy rest: UnsafeRawBufferPointer) -> FrameViolation {
        var violation = FrameViolation(
            message, offset: offset - UInt64(partial.count), bytes: partial + rest.prefix(FrameViolation.keptBytes))
        if violation.looksLikeText {
            violation.message += " It looks like text that was printed into the stream."
        }
        return violation
    }

    private mutating func takeBody(
        _ length: Int, _ start: UInt64, _ rest: inout UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UInt64) throws(FrameViolation) -> Void
    ) throws(FrameViolation) {
        let missing = length - partial.count
        if rest.count < missing {
            partial.append(contentsOf: rest)
            offset += UInt64(rest.count)
            rest = rest.dropped(rest.count)
            return
        }
        let last = UnsafeRawBufferPointer(rebasing: rest[..<missing])
        rest = rest.dropped(missing)
        offset += UInt64(missing)
        stage = .length
        if partial.isEmpty {
            try body(last, start)
        } else {
            partial.append(contentsOf: last)
            let whole = partial
            partial = []
            try whole.withUnsafeBufferPointer { bytes throws(FrameViolation) in
                try body(UnsafeRawBufferPointer(bytes), start)
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func dropped(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[count...])
    }
}
