/// Makes inputs that are near known ones, the same ones for the same seed: for runs without libFuzzer, which is better at
/// it because it sees what an input reaches.
package struct InputMutator {
    private let known: [[UInt8]]
    private var state: UInt64
    /// Where protobuf, lengths and text have their limits.
    private static let telling: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x12, 0x1A, 0x20, 0x2F]

    /// - Parameter known: at least one.
    package init(near known: [[UInt8]], seed: UInt64) {
        self.known = known
        state = seed
    }

    package mutating func next() -> [UInt8] {
        var input = any(known)
        for _ in 0...below(6) { change(&input) }
        return input
    }

    private mutating func change(_ input: inout [UInt8]) {
        guard !input.isEmpty else { return input.append(any(Self.telling)) }
        let place = below(input.count)
        switch below(7) {
        case 0: input[place] ^= 1 << UInt8(below(8))
        case 1: input[place] = any(Self.telling)
        case 2: input[place] = UInt8(truncatingIfNeeded: random())
        case 3: input.insert(any(Self.telling), at: place)
        case 4: input.remove(at: place)
        case 5: input.removeSubrange(place..<min(place + 1 + below(16), input.count))
        default:
            // A part of another one, so that what belongs together is taken over together.
            let other = any(known)
            let start = below(other.count + 1)
            input.insert(contentsOf: other[start..<min(start + below(64), other.count)], at: place)
        }
    }

    private mutating func any<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    private mutating func below(_ limit: Int) -> Int { Int(random() % UInt64(max(limit, 1))) }

    private mutating func random() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
