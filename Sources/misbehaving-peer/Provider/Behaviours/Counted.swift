import Glibc

/// Something goes wrong once, wherever it may be: at each of the first calls in turn.
extension ProviderBehaviour {
    static let counted: [ProviderBehaviour] = (1...12).flatMap { number in
        [
            counted(number, "fails", "Fails its call number \(number), and is well otherwise.", "WIRE-32") {
                peer, call in
                try peer.fail(call, 301, "It went wrong this once.")
            },
            counted(number, "dies", "Dies at its call number \(number), and is well otherwise.", "WIRE-56") { peer, _ in
                try peer.tree.keep(in: peer.stateFolder)
                OwnProcess.die(by: SIGKILL)
            },
        ]
    }

    /// Who it is, and what its top folder is, does not count: that is asked before there is a domain. What it had done before it
    /// died stays done.
    private static func counted(
        _ number: Int, _ word: String, _ summary: String, _ rule: String,
        _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        Self("call-\(number)-\(word)", summary, rule).claiming("modifying").onCall { peer, call in
            guard call.kind != .identity, call.kind != .item || call.subject != PeerTree.root else { return false }
            if peer.count("calls") == 1, let kept = try PeerTree(keptIn: peer.stateFolder) { peer.tree = kept }
            let marker = peer.stateFolder + "/done"
            guard peer.counts["calls"] == number, access(marker, F_OK) != 0 else { return false }
            _ = try File(marker, O_WRONLY | O_CREAT)
            peer.reach(.call)
            try step(peer, call)
            return true
        }
    }
}
