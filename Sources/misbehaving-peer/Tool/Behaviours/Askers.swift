import Glibc

/// What asks in ways that nobody should.
extension ToolBehaviour {
    static let askers: [ToolBehaviour] = [
        Self("tool-asks-the-unknown", "Asks what no host knows.", "WIRE-9") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            for call in [3, 99, 15_000] {
                let final = try tool.final(of: tool.request(call))
                guard final.kind == .failure, final.message.number(1) == 402 else {
                    throw Finding("The host does not say that it does not know the call (code 402).")
                }
            }
            let final = try tool.final(of: tool.request(body: []))
            guard final.kind == .failure else { throw Finding("The host answers an empty question.") }
            try tool.expectService()
        },
        Self("tool-asks-nonsense", "Asks with bytes that are no question.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let final = try tool.final(of: tool.request(body: [0xFF, 0xFF, 0xFF]))
            guard final.kind == .failure else { throw Finding("The host answers nonsense.") }
            try tool.expectService()
        },
        Self("tool-nests-deeply", "Asks with a million groups, one in the other.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            try tool.write(tool.request(body: [UInt8](repeating: 0x7B, count: 1_000_000)).bytes)
            while let frame = try tool.read(), frame.kind != .failure {}
        },
        Self("tool-asks-for-evil", "Asks for locations and paths that cannot be.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let places = [
                "", ":", "good", "good:/../../etc/passwd", "good:/\u{0}", "../..:/x", "good:/.docent-placeholders/x",
                "nobody:/", "good:/" + String(repeating: "a/", count: 5000), "good:/\u{1B}[2J", "\u{202E}:/",
                String(repeating: "g", count: 1_000_000),
            ]
            for place in places {
                for call in [30, 31, 32, 34, 40, 60, 61, 65] {
                    let final = try tool.final(of: tool.request(call) { $0.text(1, place) })
                    if call == 32 || call == 34, final.kind == .answer {
                        throw Finding("The host does call \(call) at “\(place.prefix(60))”.")
                    }
                }
                let out = try tool.final(
                    of: tool.request(50) {
                        $0.text(1, "/etc/passwd"); $0.text(2, place)
                    })
                guard out.kind == .failure else { throw Finding("The host exports to “\(place.prefix(60))”.") }
            }
            for path in ["", "relative", "/dev/zero", "/proc/self/mem", "/etc", "/nonexistent", "/a\u{0}b"] {
                let out = try tool.final(
                    of: tool.request(50) {
                        $0.text(1, path); $0.text(2, "good:/new-from-evil.txt")
                    })
                guard out.kind == .failure else { throw Finding("The host exports “\(path)”.") }
            }
            try tool.expectService()
        },
        Self("tool-adds-evil-domains", "Adds domains that cannot be.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            for name in ["", "..", "a/b", "../../evil", "\u{0}", String(repeating: "d", count: 10_000), "\u{1B}[2J"] {
                let final = try tool.final(
                    of: tool.request(20) {
                        $0.text(1, name)
                        $0.text(2, "org.docent.misbehaving.plain")
                    })
                guard final.kind == .failure else { throw Finding("The host has a domain “\(name.prefix(40))”.") }
            }
            let many = try tool.final(
                of: tool.request(20) { call in
                    call.text(1, "many")
                    call.text(2, "org.docent.misbehaving.plain")
                    for number in 0..<50_000 {
                        call.message(3) {
                            $0.text(1, "k\(number)"); $0.text(2, "v")
                        }
                    }
                })
            guard many.kind == .failure else { throw Finding("The host takes fifty thousand settings.") }
            try tool.expectService()
        },
        Self("tool-ends-what-it-never-began", "Ends accesses that are not its own.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            for access in [UInt64(0), 1, 2, 3, .max] {
                let final = try tool.final(of: tool.request(41) { $0.number(1, access) })
                guard final.kind == .failure else { throw Finding("The host ends the access \(access).") }
            }
            try tool.expectService()
        },
        Self("tool-calls-everything-an-end", "Asks for a listing in a place that is kept for ends.", "WIRE-25") {
            socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            for call in [1, 30, 40] {
                let body = MessageWriter.message { $0.message(call) { if call > 1 { $0.text(1, "good:/") } } }
                let final = try tool.final(of: tool.request(body: body, priority: 2))
                guard final.kind == .failure, final.message.number(1) == 403 else {
                    throw Finding("The host lets anything have the places of what ends something.")
                }
            }
            // A priority that nobody knows is none.
            let body = MessageWriter.message { $0.message(1) { _ in } }
            guard try tool.final(of: tool.request(body: body, priority: 9)).kind == .answer else {
                throw Finding("The host does not take a newer priority for an ordinary one.")
            }
            try tool.expectService()
        },
        Self("tool-answers-unasked", "Answers requests that nobody made.", "WIRE-21") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            try tool.write(PeerFrame.answer(2, []).bytes)
            try tool.expectClosing()
        },
        Self("tool-asks-with-the-hosts-ids", "Asks with an id of the host's.", "WIRE-19") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            try tool.write(PeerFrame(id: 2, .request) { $0.message(1) { $0.message(1) { _ in } } }.bytes)
            try tool.expectClosing()
        },
        Self("tool-asks-twice-with-one-id", "Asks twice with one id.", "WIRE-19") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let frame = tool.request(1)
            try tool.write(frame.bytes + frame.bytes)
            while try tool.read() != nil {}
        },
        Self("tool-cancels-the-unknown", "Cancels what nobody asked, five thousand times.", "WIRE-22") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let cancels = (0..<1000).flatMap { PeerFrame(id: UInt64(1_000_001 + $0 * 2), .cancel).bytes }
            for _ in 0..<5 { try tool.write(cancels) }
            try tool.expectService()
        },
        Self("tool-cancels-everything", "Cancels each question in the same breath.", "WIRE-22") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            for _ in 0..<300 {
                let frame = tool.request(30) { $0.text(1, "good:/") }
                try tool.write(frame.bytes + PeerFrame(id: frame.id, .cancel).bytes)
                try tool.final(of: frame.id)
            }
            try tool.expectService()
        },
        Self("tool-shuts-down-twice", "Shuts down twice, and asks after that.", "WIRE-51") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            try? tool.write(PeerFrame(.shutdown).bytes + PeerFrame(.shutdown).bytes + tool.request(1).bytes)
            while try tool.read() != nil {}
        },
        Self("tool-sends-unknown-kinds", "Sends frames of kinds that nobody knows.", "WIRE-9") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            try tool.write(PeerFrame.framed(MessageWriter.message { $0.text(99, "from the future") }))
            try tool.write(PeerFrame(.notification) { $0.bytes(1, [0xFF]) }.bytes)
            try tool.expectService()
        },
    ]
}
