/// What a host tool asks, read from an input: its manners in the first byte, then steps of flags, a length of two bytes,
/// and a request's body. The flags also say what the provider behind the daemon does wrong.
struct ToolScript: Sendable {
    struct Step: Sendable {
        /// The next one is not kept waiting for its answer.
        let isBeside: Bool
        let body: [UInt8]
        /// What the provider does wrong from then on, once.
        let mishap: DomainScript.Step?
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
            let body = input.bytes(length)
            steps.append(Step(isBeside: flags & 1 != 0, body: body, mishap: Self.mishap(flags)))
        }
        self.steps = steps
    }

    /// The lowest of three bits says which; four others say how.
    private static func mishap(_ flags: UInt8) -> DomainScript.Step? {
        let codes: [UInt8] = [101, 102, 103, 104, 201, 202, 203, 204, 205]
        let manner = flags >> 4
        if flags & 2 != 0 { return DomainScript.Step(kind: .fill, body: [manner + 1]) }
        if flags & 4 != 0 {
            return DomainScript.Step(kind: .fail, body: [0, codes[Int(manner) % codes.count]] + Array("No.".utf8))
        }
        return flags & 8 != 0 ? DomainScript.Step(kind: .leave, body: []) : nil
    }
}
