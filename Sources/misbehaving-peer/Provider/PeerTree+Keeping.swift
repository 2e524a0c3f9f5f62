import Glibc

/// The documents of a provider whose remote outlives it.
extension PeerTree {
    /// Puts them where the next process of the provider finds them, which goes on with them.
    func keep(in folder: String) throws {
        let bytes = MessageWriter.message { tree in
            tree.number(1, UInt64(made))
            for item in order.compactMap({ items[$0] }) {
                tree.message(2) {
                    $0.bytes(1, item.message)
                    if let bytes = contents[item.key] { $0.bytes(2, bytes) }
                }
            }
        }
        let next = folder + "/tree.next"
        try File(next, O_WRONLY | O_CREAT | O_TRUNC).write(bytes)
        guard rename(next, folder + "/tree") == 0 else {
            throw File.Failure(description: "the documents cannot be kept: errno \(errno)")
        }
    }

    /// - Returns: nil when nothing was kept.
    init?(keptIn folder: String) throws {
        guard access(folder + "/tree", F_OK) == 0 else { return nil }
        guard let kept = MessageReader(try File.contents(of: folder + "/tree")) else { return nil }
        self.init(made: Int(truncatingIfNeeded: kept.number(1)))
        for entry in kept.all(2).compactMap({ MessageReader($0) }) {
            add(PeerItem(entry.message(1)), entry.numbers.contains(2) ? entry.bytes(2) : nil)
        }
    }
}

extension PeerItem {
    /// As it was written.
    init(_ message: MessageReader) {
        self.init(message.text(1), in: message.text(2), named: message.text(3))
        kind = message.number(4)
        size = Int64(bitPattern: message.number(6))
        content = message.message(9).bytes(1)
        metadata = message.message(9).bytes(2)
    }
}
