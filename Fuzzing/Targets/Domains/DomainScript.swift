/// What a provider sends back and what callers ask of its domain, read from an input: steps of a kind, a length of two
/// bytes, and a body.
struct DomainScript: Sendable {
    /// What a step says. Kinds beyond the last one begin anew.
    enum Kind: UInt8, CaseIterable, Sendable {
        /// Answers the first call that the body is an answer to.
        case answer
        /// Answers the next call, whatever it asks.
        case answerBlindly
        /// Fails the next call: the code in two bytes, then a message.
        case fail
        /// Is told unasked, at the next call.
        case tell
        /// Is asked of the host, at the next call.
        case ask
        /// The next staging file, or the next part of one, is filled in a manner of its own.
        case fill
        /// A caller does something.
        case act
        /// The provider is gone at the next call.
        case leave
    }

    /// What a caller asks of the domain.
    enum Act: UInt8, CaseIterable, Sendable {
        case list, listAgain, refresh, read, readAnother, write, create, remove, rename, evict, look
        case pick, pickPlace, lookAround
    }

    struct Step: Sendable {
        let kind: Kind
        let body: [UInt8]
    }

    /// What the provider does, in this order.
    let answers: [Step]
    /// What callers do, one after the other.
    let acts: [Act]

    init(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        var answers: [Step] = []
        var acts: [Act] = []
        while !input.isAtEnd, answers.count < 24, acts.count < 12 {
            let kind = Kind.allCases[Int(input.byte()) % Kind.allCases.count]
            let body = input.bytes(Int(input.byte()) << 8 | Int(input.byte()))
            if kind == .act {
                acts.append(Act.allCases[Int(body.first ?? 0) % Act.allCases.count])
            } else {
                answers.append(Step(kind: kind, body: body))
            }
        }
        self.answers = answers
        self.acts = acts.isEmpty ? [.list, .refresh, .read, .listAgain] : acts
    }
}
