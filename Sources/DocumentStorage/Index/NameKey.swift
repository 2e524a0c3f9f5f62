internal import DocumentModel
internal import Foundation

/// What two names have in common that differ only by case or by Unicode form: such names clash (CONT-12).
///
/// The name in normalisation form C, folded by case: through upper case and back, so that “ß” meets “SS” and “ς”
/// meets “Σ”.
enum NameKey {
    static func key(of name: ItemName) -> String {
        var name = name.rawValue
        let ascii: String? = name.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { target in
                for (index, byte) in bytes.enumerated() {
                    target[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                }
                return bytes.count
            }
        }
        if let ascii { return ascii }
        return name.precomposedStringWithCanonicalMapping.uppercased().lowercased()
            .precomposedStringWithCanonicalMapping
    }
}
