/// A version of a document that the remote keeps beside its contents, as it goes over the wire, with any values.
struct PeerSide {
    static let conflict: UInt64 = 1
    static let older: UInt64 = 2

    var id: [UInt8]
    var role = conflict
    var size: Int64
    var seconds: Int64 = 1_700_000_000
    var savedBy: [UInt8] = Array("another device".utf8)
    var digest: [UInt8]
    let contents: [UInt8]
    /// Of the call that gave it.
    var operation = ""

    init(_ id: String, _ contents: [UInt8], digest: [UInt8]) {
        self.id = Array(id.utf8)
        self.contents = contents
        self.digest = digest
        size = Int64(contents.count)
    }

    /// What another device has left.
    static let others = PeerSide("others", Array("another side\n".utf8), digest: othersDigest)
    /// SHA-256.
    private static let othersDigest: [UInt8] = [
        0x66, 0xC4, 0xA8, 0x64, 0xD6, 0x8A, 0xA8, 0x19, 0xC3, 0x6E, 0x58, 0x35, 0x13, 0xBF, 0x20, 0x88, 0x04, 0x05,
        0x0B, 0xDB, 0x3B, 0x80, 0xD3, 0x02, 0x83, 0xE6, 0x20, 0x46, 0x96, 0x0B, 0x82, 0x1C,
    ]

    var key: String { String(decoding: id, as: UTF8.self) }

    var message: [UInt8] {
        MessageWriter.message { side in
            if !id.isEmpty { side.bytes(1, id) }
            if role != 0 { side.number(2, role) }
            if size != 0 { side.number(3, UInt64(bitPattern: size)) }
            side.message(4) { $0.number(1, UInt64(bitPattern: seconds)) }
            if !savedBy.isEmpty { side.bytes(5, savedBy) }
            if !digest.isEmpty { side.bytes(6, digest) }
        }
    }
}

extension PeerTree {
    mutating func keepSide(_ side: PeerSide, of id: String) {
        sides[id, default: []].append(side)
        countSides(of: id)
    }

    mutating func removeSide(_ side: String, of id: String) {
        sides[id]?.removeAll { $0.key == side }
        countSides(of: id)
    }

    /// The item says how many there are, and is another version for that.
    private mutating func countSides(of id: String) {
        guard var item = items[id] else { return }
        item.sides = UInt64(sides[id]?.count ?? 0)
        item.metadata = Array(fresh().utf8)
        add(item)
    }
}

extension ProviderPeer {
    func answer(_ call: PeerCall, sides: [PeerSide]) throws {
        try answer(call) { for side in sides { $0.bytes(1, side.message) } }
    }

    func answer(_ call: PeerCall, side: PeerSide) throws {
        try answer(call, sides: [side])
    }

    func provideSide(_ call: PeerCall) throws {
        guard let side = tree.sides[call.subject]?.first(where: { $0.key == call.version }) else {
            return try fail(call, 205, "It is not kept any more.")
        }
        try fill(call, side.contents)
        try answer(call, side: side)
    }

    func keepSide(_ call: PeerCall) throws {
        if let kept = tree.sides[call.subject]?.first(where: { $0.operation == call.fields.text(7) }) {
            return try answer(call, side: kept)
        }
        let side = try side(from: call)
        tree.keepSide(side, of: call.subject)
        try answer(call, side: side)
    }

    /// What is to be kept.
    func side(from call: PeerCall) throws -> PeerSide {
        var side = PeerSide(
            tree.fresh(), try File.contents(of: call.fields.text(2)), digest: call.fields.bytes(6))
        side.role = call.fields.number(3)
        side.seconds = Int64(bitPattern: call.fields.message(4).number(1))
        side.savedBy = call.fields.bytes(5)
        side.operation = call.fields.text(7)
        return side
    }
}
