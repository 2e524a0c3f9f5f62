import Glibc

/// Requests and their answers, cancelling and progress.
extension ProviderBehaviour {
    static let answers: [ProviderBehaviour] = [
        Self("answer-twice", "Answers a request twice.", "WIRE-21").onListing { peer, call in
            try peer.answerProperly(call)
            try peer.answerProperly(call)
        },
        Self("answer-unknown-id", "Answers a request that nobody made.", "WIRE-21").onListing { peer, _ in
            try peer.pipe.send(.answer(999_999, []))
        },
        Self("answer-own-id", "Answers with an id of its own.", "WIRE-19").onListing { peer, _ in
            try peer.pipe.send(.answer(peer.freshID(), []))
        },
        Self("answer-id-zero", "Answers with the id 0.", "WIRE-19").onListing { peer, _ in
            try peer.pipe.send(.answer(0, []))
        },
        Self("request-host-id", "Asks with an id of the host's.", "WIRE-19").onListing { peer, _ in
            try peer.writePlaceholder(peer.target, as: 4_000_001)
        },
        Self("request-id-reused", "Asks twice with one id.", "WIRE-19").onListing { peer, _ in
            let id = peer.freshID()
            try peer.writePlaceholder(peer.target, as: id)
            try peer.writePlaceholder(peer.target, as: id)
        },
        Self("answer-never", "Never answers, and serves everything else.", "WIRE-28").onListing { peer, call in
            peer.hold(call)
        },
        Self("answer-never-contents", "Never provides what it was asked for.", "WIRE-28").onTarget { peer, call in
            peer.hold(call)
        },
        Self("cancel-ignored", "Never answers, not even when it is cancelled.", "WIRE-23")
            .onTarget { peer, call in peer.hold(call) }
            .onCancel { _, _ in },
        Self("slot-held", "Takes one request at a time, and holds one until it is cancelled.", "WIRE-23")
            .takingOneRequest().onTarget { peer, call in peer.hold(call) },
        Self("slot-kept", "Takes one request at a time, and holds one also when it is cancelled.", "WIRE-23")
            .takingOneRequest().onTarget { peer, call in peer.hold(call) }
            .onCancel { _, _ in },
        Self("cancel-answered-late", "Answers properly after it was cancelled, which it may.", "WIRE-22")
            .onTarget { peer, call in peer.hold(call) }
            .onCancel { peer, id in
                usleep(300_000)
                let item = peer.target
                peer.open.remove(id)
                try peer.pipe.send(.answer(id, peer.answerBody(.startProviding) { $0.bytes(1, item.message) }))
            },
        Self("cancel-answered-twice", "Answers a cancelled request twice.", "WIRE-21")
            .onTarget { peer, call in peer.hold(call) }
            .onCancel { peer, id in
                try peer.pipe.send(.failure(id, 401, "Cancelled."), .failure(id, 401, "Cancelled again."))
            },
        Self("answer-wrong-kind", "Answers another question.", "WIRE-20").onListing { peer, call in
            try peer.pipe.send(.answer(call.id, peer.answerBody(.delete) { _ in }))
        },
        Self("answer-empty", "Answers with nothing.", "WIRE-20").onListing { peer, call in
            try peer.pipe.send(.answer(call.id, []))
        },
        Self("answer-undecodable", "Answers with bytes that are no answer.", "WIRE-8").onListing { peer, call in
            try peer.pipe.send(.answer(call.id, [0x1A, 0xFF, 0xFF, 0xFF, 0x0F]))
        },
        Self("answer-without-item", "Provides contents and does not say of what.", "WIRE-20").onTarget { peer, call in
            try peer.fill(call, peer.targetContents)
            try peer.answer(call) { _ in }
        },
        Self("answer-other-item", "Provides another item than it was asked for.", "WIRE-34").onTarget { peer, call in
            try peer.fill(call, Array("good\n".utf8))
            try peer.answer(call, item: peer.tree.items["good"] ?? peer.target)
        },
        Self("error-reserved-code", "Fails with a code that only the host may use.", "WIRE-31").onListing {
            peer, call in
            try peer.fail(call, 501, "I died.")
        },
        Self("error-no-code", "Fails without a code.", "WIRE-29").onListing { peer, call in
            try peer.fail(call, 0, "Something.")
        },
        Self("error-unknown-code", "Fails with a code that nobody knows.", "WIRE-30").onListing { peer, call in
            try peer.fail(call, 399, "Something of the future.")
        },
        Self("error-without-words", "Fails and does not say why.", "WIRE-29").onListing { peer, call in
            try peer.fail(call, 301, "")
        },
        Self("error-endless", "Fails with a message of a megabyte.", "WIRE-29").onListing { peer, call in
            try peer.fail(call, 301, String(repeating: "A very long story. ", count: 55_000))
        },
        Self("error-many-causes", "Fails for a hundred thousand causes.", "WIRE-29").onListing { peer, call in
            try peer.pipe.send(
                PeerFrame(id: call.id, .failure) {
                    $0.number(1, 301)
                    $0.text(2, "There are many causes.")
                    $0.number(4, 0xFFFF_FFFF)
                    for number in 0..<100_000 { $0.text(5, "cause \(number)") }
                })
        },
        Self("error-moves-the-cursor", "Fails with a message that rewrites the terminal.", "WIRE-29").onListing {
            peer, call in
            try peer.fail(call, 301, "\u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31mAll is well.\r\n\u{202E}txt.exe\u{0}")
        },
        Self("error-from-the-dead", "Says of a listed item that there is none.", "WIRE-32").onTarget { peer, call in
            try peer.fail(call, 201, "There is no such item.")
        },
        Self("error-needs-sign-in", "Is not signed in, for ever.", "WIRE-35").onListing { peer, call in
            try peer.fail(call, 101, "Sign in first.")
        },
        Self("progress-falls", "Takes progress back.", "WIRE-24").onTarget { peer, call in
            try peer.pipe.send(.progress(call.id, done: 5000), .progress(call.id, done: 10))
            peer.hold(call)
        },
        Self("progress-of-nothing", "Reports progress of a request that nobody made.", "WIRE-21").onTarget { peer, _ in
            try peer.pipe.send(.progress(999_999, done: 1))
        },
        Self("progress-after-the-answer", "Reports progress of what it has answered.", "WIRE-21").onListing {
            peer, call in
            try peer.answerProperly(call)
            try peer.pipe.send(.progress(call.id, done: 1))
        },
        Self("progress-impossible", "Reports more bytes than there can be.", "WIRE-24").onTarget { peer, call in
            try peer.pipe.send(.progress(call.id, done: .max, of: 1))
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target)
        },
        Self("progress-for-ever", "Reports progress and never comes to an end.", "WIRE-24").onTarget { peer, call in
            var done: UInt64 = 1
            while true {
                try peer.pipe.send(.progress(call.id, done: done))
                done += 1
                usleep(100_000)
            }
        },
        Self("heartbeat-for-ever", "Says that it is alive and never comes to an end.", "WIRE-24").onTarget {
            peer, call in
            while true {
                try peer.pipe.send(.progress(call.id, done: 0))
                usleep(100_000)
            }
        },
        Self("cancel-unknown", "Cancels requests that it never made, which does nothing.", "WIRE-22").onListing {
            peer, call in
            try peer.pipe.send(PeerFrame(id: 2_000_000, .cancel))
            try peer.answerProperly(call)
        },
        Self("cancel-of-the-host", "Cancels the host's own request.", "WIRE-22").onListing { peer, call in
            try peer.pipe.send(PeerFrame(id: call.id, .cancel))
        },
        Self("shutdown-from-below", "Tells the host to shut down.", "WIRE-51").onListing { peer, _ in
            try peer.pipe.send(PeerFrame(.shutdown))
        },
        Self("goodbye-early", "Says goodbye with a request open, and stays.", "WIRE-51").onListing { peer, _ in
            try peer.pipe.send(PeerFrame(.goodbye))
            OwnProcess.hang()
        },
        Self("pong-unasked", "Answers pings that nobody sent, which does nothing.", "WIRE-57").onListing { peer, call in
            try peer.pipe.send(PeerFrame(.pong) { $0.number(1, 4711) })
            try peer.answerProperly(call)
        },
        Self("request-unknown", "Asks something that no host knows, which it may.", "WIRE-9").onListing { peer, call in
            let id = peer.freshID()
            try peer.pipe.send(PeerFrame(id: id, .request) { $0.message(1) { $0.text(99, "sing") } })
            try peer.answerProperly(call)
        },
        Self("request-undecodable", "Asks with bytes that are no question.", "WIRE-8").onListing { peer, call in
            let id = peer.freshID()
            try peer.pipe.send(PeerFrame(id: id, .request) { $0.bytes(1, [0xFF, 0xFF, 0xFF]) })
            try peer.answerProperly(call)
        },
        Self("notification-undecodable", "Notifies with bytes that are no notification.", "WIRE-8").onListing {
            peer, call in
            try peer.pipe.send(PeerFrame(.notification) { $0.bytes(1, [0xFF, 0xFF]) })
            try peer.answerProperly(call)
        },
    ]

    private func takingOneRequest() -> Self {
        greeting { peer in
            try peer.pipe.write(PeerFrame.preface)
            try peer.sendReply { $0.message(3) { $0.number(2, 1) } }
        }
    }
}
