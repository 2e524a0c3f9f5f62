/// What a host tool asks, read from an input: its manners in the first byte, then steps of flags, a length of two bytes,
/// and a request's body.
struct ToolScript: Sendable {
    struct Step: Sendable {
        /// The next one is not kept waiting for its answer.
        let isBeside: Bool
        let body: [UInt8]
    }

    /// How the tool's presenters answer, one after the other.
    enum Manner: UInt8, Sendable {
        case answers, refuses, keepsSilent, breaksOff
    }

    let manners: [Manner]
    let endsInOrder: Bool
    /// The tool has a manifest, and may do what that says.
    let isRegistered: Bool
    let steps: [Step]

    init(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let first = input.byte()
        endsInOrder = first & 1 == 0
        isRegistered = first & 0x80 != 0
        manners = [1, 3, 5].map { Manner(rawValue: first >> $0 & 3) ?? .answers }
        var steps: [Step] = []
        while !input.isAtEnd, steps.count < 24 {
            let flags = input.byte()
            let length = Int(input.byte()) << 8 | Int(input.byte())
            steps.append(Step(isBeside: flags & 1 != 0, body: input.bytes(length)))
        }
        self.steps = steps
    }
}
