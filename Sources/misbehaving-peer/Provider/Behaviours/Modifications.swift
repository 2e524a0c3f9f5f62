import Glibc

/// What can go wrong with a user's changes.
extension ProviderBehaviour {
    static let modifications: [ProviderBehaviour] = [
        Self("modify-never", "Never answers a change.", "WIRE-28").onModify { peer, call in peer.hold(call) },
        Self("modify-dies", "Dies over a change.", "WIRE-56").onModify { _, _ in OwnProcess.die(by: SIGKILL) },
        Self("modify-other-item", "Takes a change and answers with another item.", "WIRE-34").onModify { peer, call in
            try peer.answer(call, item: peer.tree.items["good"] ?? peer.target)
        },
        Self("modify-of-size", "Takes a change and says another size.", "VER-1").onModify { peer, call in
            var item = peer.target
            item.content = Array("changed".utf8)
            item.size = 3
            try peer.answer(call, item: item)
        },
        Self("modify-without-version", "Takes a change and tells no version.", "VER-1").onModify { peer, call in
            var item = peer.target
            item.content = []
            try peer.answer(call, item: item)
        },
        Self("modify-damages-the-snapshot", "Writes into the file that it is to send.", "WIRE-22").onModify {
            peer, call in
            let path = call.fields.text(3)
            let item = peer.target
            if let file = try? File(path, O_WRONLY) { try file.write(Array("damaged".utf8)) }
            truncate(path, 3)
            unlink(path)
            try peer.fail(call, 102, "The server is gone with “\(String(decoding: item.name, as: UTF8.self))”.")
        },
        Self("modify-conflicts-always", "Says of every change that it began from an old version.", "VER-2").onModify {
            peer, call in
            try peer.fail(call, 205, "It is another version.")
        },
        Self("modify-of-nothing", "Says of every change that there is no such item.", "WIRE-32").onModify {
            peer, call in
            try peer.fail(call, 201, "There is no such item.")
        },
        Self("create-known-item", "Makes an item and answers with one that is there.", "ID-2").onCreate { peer, call in
            try peer.answer(call, item: peer.tree.items["good"] ?? peer.target)
        },
        Self("create-other-name", "Makes an item under an evil name.", "CONT-12").onCreate { peer, call in
            var item = PeerItem("made", in: PeerTree.root, named: "../evil.txt")
            item.size = 7
            try peer.answer(call, item: item)
        },
        Self("create-elsewhere", "Makes an item in a folder that nobody knows.", "PROV-21").onCreate { peer, call in
            try peer.answer(call, item: PeerItem("made", in: "nowhere", named: "new.txt", size: 7))
        },
        Self("create-root", "Makes an item and answers with the top folder.", "ID-2").onCreate { peer, call in
            try peer.answer(call, item: PeerItem.folder("/", in: "", named: ""))
        },
        Self("delete-never", "Never answers a removal.", "WIRE-28").claiming("modifying").onCall { peer, call in
            guard call.kind == .delete else { return false }
            peer.hold(call)
            return true
        },
        Self("rename-into-evil", "Renames an item to a name that is none.", "CONT-12").onModify { peer, call in
            guard !call.fields.bytes(4).isEmpty else { return try peer.answerProperly(call) }
            var item = peer.target
            item.name = Array("..".utf8)
            try peer.answer(call, item: item)
        },
    ]

    private func onModify(_ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void) -> Self {
        on(.modify, step)
    }

    private func onCreate(_ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void) -> Self {
        on(.create, step)
    }

    private func on(
        _ kind: PeerCall.Kind, _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        claiming("modifying").on({ $0.kind == kind }, step)
    }
}
