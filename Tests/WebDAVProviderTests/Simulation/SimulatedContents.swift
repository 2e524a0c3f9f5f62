/// Contents as bytes: a number that was written once, and an end that says that nothing of it is missing.
enum SimulatedContents {
    /// Set where contents are not whole.
    static let damage: UInt64 = 1 << 62
    private static let end = " end\n"

    /// - Parameter padding: makes them that much longer.
    static func bytes(_ number: UInt64, padding: Int = 0) -> [UInt8] {
        let text = "contents \(number) "
        let dots = String(repeating: ".", count: max(0, 40 - text.utf8.count) + padding)
        return Array((text + dots + end).utf8)
    }

    static func number(_ bytes: [UInt8]) -> UInt64 {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.split(separator: " ")
        guard words.count >= 3, let number = UInt64(words[1]) else { return damage }
        return text.hasSuffix(end) ? number : number | damage
    }
}
