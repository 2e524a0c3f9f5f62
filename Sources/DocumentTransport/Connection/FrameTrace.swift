import DocumentWire

/// The last frames of both directions, in rings of a fixed size.
struct FrameTrace: Sendable {
    struct Ring: Sendable {
        static let capacity = 32
        private var slots: [FlightRecord.Entry] = []
        private(set) var count: UInt64 = 0

        mutating func append(_ entry: FlightRecord.Entry) {
            if slots.count < Self.capacity {
                slots.append(entry)
            } else {
                slots[Int(count % UInt64(Self.capacity))] = entry
            }
            count += 1
        }

        /// The oldest first.
        var entries: [FlightRecord.Entry] {
            guard slots.count == Self.capacity else { return slots }
            let start = Int(count % UInt64(Self.capacity))
            return Array(slots[start...] + slots[..<start])
        }
    }

    private(set) var sent = Ring()
    private(set) var received = Ring()

    mutating func sent(_ frame: Frame, bytes: Int) {
        // The clock is read where it is cheapest; frames leave within the same turn of the loop.
        sent.append(Self.entry(frame, bytes, at: .now()))
    }

    mutating func received(_ frame: Frame, bytes: Int, at now: MonotonicTime) {
        received.append(Self.entry(frame, bytes, at: now))
    }

    private static func entry(_ frame: Frame, _ bytes: Int, at now: MonotonicTime) -> FlightRecord.Entry {
        let call: UInt32 =
            switch frame.kind {
            case .request(let body, _, _, _), .answer(let body), .notification(let body): Self.call(in: body)
            default: 0
            }
        return FlightRecord.Entry(time: now, id: frame.id, kind: frame.kind.name, bytes: bytes, call: call)
    }

    /// The number of the field that a body begins with: the contract's messages hold one call each.
    static func call(in body: [UInt8]) -> UInt32 {
        var value: UInt32 = 0
        for (index, byte) in body.prefix(4).enumerated() {
            value |= UInt32(byte & 0x7F) << (7 * UInt32(index))
            if byte < 0x80 { return value >> 3 }
        }
        return 0
    }
}
