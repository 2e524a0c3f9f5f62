/// The documents of a provider that has nothing else to do: known in advance, so that a judge knows them too.
struct PeerTree {
    static let root = "/"
    /// What the behaviours deviate on; everything else is provided properly.
    static let target = "target"
    static let targetSize = 131_072
    /// So large that a host asks for it part by part.
    static let largeSize = 20 << 20 | 5

    private(set) var items: [String: PeerItem] = [:]
    private(set) var contents: [String: [UInt8]] = [:]
    /// In the order of their making.
    private(set) var order: [String] = []
    private(set) var made = 0
    /// What is kept of documents beside their contents.
    var sides: [String: [PeerSide]] = [:]

    /// Nothing as yet.
    init(made: Int) { self.made = made }

    init() {
        add(PeerItem.folder(Self.root, in: "", named: ""))
        add(PeerItem("good", in: Self.root, named: "good.txt"), Array("good\n".utf8))
        add(PeerItem(Self.target, in: Self.root, named: "target.txt"), Self.pattern(Self.targetSize))
        add(PeerItem.folder("folder", in: Self.root, named: "folder"))
        add(PeerItem("inner", in: "folder", named: "inner.txt"), Array("inner\n".utf8))
    }

    /// Letters that repeat at no power of two.
    static func pattern(_ count: Int) -> [UInt8] {
        let block = (0..<23 * 1024).map { UInt8(ascii: "a") + UInt8($0 % 23) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes.append(contentsOf: block.prefix(count - bytes.count)) }
        return bytes
    }

    func children(of folder: String) -> [PeerItem] {
        order.compactMap { items[$0] }.filter { String(decoding: $0.parent, as: UTF8.self) == folder }
    }

    mutating func add(_ item: PeerItem, _ bytes: [UInt8]? = nil) {
        var item = item
        if let bytes {
            item.size = Int64(bytes.count)
            contents[item.key] = bytes
        }
        if items.updateValue(item, forKey: item.key) == nil { order.append(item.key) }
    }

    mutating func remove(_ id: String) {
        items[id] = nil
        contents[id] = nil
        order.removeAll { $0 == id }
    }

    /// A name for a new item or version.
    mutating func fresh() -> String {
        made += 1
        return "made-\(made)"
    }
}
