/// What two names have in common that differ only by case or by Unicode form: such names clash (CONT-12).
///
/// The name in normalisation form C, folded by case: through upper case and back, so that “ß” meets “SS” and “ς”
/// meets “Σ”.
package struct FoldedName: Hashable, Sendable {
    /// In normalisation form C, so that equal ones have equal bytes.
    package let text: String

    package init(_ name: ItemName) { self.init(text: name.rawValue) }

    /// A part of a name.
    package init(text: String) {
        var name = text
        // Most names are folded as they are.
        if name.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) {
            self.text = name
            return
        }
        let ascii: String? = name.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { target in
                for (index, byte) in bytes.enumerated() {
                    target[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                }
                return bytes.count
            }
        }
        // Composed before, too: folding looks at what stands beside what.
        self.text = ascii ?? Self.composed(Self.composed(name).uppercased().lowercased())
    }

    private static func composed(_ text: String) -> String {
        String(decoding: text._nfcCodeUnits, as: UTF8.self)
    }
}
