import Glibc

/// Bytes that are no frames, and frames that come oddly.
extension ProviderBehaviour {
    static let frames: [ProviderBehaviour] = [
        Self("frame-text-between", "Prints a line between two frames.", "WIRE-7").onListing { peer, _ in
            try peer.pipe.write(Array("warning: deprecated\n".utf8))
        },
        Self("frame-length-zero", "Sends a frame of no bytes.", "WIRE-2").onListing { peer, _ in
            try peer.pipe.write([0])
        },
        Self("frame-length-huge", "Announces the longest length that can be written.", "WIRE-2").onListing { peer, _ in
            try peer.pipe.write([0xFF, 0xFF, 0xFF, 0x7F, 1, 2, 3])
        },
        Self("frame-over-the-limit", "Sends a frame of one byte above the limit.", "WIRE-2").onListing { peer, call in
            try peer.pipe.write(PeerFrame.framed([UInt8](repeating: 1, count: 4_194_305)))
            peer.hold(call)
        },
        Self("frame-length-padded", "Pads a length with a zero.", "WIRE-2").onListing { peer, call in
            let body = PeerFrame.answer(call.id, peer.answerBody(.enumerate) { _ in }).body
            try peer.pipe.write([UInt8(body.count) | 0x80, 0] + body)
        },
        Self("frame-length-endless", "Sends a length that never ends.", "WIRE-2").onListing { peer, _ in
            try peer.pipe.write([UInt8](repeating: 0x80, count: 64))
        },
        Self("frame-cut", "Ends within a frame.", "WIRE-7").onListing { peer, _ in
            try peer.pipe.write([100, 8, 1, 42])
            exit(0)
        },
        Self("frame-cut-in-the-length", "Ends within a length.", "WIRE-7").onListing { peer, _ in
            try peer.pipe.write([0x80])
            exit(0)
        },
        Self("frame-never-finished", "Begins a frame and says no more.", "WIRE-4").onListing { peer, _ in
            try peer.pipe.write([100, 8, 1, 42])
        },
        Self("frame-drips", "Sends an answer at one byte every 50 ms.", "WIRE-4").onListing { peer, call in
            let items = peer.tree.children(of: PeerTree.root)
            let body = peer.answerBody(.enumerate) { for item in items { $0.bytes(1, item.message) } }
            for byte in PeerFrame.answer(call.id, body).bytes {
                usleep(50_000)
                try peer.pipe.write([byte])
            }
        },
        Self("frame-two-at-once", "Sends two frames in one write, which it may.", "WIRE-4").onListing { peer, call in
            let items = peer.tree.children(of: PeerTree.root)
            let body = peer.answerBody(.enumerate) { for item in items { $0.bytes(1, item.message) } }
            try peer.pipe.send(peer.notify(3) { $0.text(2, "two at once") }, .answer(call.id, body))
        },
        Self("frame-in-pieces", "Sends one frame in many writes, which it may.", "WIRE-4").onListing { peer, call in
            let items = peer.tree.children(of: PeerTree.root)
            let body = peer.answerBody(.enumerate) { for item in items { $0.bytes(1, item.message) } }
            for byte in PeerFrame.answer(call.id, body).bytes {
                usleep(500)
                try peer.pipe.write([byte])
            }
        },
        Self("frame-undecodable", "Sends a frame whose body is no message.", "WIRE-8").onListing { peer, _ in
            try peer.pipe.write(PeerFrame.framed([0xFF, 0xFF, 0xFF, 0xFF]))
        },
        Self("frame-wrong-types", "Sends known fields with other types.", "WIRE-8").onListing { peer, call in
            try peer.pipe.write(
                PeerFrame.framed(
                    MessageWriter.message {
                        $0.text(1, "not a number")
                        $0.number(5, 7)
                    }))
            peer.hold(call)
        },
        Self("frame-nested-deeply", "Sends a million groups, one in the other.", "WIRE-8").onListing { peer, call in
            try peer.pipe.write(PeerFrame.framed([UInt8](repeating: 0x7B, count: 1_000_000)))
            peer.hold(call)
        },
        Self("frame-noise", "Sends noise.", "WIRE-8").onListing { peer, _ in
            var state: UInt64 = 0x9E37_79B9_7F4A_7C15
            let noise = (0..<65536).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            try peer.pipe.write(noise)
        },
        Self("frame-preface-again", "Sends the preface a second time.", "WIRE-10").onListing { peer, _ in
            try peer.pipe.write(PeerFrame.preface)
        },
        Self("frame-unknown-kind", "Sends a frame of a kind that nobody knows, which it may.", "WIRE-9").onListing {
            peer, call in
            try peer.pipe.write(PeerFrame.framed(MessageWriter.message { $0.text(99, "from the future") }))
            try peer.answerProperly(call)
        },
        Self("frame-unknown-fields", "Adds fields that nobody knows, which it may.", "WIRE-9").onListing { peer, call in
            let items = peer.tree.children(of: PeerTree.root)
            try peer.answer(call) {
                for item in items {
                    $0.bytes(1, item.message + MessageWriter.message { $0.text(1000, "from the future") })
                }
                $0.number(77, 7)
            }
        },
        Self("frame-hello-again", "Says hello in the middle.", "WIRE-11").onListing { peer, _ in
            try peer.sendReply()
        },
    ]
}
