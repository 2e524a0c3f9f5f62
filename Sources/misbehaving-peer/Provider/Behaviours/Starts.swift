import Glibc

/// From the launch to the end of the handshake.
extension ProviderBehaviour {
    static let starts: [ProviderBehaviour] =
        [
            Self("start-silent", "Never says anything.", "WIRE-15").greeting { _ in OwnProcess.hang() },
            Self("start-drips", "Sends the preface at one byte a second.", "WIRE-15").greeting { peer in
                for byte in PeerFrame.preface {
                    sleep(1)
                    try peer.pipe.write([byte])
                }
                OwnProcess.hang()
            },
            Self("preface-wrong", "Gets one byte of the preface wrong.", "WIRE-10").greeting { peer in
                var preface = PeerFrame.preface
                preface[3] = UInt8(ascii: "X")
                try peer.pipe.write(preface)
                try peer.sendReply()
            },
            Self("preface-missing", "Begins with the answer to the hello.", "WIRE-10").greeting { peer in
                try peer.sendReply()
            },
            Self("preface-half", "Ends after half of the preface.", "WIRE-10").greeting { peer in
                try peer.pipe.write(Array(PeerFrame.preface.prefix(4)))
                exit(0)
            },
            Self("preface-as-text", "Translates line ends, as a text stream does.", "WIRE-10").greeting { peer in
                try peer.pipe.write([0x89, 0x44, 0x4F, 0x43, 0x0A, 0x1A, 0x0A])
                try peer.sendReply()
            },
            Self("preface-after-text", "Prints a line before the preface.", "WIRE-10").greeting { peer in
                try peer.pipe.write(Array("Loading plug-ins…\n".utf8))
                try peer.greetProperly()
            },
            Self("preface-after-a-flood", "Prints a hundred megabytes before the preface.", "WIRE-10").greeting {
                peer in
                let line = Array(String(repeating: "Loading plug-ins. ", count: 4096).utf8)
                for _ in 0..<1400 { try peer.pipe.write(line) }
                try peer.greetProperly()
            },
            Self("hello-version-too-new", "Chooses a version that nobody offered.", "WIRE-12").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply { $0.number(1, 99) }
            },
            Self("hello-no-version", "Shares no version, says so and ends.", "WIRE-12").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.pipe.send(
                    PeerFrame(.helloReply) {
                        $0.text(4, "misbehaving-peer 9.0")
                        $0.number(5, 98)
                        $0.number(5, 99)
                    })
                exit(0)
            },
            Self("hello-unknown-feature", "Uses a feature that nobody offered.", "WIRE-13").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply { $0.text(2, "required:time-travel") }
            },
            Self("hello-wider", "Claims a capability that its manifest lacks.", "WIRE-18")
                .claiming("modifying", "changes"),
            Self("hello-twice", "Answers the hello twice.", "WIRE-11").greeting { peer in
                try peer.greetProperly()
                try peer.sendReply()
            },
            Self("hello-after-a-request", "Asks before it has answered the hello.", "WIRE-11").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.writePlaceholder(peer.target)
                try peer.sendReply()
            },
            Self("hello-after-a-notification", "Notifies before it has answered the hello.", "WIRE-11").greeting {
                peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.pipe.send(peer.notify(1))
                try peer.sendReply()
            },
            Self("hello-with-an-id", "Answers the hello as if it were a request.", "WIRE-11").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                var reply = peer.reply()
                reply.id = 1
                try peer.pipe.send(reply)
            },
            Self("hello-is-an-echo", "Sends the host's own hello back.", "WIRE-11").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.pipe.send(PeerFrame(.hello) { $0.number(1, 1) })
            },
            Self("hello-context-garbage", "Tells capabilities that are no message.", "WIRE-8").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply { $0.bytes(6, [0xFF, 0xFF, 0xFF]) }
            },
            Self("hello-root-too-long", "Has a top folder with an identifier of 5,000 bytes.", "ID-1").greeting {
                peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply {
                    $0.bytes(6, peer.capabilities([], root: String(repeating: "r", count: 5000)))
                }
            },
            Self("hello-limits-tiny", "Accepts frames of one byte only.", "WIRE-2").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply { $0.message(3) { $0.number(1, 1) } }
            },
            Self("hello-limits-raised", "Accepts more than anybody may send.", "WIRE-2").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply {
                    $0.message(3) {
                        $0.number(1, 0xFFFF_FFFF)
                        $0.number(2, 0xFFFF_FFFF)
                    }
                }
            },
            Self("identity-other", "Says that it is another provider.", "ID-5").onCall { peer, call in
                guard call.kind == .identity else { return false }
                try peer.answer(call) { $0.text(1, "org.example.other") }
                return true
            },
            Self("identity-garbage", "Says a name that no provider can have.", "ID-5").onCall { peer, call in
                guard call.kind == .identity else { return false }
                try peer.answer(call) { $0.text(1, "../../\u{1B}[2J") }
                return true
            },
            Self("identity-refused", "Does not say who it is.", "ID-5").onCall { peer, call in
                guard call.kind == .identity else { return false }
                try peer.fail(call, 406, "I would rather not say.")
                return true
            },
            Self("identity-never", "Never says who it is.", "WIRE-15").onCall { peer, call in
                guard call.kind == .identity else { return false }
                peer.hold(call)
                return true
            },
        ] + deaths

    /// Four ends at four moments.
    private static let deaths: [ProviderBehaviour] = {
        let ends: [(String, String, @Sendable () -> Never)] = [
            ("exits-0", "Ends with status 0", { exit(0) }),
            ("exits-3", "Ends with status 3", { exit(3) }),
            ("is-killed", "Is ended by SIGKILL", { OwnProcess.die(by: SIGKILL) }),
            ("crashes", "Crashes", { OwnProcess.die(by: SIGSEGV) }),
        ]
        return ends.flatMap { name, sentence, end in
            [
                Self("start-\(name)", "\(sentence) before the preface.", "WIRE-17").greeting { _ in end() },
                Self("preface-\(name)", "\(sentence) after the preface.", "WIRE-17").greeting { peer in
                    try peer.pipe.write(PeerFrame.preface)
                    end()
                },
                Self("hello-\(name)", "\(sentence) after the handshake.", "WIRE-17").onceOpen { _ in end() },
                Self("request-\(name)", "\(sentence) while a request is open.", "WIRE-56").onTarget { _, _ in end() },
            ]
        }
    }()
}
