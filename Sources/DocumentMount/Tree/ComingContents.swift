import Synchronization

/// The contents of a document that is read while they come (DOWN-10): what of them is known to be here.
final class ComingContents: Sendable {
    /// Has bytes brought.
    ///
    /// - Returns: whether all of the document is here by now.
    typealias Bring = @Sendable (Range<Int64>) async throws -> Bool

    /// What is asked for at once: a program reads on, mostly.
    private static let block: Int64 = 1 << 20

    private struct State {
        var here: Set<Int64> = []
        var isWhole = false
    }

    private let state = Mutex(State())
    private let size: Int64
    private let bring: Bring

    /// - Parameter size: of all, in bytes; behind it there is nothing to be brought.
    init(size: Int64, _ bring: @escaping Bring) {
        self.size = max(size, 0)
        self.bring = bring
    }

    /// Whether all is known to be here.
    var isWhole: Bool { state.withLock { $0.isWhole } }

    func has(_ range: Range<Int64>) -> Bool {
        let blocks = blocks(of: range)
        return state.withLock { state in state.isWhole || blocks.allSatisfy(state.here.contains) }
    }

    /// Returns when these bytes are here.
    func bring(_ range: Range<Int64>) async throws {
        for block in blocks(of: range) where !state.withLock({ $0.isWhole || $0.here.contains(block) }) {
            let isWhole = try await bring(block * Self.block..<min((block + 1) * Self.block, size))
            state.withLock { state in
                state.here.insert(block)
                if isWhole { state.isWhole = true }
            }
        }
    }

    private func blocks(of range: Range<Int64>) -> Range<Int64> {
        let range = range.clamped(to: 0..<size)
        guard !range.isEmpty else { return 0..<0 }
        return range.lowerBound / Self.block..<(range.upperBound - 1) / Self.block + 1
    }
}
