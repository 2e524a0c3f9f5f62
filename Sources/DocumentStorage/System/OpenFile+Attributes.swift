internal import CDocentShims
internal import DocumentModel
internal import Glibc

extension OpenFile {
    func setAttribute(_ attribute: String, to value: [UInt8]) throws {
        let result = kernel(.setAttribute) { docent_fsetxattr(descriptor, attribute, value, value.count, 0) }
        guard result >= 0 else {
            throw DocumentError.system(result, "The attribute \(attribute) of “\(name)” could not be written")
        }
    }

    /// Nil when the file has no such attribute, or one of more than `limit` bytes.
    func attribute(_ attribute: String, limit: Int = 1024) throws -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: limit)
        let result = kernel(.getAttribute) { docent_fgetxattr(descriptor, attribute, &value, limit) }
        if result == -Int(ENODATA) || result == -Int(ERANGE) || result == -Int(EOPNOTSUPP) { return nil }
        guard result >= 0 else {
            throw DocumentError.system(result, "The attribute \(attribute) of “\(name)” could not be read")
        }
        value.removeSubrange(result...)
        return value
    }

    /// Gives it the attributes that other programs have set on another file (tags, for one), where it has none of that name.
    /// What the file system does not take is left out: a document without its tags is better than none.
    func takeForeignAttributes(of other: OpenFile) {
        for name in other.attributeNames where name.hasPrefix("user.") && !name.hasPrefix("user.docent.") {
            guard let value = try? other.attribute(name, limit: 65_536) else { continue }
            // XATTR_CREATE: only a new one.
            _ = kernel(.setAttribute) { docent_fsetxattr(descriptor, name, value, value.count, 1) }
        }
    }

    private var attributeNames: [String] {
        var names = [CChar](repeating: 0, count: 65_536)
        let length = kernel(.getAttribute) { docent_flistxattr(descriptor, &names, names.count) }
        guard length > 0 else { return [] }
        return names[..<length].split(separator: 0).map {
            String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
