package import DocumentModel

/// What a materialised file carries in `user.docent.item`, so that it is recognised when the index was not told of it
/// any more: written before the file gets its name in the tree.
package struct ItemStamp: Hashable, Sendable {
    /// The attribute's name.
    package static let attribute = "user.docent.item"

    package var domain: DomainName
    /// The identifier, or its digest where it is too long for an attribute.
    private var idBytes: [UInt8]
    package var contentVersion: [UInt8]
    package var size: Int64
    package var modified: Timestamp

    package init(
        domain: DomainName, id: ItemIdentifier, contentVersion: [UInt8], size: Int64, modified: Timestamp
    ) {
        self.domain = domain
        self.idBytes = Self.bytes(of: id)
        self.contentVersion = contentVersion
        self.size = size
        self.modified = modified
    }

    package func isOf(_ id: ItemIdentifier, in domain: DomainName) -> Bool {
        self.domain == domain && idBytes == Self.bytes(of: id)
    }

    /// The identifier, when it is one of an item that its provider does not know yet.
    var arrivingID: ItemIdentifier? {
        guard idBytes.first == 0, let text = String(validating: idBytes.dropFirst(), as: UTF8.self),
            let id = try? ItemIdentifier(text), id.isArriving
        else { return nil }
        return id
    }

    /// The identifier of another one than those, where it is not too long to be in an attribute.
    var itemID: ItemIdentifier? {
        guard idBytes.first == 0, let text = String(validating: idBytes.dropFirst(), as: UTF8.self) else { return nil }
        return try? ItemIdentifier(text)
    }

    /// Whether the file is what it was when it was stamped.
    package func matches(_ file: FileIdentity) -> Bool {
        size == file.size && modified == file.modified
    }

    /// ext4 keeps all attributes of a file in one block of 4 KiB, and small ones in the inode itself.
    private static func bytes(of id: ItemIdentifier) -> [UInt8] {
        let bytes = Array(id.rawValue.utf8)
        if bytes.count <= 200 { return [0] + bytes }
        var digest = Digest()
        digest.add(bytes)
        return [1] + digest.finish()
    }

    // MARK: Coding

    private static let version: UInt8 = 1

    /// A version, then domain, identifier and content version, each behind its length, then size, seconds and
    /// nanoseconds, little-endian.
    var bytes: [UInt8] {
        var bytes = [Self.version]
        for part in [Array(domain.rawValue.utf8), idBytes, contentVersion] {
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes += part
        }
        withUnsafeBytes(of: size.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: modified.seconds.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: modified.nanoseconds.littleEndian) { bytes += $0 }
        return bytes
    }

    /// Nil for anything that this version has not written.
    init?(bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.popFirst() == Self.version else { return nil }
        func part() -> [UInt8]? {
            guard let count = rest.popFirst(), rest.count >= Int(count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Array(rest.prefix(Int(count)))
        }
        func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            let width = MemoryLayout<Number>.size
            guard rest.count >= width else { return nil }
            defer { rest = rest.dropFirst(width) }
            return rest.prefix(width).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        }
        guard let domain = part().flatMap({ String(validating: $0, as: UTF8.self) }).flatMap({ try? DomainName($0) }),
            let idBytes = part(), !idBytes.isEmpty, let contentVersion = part(),
            let size = number(Int64.self), let seconds = number(Int64.self), let nanoseconds = number(UInt32.self),
            rest.isEmpty
        else { return nil }
        self.domain = domain
        self.idBytes = idBytes
        self.contentVersion = contentVersion
        self.size = size
        self.modified = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
