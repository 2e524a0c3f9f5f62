import Glibc

/// What does not get as far as a question.
extension ToolBehaviour {
    static let strangers: [ToolBehaviour] = [
        Self("tool-says-nothing", "Connects and says nothing.", "WIRE-15") { socket in
            // A host gives it up after its handshake deadline.
            try ToolPeer(socket).expectClosing(within: 25_000)
        },
        Self("tool-speaks-http", "Is a web browser.", "WIRE-2") { socket in
            let tool = try ToolPeer(socket)
            try tool.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            tool.halfClose()
            try tool.expectClosing()
        },
        Self("tool-writes-noise", "Sends noise.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.write((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 255) })
            try tool.expectClosing()
        },
        Self("tool-announces-zero", "Sends a frame of no bytes.", "WIRE-2") { socket in
            let tool = try ToolPeer(socket)
            try tool.write([0])
            try tool.expectClosing()
        },
        Self("tool-announces-too-much", "Announces a frame above the limit.", "WIRE-2") { socket in
            let tool = try ToolPeer(socket)
            try tool.write([0xFF, 0xFF, 0xFF, 0x7F])
            try tool.expectClosing()
        },
        Self("tool-pads-its-length", "Pads the length of its hello.", "WIRE-2") { socket in
            let tool = try ToolPeer(socket)
            let body = tool.hello().body
            try tool.write([UInt8(body.count & 0x7F) | 0x80, 0x80, 0])
            try tool.expectClosing()
        },
        Self("tool-stops-in-its-hello", "Begins a hello and says no more.", "WIRE-4") { socket in
            let tool = try ToolPeer(socket)
            try tool.write([100, 18])
            try tool.expectClosing(within: 25_000)
        },
        Self("tool-drips-its-hello", "Says its hello one byte at a time.", "WIRE-4") { socket in
            let tool = try ToolPeer(socket)
            for byte in tool.hello().bytes {
                usleep(5_000)
                try tool.write([byte])
            }
            guard try tool.read()?.kind == .helloReply else {
                throw Finding("The host does not wait for a slow hello.")
            }
            try tool.expectService()
        },
        Self("tool-of-the-future", "Offers only versions that nobody knows.", "WIRE-12") { socket in
            let tool = try ToolPeer(socket)
            try tool.write(tool.hello(versions: [98, 99]).bytes)
            guard let reply = try tool.read(), reply.kind == .helloReply, reply.message.number(1) == 0 else {
                throw Finding("The host does not say which versions it can speak.")
            }
            try tool.expectClosing()
        },
        Self("tool-without-sense", "Says who it is with bytes that are no message.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            try tool.write(tool.hello(context: [0xFF, 0xFF, 0xFF]).bytes)
            while let frame = try tool.read() {
                guard frame.message.number(1) == 0 else { throw Finding("The host welcomes it.") }
            }
        },
        Self("tool-of-evil-name", "Has a name that rewrites the terminal.", "WIRE-8") { socket in
            let tool = try ToolPeer(socket)
            let name = "\u{1B}[2J\u{1B}]0;owned\u{7}\n\u{202E}" + String(repeating: "n", count: 100_000)
            try tool.write(tool.hello(context: MessageWriter.message { $0.text(1, name) }).bytes)
            while let frame = try tool.read(timeout: 2000), frame.kind != .helloReply {}
            tool.vanish()
        },
        Self("tool-asks-early", "Asks before it has said hello.", "WIRE-11") { socket in
            let tool = try ToolPeer(socket)
            try tool.write(tool.request(1).bytes)
            try tool.expectClosing()
        },
        Self("tool-says-hello-twice", "Says hello twice.", "WIRE-11") { socket in
            let tool = try ToolPeer(socket)
            try tool.open()
            try tool.write(tool.hello().bytes)
            try tool.expectClosing()
        },
    ]
}

extension ToolPeer {
    /// Says no more, and listens.
    func halfClose() { shutdown(pipe.output, Int32(SHUT_WR)) }
}
