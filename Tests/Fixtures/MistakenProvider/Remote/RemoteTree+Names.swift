import DocumentModel
import Foundation

extension RemoteTree {
    /// A name, as it is stored: as it was given, unless that is what is done wrong.
    func stored(_ name: ItemName) -> ItemName {
        let text = name.rawValue
        let changed: String
        switch mistake {
        case .nameComposed: changed = text.precomposedStringWithCanonicalMapping
        case .nameDecomposed: changed = text.decomposedStringWithCanonicalMapping
        case .nameLowerCased: changed = text.lowercased()
        case .nameTruncated:
            changed = text.utf8.count > 64 ? String(decoding: text.utf8.prefix(64), as: UTF8.self) : text
        case .nameTrimmed: changed = String(text.reversed().drop { $0 == " " }.reversed())
        case .nameSanitised: changed = String(text.map { "\\:*?\"<>|".contains($0) ? "_" : $0 })
        default: return name
        }
        return (try? ItemName(changed)) ?? name
    }
}
