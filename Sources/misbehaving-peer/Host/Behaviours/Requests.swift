import Glibc

extension HostBehaviour {
    static let requests: [HostBehaviour] = [
        Self("host-asks-the-unknown", "Asks what no provider knows.", "WIRE-9") { host in
            try host.open()
            var frame = host.request(.identity)
            frame.content = MessageWriter.message { $0.message(1) { $0.message(999) { $0.text(1, "sing") } } }
            let final = try host.final(of: frame)
            guard final.kind == .failure, final.message.number(1) == 402 else {
                throw Finding("It does not say that it does not know the request (code 402).")
            }
            try host.expectService()
            try host.close()
        },
        Self("host-sends-unknown-kinds", "Sends frames of kinds that nobody knows.", "WIRE-9") { host in
            try host.open()
            try host.write(PeerFrame.framed(MessageWriter.message { $0.text(99, "from the future") }))
            try host.expectService()
            try host.close()
        },
        Self("host-adds-fields", "Adds fields that nobody knows.", "WIRE-9") { host in
            try host.open()
            let root = host.rootID
            let frame = host.request(.item) {
                $0.text(1, root)
                $0.text(1000, "from the future")
                $0.number(77, 7)
            }
            guard try host.final(of: frame).kind == .answer else { throw Finding("It refuses fields of the future.") }
            try host.close()
        },
        Self("host-asks-nonsense", "Asks with bytes that are no question.", "WIRE-8") { host in
            try host.open()
            var frame = host.request(.identity)
            frame.content = MessageWriter.message { $0.bytes(1, [0xFF, 0xFF, 0xFF]) }
            guard try host.final(of: frame).kind == .failure else { throw Finding("It answers nonsense.") }
            try host.expectService()
            try host.close()
        },
        Self("host-asks-for-evil", "Asks for items and paths that cannot be.", "WIRE-8") { host in
            try host.open()
            for id in ["", String(repeating: "x", count: 5000), "../../etc/passwd", "\u{0}", "\u{1B}[2J"] {
                guard try host.final(of: host.item(id)).kind == .failure else {
                    throw Finding("It has an item “\(id.prefix(40))”.")
                }
            }
            for path in ["../../etc/passwd", "/etc/passwd", "a\u{0}b"] {
                let frame = try host.final(of: host.request(.identifierForPath) { $0.text(1, path) })
                let answer = MessageReader(frame.message.bytes(1)) ?? .empty
                guard frame.kind == .failure || answer.message(8).text(1).isEmpty else {
                    throw Finding("It has something at “\(path)”.")
                }
            }
            try host.expectService()
            try host.close()
        },
        Self("host-asks-in-a-crowd", "Asks as much at once as it may.", "WIRE-25") { host in
            try host.open()
            let most = host.reply.message(3).number(2)
            let root = host.rootID
            let frames = (0..<(most == 0 ? 64 : Int(most))).map { number in
                number % 2 == 0 ? host.item(root) : host.request(.enumerate) { $0.text(1, root) }
            }
            try host.write(frames.flatMap(\.bytes))
            for frame in frames where try host.final(of: frame.id).kind != .answer {
                throw Finding("It refuses what it has agreed to.")
            }
            try host.close()
        },
        Self("host-asks-too-much", "Asks a thousand things at once, more than it may.", "WIRE-25") { host in
            try host.open()
            let root = host.rootID
            let frames = (0..<1000).map { _ in host.item(root) }
            try host.write(frames.flatMap(\.bytes))
            for frame in frames {
                let final = try host.final(of: frame.id)
                guard final.kind == .answer || final.message.number(1) == 302 else {
                    throw Finding("It says code \(final.message.number(1)) where it is busy (302).")
                }
            }
            try host.expectService()
            try host.close()
        },
        Self("host-repeats-itself", "Asks everything ten times.", "PROV-12") { host in
            try host.open()
            let id = try host.someDocument()
            for _ in 0..<10 {
                let (frame, _) = try host.providing(id)
                guard try host.final(of: frame).kind == .answer else { throw Finding("It provides only once.") }
                for kind in [PeerCall.Kind.itemChanged, .stopProviding, .providePlaceholder] {
                    let final = try host.final(of: host.request(kind) { $0.text(1, id) })
                    guard final.kind == .answer else { throw Finding("It does not take a repeated call.") }
                }
            }
            try host.close()
        },
        Self("host-repeats-its-changes", "Repeats each change ten times.", "PROV-12") { host in
            try host.open()
            guard host.isModifying else { throw Misuse(description: "the provider does not take changes") }
            try host.repeatChanges()
            try host.close()
        },
        Self("host-cancels-before", "Cancels a request before it makes it.", "WIRE-22") { host in
            try host.open()
            let frame = host.item(host.rootID)
            try host.send(PeerFrame(id: frame.id, .cancel))
            try host.final(of: frame)
            try host.expectService()
            try host.close()
        },
        Self("host-cancels-during", "Cancels requests in the same breath.", "WIRE-22") { host in
            try host.open()
            let root = host.rootID
            for _ in 0..<50 {
                let frame = host.request(.enumerate) { $0.text(1, root) }
                try host.write(frame.bytes + PeerFrame(id: frame.id, .cancel).bytes)
                try host.final(of: frame.id)
            }
            try host.expectService()
            try host.close()
        },
        Self("host-cancels-after", "Cancels what was answered.", "WIRE-22") { host in
            try host.open()
            let frame = host.item(host.rootID)
            try host.final(of: frame)
            for _ in 0..<10 { try host.send(PeerFrame(id: frame.id, .cancel)) }
            try host.expectService()
            try host.close()
        },
        Self("host-cancels-the-unknown", "Cancels what nobody asked.", "WIRE-22") { host in
            try host.open()
            try host.send(PeerFrame(id: 9_999_999, .cancel))
            try host.expectService()
            try host.close()
        },
        Self("host-pings", "Pings a thousand times.", "WIRE-57") { host in
            try host.open()
            try host.expectService()
            for number in 1...1000 { try host.send(PeerFrame(.ping) { $0.number(1, UInt64(number)) }) }
            try host.expectService()
            while host.pongs.count < 1000, try host.step() {}
            guard host.pongs == Array(1...1000) else { throw Finding("It does not answer each ping with its number.") }
            try host.close()
        },
        Self("host-refuses-everything", "Refuses every placeholder that it is asked to write.", "WIRE-26") { host in
            try host.open()
            let id = try host.someDocument()
            host.refusesPlaceholders = true
            let final = try host.final(of: host.request(.providePlaceholder) { $0.text(1, id) })
            guard final.kind == .failure else {
                throw Finding(
                    host.questions == 0
                        ? "It says that there is a placeholder that it never asked for."
                        : "It says that there is a placeholder that the host could not write.")
            }
            try host.expectService()
            try host.close()
        },
    ]
}
