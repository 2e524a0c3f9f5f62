/// Feeds of changes that lead nowhere.
extension ProviderBehaviour {
    static let changes: [ProviderBehaviour] = [
        Self("anchor-stands", "Has more changes, at an anchor that never moves.", "PROV-21").onChanges { peer, call in
            try peer.changes(call, anchor: call.anchor, more: true)
        },
        Self("anchor-runs", "Has more changes, at ever new anchors, and tells none.", "PROV-21").onChanges {
            peer, call in
            try peer.changes(call, anchor: Array("a\(peer.count("anchors"))".utf8), more: true)
        },
        Self("anchor-runs-with-an-item", "Tells the same item again and again, at ever new anchors.", "PROV-21")
            .onChanges { peer, call in
                try peer.changes(
                    call, updated: [peer.target], anchor: Array("a\(peer.count("anchors"))".utf8), more: true)
            },
        Self("anchor-too-long", "Has an anchor of 501 bytes.", "WIRE-27").onChanges { peer, call in
            try peer.changes(call, anchor: [UInt8](repeating: 1, count: 501), more: false)
        },
        Self("anchor-empty", "Has an empty anchor.", "WIRE-27").onChanges { peer, call in
            try peer.changes(call, anchor: [], more: false)
        },
        Self("anchor-expires-always", "Says of every anchor that it has expired.", "PROV-21").onChanges { peer, call in
            try peer.fail(call, 405, "The anchor has expired.")
        },
        Self("anchor-never", "Never tells an anchor.", "WIRE-28").claiming("changes").onCall { peer, call in
            guard call.kind == .currentAnchor else { return false }
            peer.hold(call)
            return true
        },
        Self("anchor-newer-than-told", "Moves the anchor past a change that it has not told.", "PROV-21").onChanges {
            peer, call in
            if peer.count("asked") == 1 {
                var item = peer.target
                item.content = Array("2".utf8)
                peer.tree.add(item, Array("newer\n".utf8))
            }
            try peer.changes(call, anchor: Array("far ahead".utf8), more: false)
        },
        Self("changes-delete-the-root", "Says that the top folder was deleted.", "PROV-21").onChanges { peer, call in
            try peer.changes(call, deleted: ["/"], anchor: Array("2".utf8), more: false)
        },
        Self("changes-delete-strangers", "Says that items were deleted that nobody knows.", "PROV-21").onChanges {
            peer, call in
            try peer.changes(call, deleted: ["nobody", "../..", ""], anchor: Array("2".utf8), more: false)
        },
        Self("changes-move-into-itself", "Moves a folder into itself.", "PROV-21").onChanges { peer, call in
            try peer.changes(
                call,
                updated: [
                    PeerItem.folder("child", in: "folder", named: "child"),
                    PeerItem.folder("folder", in: "child", named: "folder"),
                ], anchor: Array("2".utf8), more: false)
        },
        Self("changes-in-no-folder", "Tells of an item in a folder that nobody knows.", "PROV-21").onChanges {
            peer, call in
            try peer.changes(
                call, updated: [PeerItem("lost", in: "nowhere", named: "lost.txt")], anchor: Array("2".utf8),
                more: false)
        },
        Self("changes-of-kind", "Turns a document into a folder and back.", "PROV-21").onChanges { peer, call in
            var item = PeerItem.folder(PeerTree.target, in: PeerTree.root, named: "target.txt")
            if peer.count("turns") % 2 == 0 { item = peer.target }
            try peer.changes(call, updated: [item], anchor: Array("t\(peer.count("a"))".utf8), more: false)
        },
        Self("changes-too-many", "Tells of a hundred and one times as many changes as asked for.", "PROV-21").onChanges
        {
            peer, call in
            let count = Int(call.fields.number(2)) * 101
            try peer.changes(call, deleted: (0..<count).map { "d\($0)" }, anchor: Array("2".utf8), more: false)
        },
        Self("changes-without-claim", "Claims no feed, and signals changes.", "WIRE-18").onListing { peer, call in
            for _ in 0..<100 { try peer.pipe.send(peer.notify(1)) }
            try peer.answerProperly(call)
        },
    ]

    private func onChanges(_ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void) -> Self {
        claiming("changes").on({ $0.kind == .changesSince }, step)
    }
}

extension ProviderPeer {
    fileprivate func changes(
        _ call: PeerCall, updated: [PeerItem] = [], deleted: [String] = [], anchor: [UInt8], more: Bool
    ) throws {
        try answer(call) {
            for item in updated { $0.bytes(1, item.message) }
            for id in deleted { $0.text(2, id) }
            $0.bytes(3, anchor)
            $0.number(4, more ? 1 : 0)
        }
    }
}
