import Glibc

/// Sides of conflicts that other devices have left at the remote, and that cannot be what is said of them.
extension ProviderBehaviour {
    static let sides: [ProviderBehaviour] = listedSides + oddSides + givenSides + counts

    // MARK: What is listed

    private static let listedSides: [ProviderBehaviour] = [
        listing("sides-too-many", "Lists 65 versions of a document.") { sides in
            sides = (0..<65).map {
                var side = PeerSide.others
                side.id = Array("side \($0)".utf8)
                return side
            }
        },
        listing("side-twice", "Lists two versions under one identifier.") { $0 += $0 },
        changing("side-without-identifier", "Lists a version that nothing names.") { $0.id = [] },
        changing("side-of-a-long-identifier", "Lists a version whose identifier has 129 bytes.") {
            $0.id = [UInt8](repeating: UInt8(ascii: "i"), count: 129)
        },
        changing("side-of-an-odd-identifier", "Lists a version whose identifier rewrites the terminal.") {
            $0.id = Array("\u{1B}[2J\u{202E}evil\n".utf8)
        },
        changing("side-identifier-not-text", "Lists a version whose identifier is not UTF-8.") {
            $0.id = [0xFF, 0xFE, 0xC0, 0x80]
        },
        changing("side-of-negative-size", "Lists a version of minus two bytes.") { $0.size = -2 },
        changing("side-without-role", "Lists a version, and does not say as what it is kept.") { $0.role = 0 },
        changing("side-of-an-unknown-role", "Lists a version that is kept as nobody knows what.") { $0.role = 99 },
        changing("side-of-a-short-digest", "Lists a version with a digest of 31 bytes.") { $0.digest.removeLast() },
        changing("side-after-all", "Lists a version of the year 292,277,026,596.") { $0.seconds = .max },
        changing("side-before-all", "Lists a version from before the beginning of time.") { $0.seconds = .min },
        Self("sides-of-another-kind", "Is asked for versions, and answers that one is removed.", "WIRE-20")
            .onSides(.listVersions) { try $0.answer($1, as: .removeVersion) },
        Self("sides-never", "Never lists versions.", "WIRE-28").onSides(.listVersions) { $0.hold($1) },
        Self("sides-die", "Dies whenever it is to list versions.", "WIRE-56").onSides(.listVersions) { _, _ in
            OwnProcess.die(by: SIGKILL)
        },
        Self("sides-fail", "Cannot list versions, each time for another reason.", "WIRE-30").onSides(.listVersions) {
            try $0.failInTurn($1)
        },
        Self("sides-unknown", "Claims to keep versions, and does not know the call.", "WIRE-9").onSides(.listVersions) {
            try $0.fail($1, 402, "This is not known here.")
        },
        Self("sides-of-nothing", "Says of a document that it has listed that there is none.", "WIRE-32").onSides(
            .listVersions
        ) { try $0.fail($1, 201, "There is no such item.") },
    ]

    /// Odd, and allowed.
    private static let oddSides: [ProviderBehaviour] = [
        changing("side-of-an-odd-device", "Lists a version of a device with a name that rewrites the terminal.") {
            $0.savedBy =
                Array("\u{1B}[2J\u{9B}31m\u{202E}".utf8) + [UInt8](repeating: UInt8(ascii: "d"), count: 100_000)
        },
        changing("side-called-as-the-contents", "Lists a version under the name that the contents' version has.") {
            $0.id = Array("1".utf8)
        }
        .preparing { tree in
            var side = PeerSide.others
            side.id = Array("1".utf8)
            tree.keepSide(side, of: PeerTree.target)
        },
        listing("sides-missing", "Says that it keeps sixty sides of a document, and lists none.") { $0 = [] }
            .preparing { $0.setSides(60) },
    ]

    // MARK: What is given

    private static let givenSides: [ProviderBehaviour] = [
        giving("side-half", "Gives half of a version.", "WIRE-40") { peer, call, side in
            try peer.fill(call, Array(side.contents.prefix(6)))
        },
        giving("side-too-long", "Gives more of a version than it says.", "WIRE-36") { peer, call, side in
            try peer.fill(call, side.contents + [1])
        },
        giving("side-of-other-contents", "Gives other contents than those whose digest it has listed.", "VER-2") {
            peer, call, side in
            try peer.fill(call, side.contents.map { $0 ^ 1 })
            side.digest = []
        },
        giving("side-of-another-size", "Gives longer contents than it has listed, and says so.", "VER-2") {
            peer, call, side in
            try peer.fill(call, side.contents + side.contents)
            (side.size, side.digest) = (Int64(2 * side.contents.count), [])
        },
        giving("side-of-exabytes", "Lists a version of eight exabytes, and gives what it has of it.", "WIRE-40") {
            try $0.fill($1, $2.contents)
        }
        .preparing { tree in
            var side = PeerSide.others
            side.size = .max
            tree.keepSide(side, of: PeerTree.target)
        },
        giving("side-of-another-identifier", "Gives a version, and says that it is another one.", "WIRE-34") {
            try $0.fill($1, $2.contents)
            $2.id = Array("another".utf8)
        },
        giving("side-removed", "Removes the staging file of a version.", "WIRE-39") { _, call, _ in
            unlink(call.stagingPath)
        },
        giving("side-is-a-symlink", "Puts a link in the place of a version's staging file.", "WIRE-39") {
            _, call, _ in
            unlink(call.stagingPath)
            symlink("/etc/passwd", call.stagingPath)
        },
        giving("side-still-open", "Keeps a version's staging file open for writing.", "WIRE-22") { peer, call, side in
            let file = try File(call.stagingPath, O_WRONLY)
            try file.write(side.contents)
            peer.kept = file
        },
        giving("side-in-the-wrong-place", "Gives a version, and writes where it may not.", "WIRE-39") {
            $0.writeOutside($1)
            try $0.fill($1, $2.contents)
        },
        Self("side-comes-slowly", "Takes longer for a version than it may be silent, which it may.", "WIRE-28").onSides(
            .provideVersion
        ) { peer, call in
            let file = try File(call.stagingPath, O_WRONLY)
            for byte in PeerSide.others.contents {
                try file.write([byte])
                usleep(500_000)
            }
            // As a provider does that heeds a cancel: nothing else is said to it meanwhile.
            if peer.pipe.hasInput { return try peer.fail(call, 401, "It was cancelled.") }
            try peer.answer(call, side: .others)
        },
        Self("side-then-death", "Dies when half of a version is there.", "WIRE-40").onSides(.provideVersion) {
            try $0.fill($1, [1, 2, 3])
            OwnProcess.die(by: SIGKILL)
        },
        Self("side-stalls", "Gives half of a version, and falls silent.", "WIRE-28").onSides(.provideVersion) {
            try $0.fill($1, [1, 2, 3])
            $0.hold($1)
        },
        Self("side-gone", "Lists a version, and does not have it.", "VER-2").onSides(.provideVersion) {
            try $0.fail($1, 205, "It is not kept any more.")
        },
        Self("side-of-another-kind", "Is to give a version, and says that it keeps it.", "WIRE-20").onSides(
            .provideVersion
        ) {
            try $0.fill($1, PeerSide.others.contents)
            try $0.answer($1, as: .keepVersion, side: .others)
        },
    ]

    // MARK: How many there are

    private static let counts: [ProviderBehaviour] = [
        counting("sides-beyond-number", "Says that it keeps 2^31 sides of a document.", 1 << 31),
        counting("sides-below-zero", "Says that it keeps minus one side of a document.", UInt64(bitPattern: -1)),
        Self("sides-storm", "Has changed whenever it is asked what it keeps, and says so at once.", "WIRE-26")
            .claiming("modifying", "versions", "changes")
            .preparing { $0.keepSide(.others, of: PeerTree.target) }
            .aside { peer, call in
                let item = peer.target
                switch call.kind {
                case .currentAnchor: try peer.answer(call) { $0.bytes(1, item.metadata) }
                case .changesSince:
                    try peer.answer(call) {
                        if call.anchor != item.metadata { $0.bytes(1, item.message) }
                        $0.bytes(3, item.metadata)
                    }
                default: return false
                }
                return true
            }
            .on({ $0.kind == .listVersions }) { peer, call in
                peer.press("lists")
                try peer.answer(call, sides: peer.tree.sides[PeerTree.target] ?? [])
                peer.tree.setSides(peer.target.sides == 1 ? 2 : 1)
                try peer.pipe.send(peer.notify(1))
            },
    ]

    private static func counting(_ name: String, _ summary: String, _ count: UInt64) -> Self {
        Self(name, summary, "VER-2").claiming("modifying", "versions").preparing { $0.setSides(count) }
            .on({ $0.listsTop }) { try $0.answerProperly($1) }
    }

    /// Lists other versions than it keeps.
    private static func listing(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (inout [PeerSide]) -> Void
    ) -> Self {
        Self(name, summary, "VER-2").onSides(.listVersions) { peer, call in
            var sides = peer.tree.sides[call.subject] ?? []
            change(&sides)
            try peer.answer(call, sides: sides)
        }
    }

    private static func changing(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (inout PeerSide) -> Void
    ) -> Self {
        listing(name, summary) { sides in for index in sides.indices { change(&sides[index]) } }
    }

    /// Fills a version's staging file in some way, and answers with what it says of it then.
    private static func giving(
        _ name: String, _ summary: String, _ rule: String,
        _ step: @escaping @Sendable (ProviderPeer, PeerCall, inout PeerSide) throws -> Void
    ) -> Self {
        Self(name, summary, rule).onSides(.provideVersion) { peer, call in
            var side = peer.tree.sides[call.subject]?.first ?? .others
            try step(peer, call, &side)
            try peer.answer(call, side: side)
        }
    }

    /// Keeps another device's side of the target, and deviates at these calls.
    private func onSides(
        _ kind: PeerCall.Kind, _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        claiming("modifying", "versions").preparing { $0.keepSide(.others, of: PeerTree.target) }
            .on({ $0.kind == kind }) { peer, call in
                peer.press("\(kind)")
                try step(peer, call)
            }
    }
}

extension PeerTree {
    /// Says that there are so many, whatever there is.
    mutating func setSides(_ count: UInt64) {
        guard var item = items[Self.target] else { return }
        item.sides = count
        item.metadata = Array(fresh().utf8)
        add(item)
    }
}

extension ProviderPeer {
    /// Answers a call with the answer of another kind.
    func answer(_ call: PeerCall, as kind: PeerCall.Kind, side: PeerSide? = nil) throws {
        open.remove(call.id)
        try pipe.send(.answer(call.id, answerBody(kind) { if let side { $0.bytes(1, side.message) } }))
    }

    /// Fails with codes after which it may be asked again, one after the other.
    func failInTurn(_ call: PeerCall) throws {
        let codes: [UInt64] = [301, 302, 399, 303, 102, 103]
        try fail(call, codes[(count("failures") - 1) % codes.count], "It cannot be done now.")
    }

    /// Leaves a mark when it is asked the same more often than anybody has a reason to.
    func press(_ name: String) {
        if count("pressed \(name)") > 20 { Marks.leave("pressed") }
    }
}
