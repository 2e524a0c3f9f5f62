/// Answers about the room of the remote that cannot be, or do not come.
extension ProviderBehaviour {
    static let quotas: [ProviderBehaviour] = [
        telling("quota-more-than-all", "Says that more room is left than there is.", [(1, 10), (3, 20)]),
        telling("quota-below-zero", "Says that less than nothing is left.", [(1, 10), (3, UInt64(bitPattern: -1))]),
        telling("quota-too-large", "Says that there is room for 2^63 bytes.", [(1, 1 << 63)]),
        telling(
            "quota-full", "Says that more is used than there is, and that some is left.", [(1, 10), (2, 11), (3, 1)]),
        Self("quota-never", "Never answers how much room there is.", "WIRE-28").claiming("quota")
            .on({ $0.kind == .quota }) { _, _ in },
    ]

    private static func telling(_ name: String, _ summary: String, _ numbers: [(Int, UInt64)]) -> Self {
        Self(name, summary, "CONT-13").claiming("quota").on({ $0.kind == .quota }) { peer, call in
            try peer.answer(call) { for (field, bytes) in numbers { $0.number(field, bytes) } }
        }
    }
}
