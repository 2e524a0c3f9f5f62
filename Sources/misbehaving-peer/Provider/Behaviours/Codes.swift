import Glibc

/// Errors that a provider may well give: what a host does then is the class's to say.
extension ProviderBehaviour {
    static let codes: [ProviderBehaviour] =
        resolvable.map { code, word, sentence in
            Self("code-\(word)", "\(sentence) for a while, and says when that is over.", "PROV-22").refusing(code)
        }
        + transient.map { code, word, sentence in
            Self("code-\(word)", "\(sentence), once.", "PROV-22").claiming("modifying").onCall { peer, call in
                guard call.kind == .modify, peer.count("changes") == 1 else { return false }
                try peer.fail(call, code, "\(sentence).")
                return true
            }
        } + [
            Self("code-name-collision", "Says of a new name that it is taken.", "WIRE-30").failing(.create, 202),
            Self("code-deletion-rejected", "Does not let anything be removed.", "WIRE-30").failing(.delete, 203),
            Self("code-directory-not-empty", "Says that what is to be removed is not empty.", "WIRE-30")
                .failing(.delete, 204),
            Self("code-not-permitted", "Does not permit changes.", "WIRE-30").failing(.modify, 406),
            Self("code-not-permitted-contents", "Does not permit a document to be read.", "WIRE-30").onTarget {
                peer, call in
                try peer.fail(call, 406, "It is not permitted.")
            },
            Self("code-not-configured", "Says that it cannot work as it is set up.", "WIRE-30").greeting { peer in
                try peer.pipe.write(PeerFrame.preface)
                try peer.sendReply {
                    $0.message(7) {
                        $0.number(1, 407)
                        $0.text(2, "The account has no server.")
                    }
                }
            },
            Self("code-page-expired", "Says of the second page that it has expired, once.", "PROV-21").onCall {
                peer, call in
                guard call.listsTop else { return false }
                let items = peer.tree.children(of: PeerTree.root)
                if call.page.isEmpty {
                    try peer.answer(call, listing: Array(items.prefix(1)), next: Array("second".utf8))
                } else if peer.count("pages") == 1 {
                    try peer.fail(call, 404, "The page has expired.")
                } else {
                    try peer.answer(call, listing: Array(items.dropFirst()))
                }
                return true
            },
            Self("code-anchor-expired", "Says of an anchor that it has expired, when something has changed.", "PROV-21")
                .claiming("changes").onCall { peer, call in
                    guard call.kind == .changesSince, peer.count("asked") == 1 else { return false }
                    peer.tree.add(PeerItem("later", in: PeerTree.root, named: "later.txt"), Array("later\n".utf8))
                    try peer.fail(call, 405, "The anchor has expired.")
                    return true
                },
        ]

    private static let resolvable: [(UInt64, String, String)] = [
        (101, "not-authenticated", "Takes no changes without a sign-in"),
        (102, "server-unreachable", "Takes no changes without its server"),
        (103, "insufficient-quota", "Takes no changes for want of room"),
        (104, "cannot-synchronize", "Takes no changes that it cannot synchronise"),
        (105, "excluded-from-sync", "Takes no changes of what is excluded"),
    ]

    private static let transient: [(UInt64, String, String)] = [
        (301, "internal", "Fails inside"), (302, "busy", "Has too much to do"),
        (303, "local-storage", "Cannot use a file"),
    ]

    /// Refuses changes, until the folder is listed; says before it lists it that it takes them again.
    private func refusing(_ code: UInt64) -> Self {
        claiming("modifying").onCall { peer, call in
            if call.kind == .modify, peer.counts["resolved"] == nil {
                _ = peer.count("refused")
                try peer.fail(call, code, "It is not taken just now.")
                return true
            }
            if call.listsTop, peer.counts["refused"] != nil, peer.count("resolved") == 1 {
                try peer.pipe.send(peer.notify(2) { $0.number(1, code) })
            }
            return false
        }
    }

    private func failing(_ kind: PeerCall.Kind, _ code: UInt64) -> Self {
        claiming("modifying").onCall { peer, call in
            guard call.kind == kind else { return false }
            try peer.fail(call, code, "It cannot be done.")
            return true
        }
    }
}
