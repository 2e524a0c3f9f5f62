import Glibc

/// More than anybody can want.
extension ProviderBehaviour {
    static let floods: [ProviderBehaviour] = [
        Self("flood-tiny-frames", "Sends tiny frames without end.", "WIRE-6").onListing { peer, _ in
            let frames = [UInt8](repeating: 0, count: 3000).flatMap { _ in PeerFrame.framed([0x98, 0x06, 0x01]) }
            while true { try peer.pipe.write(frames) }
        },
        Self("flood-pings", "Pings without end and reads nothing.", "WIRE-6").onListing { peer, _ in
            let frames = (0..<1000).flatMap { number in
                PeerFrame(.ping) { $0.number(1, UInt64(number)) }.bytes
            }
            while true { try peer.pipe.write(frames) }
        },
        Self("flood-log", "Writes a hundred thousand lines to the log, and answers.", "WIRE-52").onListing {
            peer, call in
            let lines = (0..<1000).flatMap { number in
                peer.notify(3) {
                    $0.number(1, 4)
                    $0.text(2, "line \(number) of a flood, with a token=s3cr3t-\(number)")
                }.bytes
            }
            for _ in 0..<100 { try peer.pipe.write(lines) }
            try peer.answerProperly(call)
        },
        Self("flood-changes", "Signals changes without end, while a page is asked for.", "WIRE-26")
            .claiming("changes")
            .onCall { peer, call in
                guard call.kind == .changesSince || call.kind == .currentAnchor, peer.count("asked") > 1 else {
                    return false
                }
                peer.hold(call)
                let signals = (0..<1000).flatMap { _ in peer.notify(1).bytes }
                for _ in 0..<300 { try peer.pipe.write(signals) }
                return true
            },
        Self("flood-resolved", "Says again and again that everything is resolved.", "WIRE-30").onListing { peer, call in
            let signals = (0..<1000).flatMap { _ in peer.notify(2).bytes }
            for _ in 0..<300 { try peer.pipe.write(signals) }
            try peer.answerProperly(call)
        },
        Self("flood-resolved-codes", "Says that a million codes are resolved.", "WIRE-30").onListing { peer, call in
            try peer.pipe.send(peer.notify(2) { for code in 0..<1_000_000 { $0.number(1, UInt64(code)) } })
            try peer.answerProperly(call)
        },
        Self("flood-requests", "Asks without end and reads nothing.", "WIRE-6").onListing { peer, _ in
            while true { try peer.writePlaceholder(peer.target) }
        },
        Self("flood-progress", "Reports progress a hundred thousand times.", "WIRE-24").onTarget { peer, call in
            for done in 1...100 {
                let report = PeerFrame.progress(call.id, done: UInt64(done)).bytes
                try peer.pipe.write(Array([[UInt8]](repeating: report, count: 1000).joined()))
            }
            try peer.fill(call, peer.targetContents)
            try peer.answer(call, item: peer.target)
        },
        Self("flood-unread", "Reads nothing any more and lives on.", "WIRE-6").onListing { _, _ in OwnProcess.hang() },
        Self("flood-cancels", "Cancels without end.", "WIRE-22").onListing { peer, _ in
            let frames = (1...1000).flatMap { PeerFrame(id: UInt64($0 * 2), .cancel).bytes }
            while true { try peer.pipe.write(frames) }
        },
        Self("flood-deaf", "Closes its input, and signals changes without end.", "WIRE-6").onListing { peer, _ in
            close(STDIN_FILENO)
            let signals = (0..<1000).flatMap { _ in peer.notify(1).bytes }
            while true { try peer.pipe.write(signals) }
        },
    ]
}
