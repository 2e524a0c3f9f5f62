/// An item as it goes over the wire, with any values.
struct PeerItem {
    static let document: UInt64 = 1
    static let folder: UInt64 = 2

    var id: [UInt8]
    var parent: [UInt8]
    var name: [UInt8]
    var kind = PeerItem.document
    var type = ""
    var size: Int64 = 0
    var seconds: Int64 = 1_700_000_000
    var nanoseconds: UInt64 = 0
    var content: [UInt8] = Array("1".utf8)
    var metadata: [UInt8] = Array("1".utf8)
    /// How many sides of conflicts are kept of it.
    var sides: UInt64 = 0

    init(_ id: String, in parent: String, named name: String, size: Int64 = 0) {
        self.id = Array(id.utf8)
        self.parent = Array(parent.utf8)
        self.name = Array(name.utf8)
        self.size = size
    }

    static func folder(_ id: String, in parent: String, named name: String) -> PeerItem {
        var item = PeerItem(id, in: parent, named: name)
        item.kind = folder
        item.content = []
        return item
    }

    var key: String { String(decoding: id, as: UTF8.self) }

    var message: [UInt8] {
        MessageWriter.message { item in
            item.bytes(1, id)
            if !parent.isEmpty { item.bytes(2, parent) }
            if !name.isEmpty { item.bytes(3, name) }
            item.number(4, kind)
            if !type.isEmpty { item.text(5, type) }
            if size != 0 { item.number(6, UInt64(bitPattern: size)) }
            item.message(7) {
                $0.number(1, UInt64(bitPattern: seconds))
                if nanoseconds != 0 { $0.number(2, nanoseconds) }
            }
            item.message(9) {
                if !content.isEmpty { $0.bytes(1, content) }
                $0.bytes(2, metadata)
            }
            item.message(10) { capabilities in for field in 1...5 { capabilities.number(field, 1) } }
            if sides != 0 { item.number(12, sides) }
        }
    }
}
