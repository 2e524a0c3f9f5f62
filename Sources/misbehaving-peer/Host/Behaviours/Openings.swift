import Glibc

extension HostBehaviour {
    static let openings: [HostBehaviour] = [
        Self("host-says-nothing", "Never says hello, and goes.", "WIRE-11") { host in
            sleep(1)
            try host.expectNoAnswerBeforeHello()
            try host.expectGone()
        },
        Self("host-of-the-future", "Offers only versions that nobody knows.", "WIRE-12") { host in
            try host.send(host.hello(versions: [98, 99]))
            try host.receiveReply()
            guard host.reply.number(1) == 0 else { throw Finding("It chose version \(host.reply.number(1)).") }
            guard !host.reply.numbers(5).isEmpty else { throw Finding("It does not say which versions it can speak.") }
            try host.expectEnd()
        },
        Self("host-of-many-versions", "Offers a version that is shared among others.", "WIRE-12") { host in
            try host.open(versions: [99, 1, 98])
            try host.expectService()
            try host.close()
        },
        Self("host-with-features", "Offers features that nobody knows.", "WIRE-13") { host in
            try host.open(features: ["time-travel", "", String(repeating: "f", count: 10_000)])
            guard host.reply.all(2).isEmpty else { throw Finding("It uses a feature that it cannot know.") }
            try host.expectService()
            try host.close()
        },
        Self("host-asks-early", "Asks before it has said hello.", "WIRE-11") { host in
            try host.send(host.item("/"))
            try host.expectNoAnswerBeforeHello()
            try host.expectGone()
        },
        Self("host-says-hello-twice", "Says hello a second time.", "WIRE-11") { host in
            try host.open()
            try host.send(host.hello())
            host.provider.closeInput()
            while try host.step() {}
            guard host.laterReplies == 0 else { throw Finding("It answers a second hello.") }
            try host.expectGone()
        },
        Self("host-speaks-http", "Is a web browser.", "WIRE-8") { host in
            try host.write(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            try host.expectNoAnswerBeforeHello()
            try host.expectGone()
        },
    ]

    static let streams: [HostBehaviour] = [
        Self("host-drips", "Sends every frame one byte at a time.", "WIRE-4") { host in
            for byte in host.hello().bytes { try host.write([byte]) }
            try host.receiveReply()
            let frame = host.item(host.rootID)
            for byte in frame.bytes {
                usleep(1000)
                try host.write([byte])
            }
            guard try host.final(of: frame.id).kind == .answer else { throw Finding("It fails what comes slowly.") }
            try host.close()
        },
        Self("host-writes-all-at-once", "Sends fifty requests in one write.", "WIRE-4") { host in
            try host.open()
            let root = host.rootID
            let frames = (0..<50).map { _ in host.item(root) }
            try host.write(frames.flatMap(\.bytes))
            for frame in frames where try host.final(of: frame.id).kind != .answer {
                throw Finding("It fails what comes at once.")
            }
            try host.close()
        },
        Self("host-writes-the-largest-frame", "Sends a frame of the largest size that is accepted.", "WIRE-2") { host in
            try host.open()
            let limit = Int(host.reply.message(3).number(1))
            let most = limit == 0 ? 4_194_304 : limit
            var frame = host.item(host.rootID)
            // An unknown field fills it up.
            let filler = most - frame.body.count - 16
            frame.content += MessageWriter.message { $0.bytes(1000, [UInt8](repeating: 0, count: filler)) }
            try host.answer(of: frame, "It fails what it says that it takes")
            try host.close()
        },
        Self("host-writes-too-large-a-frame", "Sends a frame above the limit.", "WIRE-2") { host in
            try host.open()
            try? host.write(PeerFrame.framed([UInt8](repeating: 1, count: 4_194_305)))
            host.provider.closeInput()
            try host.expectGone(within: 10)
        },
        Self("host-writes-noise", "Sends noise after the hello.", "WIRE-8") { host in
            try host.open()
            try? host.write((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 13) })
            host.provider.closeInput()
            try host.expectGone(within: 10)
        },
        Self("host-stops-reading", "Asks and asks, and reads no answers.", "WIRE-6") { host in
            try host.open()
            let root = host.rootID
            _ = fcntl(host.provider.pipe.output, F_SETFL, O_NONBLOCK)
            for _ in 0..<20_000 {
                let bytes = host.request(.enumerate) { $0.text(1, root) }.bytes
                guard Glibc.write(host.provider.pipe.output, bytes, bytes.count) == bytes.count else { break }
            }
            sleep(1)
            host.provider.closeInput()
            host.provider.closeOutput()
            guard host.provider.wait(seconds: 10) != nil else { throw Finding("It still runs.") }
        },
        Self("host-never-reads-errors", "Never reads what the provider writes to standard error.", "WIRE-52") { host in
            try host.open()
            let root = host.rootID
            _ = try host.topItems()
            // What goes wrong is what providers have most to say of.
            for number in 0..<100 {
                let (frame, path) = try host.providing("nothing of that kind \(number)")
                try host.final(of: frame)
                unlink(path)
                try host.final(of: host.item("nothing of that kind \(number)"))
                try host.final(of: host.request(.pathForIdentifier) { $0.text(1, root) })
                var nonsense = host.request(.identity)
                nonsense.content = MessageWriter.message { $0.bytes(1, [0xFF, 0xFF, 0xFF]) }
                try host.final(of: nonsense)
            }
            try host.expectService()
            try host.close()
        },
    ]
}
