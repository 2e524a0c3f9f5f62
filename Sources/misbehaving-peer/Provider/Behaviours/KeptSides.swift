import Glibc

/// This device's side of a conflict, which the remote is to keep until somebody has chosen: kept as something else, or not.
extension ProviderBehaviour {
    static let keptSides: [ProviderBehaviour] = keepings + refusals

    private static let keepings: [ProviderBehaviour] = [
        answering("keep-of-another-digest", "Says that it keeps other contents than it was given.", "WIRE-34") {
            $0.digest = [UInt8](repeating: 7, count: 32)
        },
        answering("keep-of-another-size", "Says that it keeps more bytes than it was given.", "WIRE-34") {
            $0.size += 1
        },
        answering("keep-as-older", "Keeps a side of a conflict as something older.", "WIRE-34") {
            $0.role = PeerSide.older
        },
        answering("keep-without-identifier", "Keeps a version under no name.", "VER-2") { $0.id = [] },
        Self("keep-under-a-taken-name", "Keeps a version under the name of another device's.", "VER-2").onKept(
            .keepVersion
        ) {
            var side = try $0.side(from: $1)
            side.id = PeerSide.others.id
            try $0.answer($1, side: side)
        }
        .preparing { $0.keepSide(.others, of: PeerTree.target) },
        Self("keep-all-under-one-name", "Keeps each version in the place of the one before.", "VER-2").onKept(
            .keepVersion
        ) {
            var side = try $0.side(from: $1)
            side.id = Array("mine".utf8)
            $0.tree.sides = [:]
            $0.tree.keepSide(side, of: $1.subject)
            try $0.answer($1, side: side)
        },
        Self("keep-of-another-kind", "Is to keep a version, and answers that one is removed.", "WIRE-20").onKept(
            .keepVersion
        ) { try $0.answer($1, as: .removeVersion) },
        Self("keep-dies", "Dies whenever it is to keep a version.", "WIRE-56").onKept(.keepVersion) { _, _ in
            OwnProcess.die(by: SIGKILL)
        },
        Self("keep-dies-once", "Dies once when it is to keep a version.", "WIRE-56").onKept(.keepVersion) {
            peer, call in
            let marker = peer.stateFolder + "/died"
            guard access(marker, F_OK) != 0 else { return try peer.answerProperly(call) }
            _ = try File(marker, O_WRONLY | O_CREAT)
            OwnProcess.die(by: SIGKILL)
        },
        Self("keep-never", "Never says that it keeps a version.", "WIRE-28").onKept(.keepVersion) { $0.hold($1) },
        Self("keep-fails", "Cannot keep a version, each time for another reason.", "WIRE-30").onKept(.keepVersion) {
            try $0.failInTurn($1)
        },
        Self("keep-damages-the-snapshot", "Writes into the contents that it is to keep, and keeps them.", "WIRE-22")
            .onKept(.keepVersion) { peer, call in
                let path = call.fields.text(2)
                try peer.keepSide(call)
                try? File(path, O_WRONLY).write(Array("damaged".utf8))
                truncate(path, 3)
                unlink(path)
            },
        Self("keep-and-tell-nothing", "Says that it keeps a version, and never lists it.", "VER-2").onKept(
            .keepVersion
        ) {
            try $0.answer($1, side: try $0.side(from: $1))
            $0.tree.setSides(1)
        },
        Self("keep-and-lose", "Lists what it was given to keep once, and then never again.", "VER-2").onKept(
            .listVersions
        ) { peer, call in
            try peer.answerProperly(call)
            peer.tree.sides = [:]
            peer.tree.setSides(peer.count("lists") == 1 ? 1 : 0)
        },
        Self("remove-never", "Never says that a version is removed.", "WIRE-28").onKept(.removeVersion) { $0.hold($1) },
        Self("remove-fails", "Cannot remove a version, each time for another reason.", "WIRE-30").onKept(
            .removeVersion
        ) { try $0.failInTurn($1) },
        Self("remove-dies", "Dies whenever it is to remove a version.", "WIRE-56").onKept(.removeVersion) { peer, _ in
            try peer.tree.keep(in: peer.stateFolder)
            OwnProcess.die(by: SIGKILL)
        },
        Self("remove-of-another-kind", "Is to remove a version, and lists none.", "WIRE-20").onKept(.removeVersion) {
            try $0.answer($1, as: .listVersions)
        },
    ]

    /// Errors after which nobody asks again by himself, or not before the provider says that it is resolved.
    private static let refusals: [ProviderBehaviour] = [
        refusing("keep-unknown", "Does not know how to keep a version.", .keepVersion, 402),
        refusing("keep-without-room", "Has no room for another version.", .keepVersion, 103),
        refusing("keep-of-nothing", "Knows no document of which it is to keep a version.", .keepVersion, 201),
        refusing("keep-reserved-code", "Does not keep a version, as it has died.", .keepVersion, 501),
        refusing("remove-of-nothing", "Knows no document of which it is to remove a version.", .removeVersion, 201),
        refusing("remove-not-permitted", "Does not permit that a version is removed.", .removeVersion, 406),
        refusing("remove-signed-out", "Removes no version without a sign-in.", .removeVersion, 101),
    ]

    private static func refusing(_ name: String, _ summary: String, _ kind: PeerCall.Kind, _ code: UInt64) -> Self {
        Self(name, summary, "WIRE-30").onKept(kind) { try $0.fail($1, code, "It cannot be done.") }
    }

    private static func answering(
        _ name: String, _ summary: String, _ rule: String, _ change: @escaping @Sendable (inout PeerSide) -> Void
    ) -> Self {
        Self(name, summary, rule).onKept(.keepVersion) { peer, call in
            var side = try peer.side(from: call)
            change(&side)
            try peer.answer(call, side: side)
        }
    }

    /// Deviates at these calls, when somebody else has changed the target just before the host sends a change of it. Says by
    /// marks that it was asked to keep a side, and to remove one that nobody has resolved.
    private func onKept(
        _ kind: PeerCall.Kind, _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        claiming("modifying", "versions")
            .aside { peer, call in
                if peer.count("calls") == 1, let kept = try PeerTree(keptIn: peer.stateFolder) {
                    peer.tree = kept
                    _ = peer.count("changes")
                }
                switch call.kind {
                case .modify where peer.count("changes") == 1:
                    var item = peer.target
                    item.content = Array(peer.tree.fresh().utf8)
                    item.metadata = Array(peer.tree.fresh().utf8)
                    peer.tree.add(item, Array("changed elsewhere\n".utf8))
                    try peer.tree.keep(in: peer.stateFolder)
                case .keepVersion: Marks.leave(peer.count("kept") == 1 ? "kept" : "kept-again")
                case .removeVersion where call.version == PeerSide.others.key: Marks.leave("harmed")
                // No change was sent that would have resolved it.
                case .removeVersion where peer.counts["changes"] == 1:
                    if peer.tree.sides[call.subject]?.last?.key == call.version { Marks.leave("harmed") }
                default: break
                }
                return false
            }
            .on({ $0.kind == kind }) { peer, call in
                peer.press("\(kind)")
                try step(peer, call)
            }
    }
}
