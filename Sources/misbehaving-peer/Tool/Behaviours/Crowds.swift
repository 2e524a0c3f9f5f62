import Glibc

/// More than anybody should ask for.
extension ToolBehaviour {
    static let crowds: [ToolBehaviour] = [
        Self("tool-asks-too-much", "Asks a thousand things at once, more than it may.", "WIRE-25") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let frames = (0..<1000).map { _ in tool.request(1) }
            try tool.write(frames.flatMap(\.bytes))
            for frame in frames {
                let final = try tool.final(of: frame.id)
                guard final.kind == .answer || final.message.number(1) == 302 else {
                    throw Finding("The host says code \(final.message.number(1)) where it is busy (302).")
                }
            }
            try tool.expectService()
        },
        Self("tool-never-reads", "Asks and asks, and reads no answers.", "WIRE-6") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let bytes = (0..<200).flatMap { _ in tool.request(10).bytes }
            guard tool.pour(bytes, until: 3) else {
                throw Finding("The host takes questions without end from a tool that reads nothing.")
            }
        },
        Self("tool-pings-and-never-reads", "Pings without end and reads nothing.", "WIRE-6") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let bytes = (0..<1000).flatMap { number in PeerFrame(.ping) { $0.number(1, UInt64(number)) }.bytes }
            guard tool.pour(bytes, until: 1) else {
                throw Finding("The host takes pings without end from a tool that reads nothing.")
            }
        },
        Self("tool-floods-with-nothing", "Sends frames that ask for nothing, without end.", "WIRE-6") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            let cancels = (0..<1000).flatMap { PeerFrame(id: UInt64(1_000_001 + $0 * 2), .cancel).bytes }
            var rounds = 0
            while rounds < 10_000, (try? tool.pipe.write(cancels)) != nil { rounds += 1 }
            guard rounds < 10_000 else { throw Finding("The host listens to ten million frames that ask for nothing.") }
        },
        Self("tool-floods-deaf", "Shuts its ears, asks once, and notifies without end.", "WIRE-6") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            tool.stopListening()
            try tool.write(tool.request(1).bytes)
            let notices = (0..<1000).flatMap { _ in PeerFrame(.notification) { $0.bytes(1, [0xFF]) }.bytes }
            var rounds = 0
            while rounds < 10_000, (try? tool.pipe.write(notices)) != nil { rounds += 1 }
            guard rounds < 10_000 else { throw Finding("The host listens to ten million frames of one that is deaf.") }
            try ToolPeer(socket).expectProper()
        },
        Self("tool-comes-and-goes", "Connects two thousand times and goes at once.", "WIRE-49") { socket in
            for _ in 0..<2000 { try ToolPeer(socket).vanish() }
            try ToolPeer(socket).expectProper()
        },
        Self("tool-in-a-crowd", "Opens two thousand connections that say nothing, beside one that asks.", "WIRE-49") {
            socket in
            let crowd = Crowd.silent(2000, at: socket)
            defer { for descriptor in crowd { close(descriptor) } }
            try ToolPeer(socket).expectProper()
        },
        Self("tool-in-a-friendly-crowd", "Opens three hundred connections that all ask.", "WIRE-49") { socket in
            let crowd = try (0..<300).map { _ in try ToolPeer(socket) }
            for tool in crowd { try tool.write(tool.hello().bytes) }
            for tool in crowd {
                guard try tool.read()?.kind == .helloReply else { throw Finding("The host leaves one out.") }
            }
            for tool in crowd { try tool.expectService() }
        },
        Self("tool-vanishes-busy", "Asks, and is gone before the answer, three hundred times.", "WIRE-43") { socket in
            for _ in 0..<300 {
                let tool = try ToolPeer(socket)
                try tool.write(
                    tool.hello().bytes
                        + (0..<8).flatMap { _ in
                            tool.request(40) {
                                $0.text(1, "good:/good.txt")
                                $0.number(2, 2)
                            }.bytes
                        })
                tool.vanish()
            }
            let tool = try ToolPeer(socket)
            try tool.open()
            // A claim that one of them had is free again.
            let final = try tool.final(
                of: tool.request(40) {
                    $0.text(1, "good:/good.txt"); $0.number(2, 2)
                })
            guard final.kind == .answer else { throw Finding("A claim is held for ever: \(final.message.text(2))") }
        },
    ]
}

extension ToolPeer {
    fileprivate func expectProper() throws {
        try open()
        try expectService()
    }
}

/// Connections that nobody uses.
private enum Crowd {
    /// As many as there can be.
    static func silent(_ count: Int, at socket: String) -> [Int32] {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var all: [Int32] = []
        while all.count < count, let next = try? Socket.connect(socket) { all.append(next) }
        return all
    }
}
