/// What a provider asks of its host, and must not be given.
extension ProviderBehaviour {
    private static let invalidArgument: UInt64 = 403
    private static let notPermitted: UInt64 = 406
    private static let notAuthenticated: UInt64 = 101
    private static let busy: UInt64 = 302

    static let questions: [Self] = [
        Self("ask-undeclared", "Asks people, and for secrets, though its manifest does not say so.", "WIRE-26")
            .asking { peer in
                let questions = [prompt("Your password?", keys: ["password"]), load("token"), store("token", 10)]
                return try questions.allSatisfy { try peer.isRefused($0, with: [notPermitted]) }
            },
        Self("ask-nobody", "Asks people when nobody is signing in.", "WIRE-26").claiming("sign-in").asking { peer in
            try peer.isRefused(prompt("Your password?", keys: ["password"]), with: [notAuthenticated])
        },
        Self("ask-again-and-again", "Asks people a thousand times when nobody is signing in.", "WIRE-26")
            .claiming("sign-in").asking { peer in
                for _ in 0..<1000 {
                    let isRefused = try peer.isRefused(
                        prompt("Your password?", keys: ["password"]), with: [notAuthenticated, busy])
                    guard isRefused else { return false }
                }
                return true
            },
        Self("ask-nonsense", "Asks people what nobody can answer, and what shows on a terminal.", "WIRE-26")
            .claiming("sign-in").asking { peer in
                let questions = [
                    prompt("", keys: ["a"]), prompt("Too many", keys: (0..<10_000).map { "k\($0)" }),
                    prompt("The same twice", keys: ["a", "a"]), prompt("No key", keys: [""]),
                    prompt("An odd key", keys: ["\u{1B}[2J"]),
                    prompt("A long key", keys: [String(repeating: "k", count: 65)]),
                    prompt("No page", keys: [], url: "file:///etc/passwd"),
                    prompt("An odd page", keys: [], url: "https://example.org/\u{1B}]0;x\u{07}"),
                    prompt("A long page", keys: [], url: "https://" + String(repeating: "a", count: 3000)),
                ]
                return try questions.allSatisfy { try peer.isRefused($0, with: [invalidArgument]) }
            },
        Self("ask-to-keep-too-much", "Has secrets kept that are too long, too many, or have odd names.", "WIRE-26")
            .claiming("sign-in").asking { peer in
                let odd = ["", "a=b", "a b", "../escape\n", "ü", String(repeating: "n", count: 65)]
                guard try odd.allSatisfy({ try peer.isRefused(store($0, 10), with: [invalidArgument]) }),
                    try odd.allSatisfy({ try peer.isRefused(load($0), with: [invalidArgument]) }),
                    try peer.isRefused(store("long", 16_385), with: [invalidArgument])
                else { return false }
                var refused = 0
                for number in 0..<40 where try peer.ask(store("name-\(number)", 16_384)).kind == .failure {
                    refused += 1
                }
                return refused >= 40 - 16
            },
        Self("ask-for-what-was-never-kept", "Looks for secrets of others by guessing their names.", "WIRE-26")
            .claiming("sign-in").asking { peer in
                for name in ["password", "token", "user", "../host", "work/password", "/etc/shadow"] {
                    let answer = try peer.ask(load(name))
                    guard answer.kind == .answer,
                        let fields = MessageReader(answer.message.bytes(1))?.message(3), fields.number(1) == 0,
                        fields.bytes(2).isEmpty
                    else { return false }
                }
                return true
            },
        Self("ask-for-odd-placeholders", "Has placeholders made of what cannot be.", "WIRE-26").asking { peer in
            var inItself = peer.target
            inItself.parent = inItself.id
            let orphan = PeerItem("orphan", in: "no such folder", named: "orphan.txt")
            let dots = PeerItem("dots", in: PeerTree.root, named: "..")
            let path = PeerItem("path", in: PeerTree.root, named: "../../escape")
            return try [inItself, orphan, dots, path].allSatisfy { item in
                try peer.ask { $0.message(1) { $0.bytes(1, item.message) } }.kind == .failure
            }
        },
        Self("ask-with-all-at-once", "Asks a hundred things before it reads an answer.", "WIRE-26")
            .claiming("sign-in").asking { peer in
                var ids: Set<UInt64> = []
                for number in 0..<100 {
                    let id = peer.freshID()
                    ids.insert(id)
                    try peer.pipe.send(
                        PeerFrame(id: id, .request) {
                            $0.message(1, number % 2 == 0 ? load("token") : prompt("Your password?", keys: ["p"]))
                        })
                }
                while !ids.isEmpty {
                    guard let frame = try peer.pipe.read() else { return false }
                    if frame.kind == .answer || frame.kind == .failure { ids.remove(frame.id) }
                }
                return true
            },
    ]

    private typealias Question = (inout MessageWriter) -> Void

    private static func prompt(_ message: String, keys: [String], url: String = "") -> Question {
        { request in
            request.message(2) { prompt in
                prompt.text(1, message)
                if !url.isEmpty { prompt.text(2, url) }
                for key in keys {
                    prompt.message(3) { field in
                        field.text(1, key)
                        field.number(3, 1)
                    }
                }
            }
        }
    }

    private static func load(_ name: String) -> Question { { $0.message(3) { $0.text(1, name) } } }

    private static func store(_ name: String, _ length: Int) -> Question {
        { request in
            request.message(4) { secret in
                secret.text(1, name)
                secret.bytes(2, [UInt8](repeating: UInt8(ascii: "s"), count: length))
            }
        }
    }

    /// Asks when the top folder is listed, and lists it when the host has answered as it should.
    private func asking(_ ask: @escaping @Sendable (ProviderPeer) throws -> Bool) -> Self {
        onListing { peer, call in
            guard try ask(peer) else { return try peer.fail(call, 301, "The host gave what it must not.") }
            try peer.answerProperly(call)
        }
    }
}

extension ProviderPeer {
    /// Asks the host, and waits for its answer.
    fileprivate func ask(_ question: (inout MessageWriter) -> Void) throws -> PeerFrame {
        let id = freshID()
        try pipe.send(PeerFrame(id: id, .request) { $0.message(1, question) })
        while let frame = try pipe.read() {
            if frame.id == id, frame.kind == .answer || frame.kind == .failure { return frame }
            if frame.kind == .ping {
                let number = frame.message.number(1)
                try pipe.send(PeerFrame(.pong) { $0.number(1, number) })
            }
        }
        throw Misuse(description: "the host went away with a question open")
    }

    fileprivate func isRefused(_ question: (inout MessageWriter) -> Void, with codes: [UInt64]) throws -> Bool {
        let answer = try ask(question)
        return answer.kind == .failure && codes.contains(answer.message.number(1))
    }
}
