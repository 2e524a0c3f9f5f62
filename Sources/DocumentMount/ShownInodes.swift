import DocumentModel

/// What programs are told as the numbers of files and folders: a pure state machine.
///
/// Each item has one of its own, of its identifier. It is shown by another one when that one is taken, by what had the identifier
/// before and was moved, or is still open: programs take two names with one number for one file. And what is made here keeps the
/// one that it was made with, when its provider gives it an identifier.
struct ShownInodes: Sendable {
    /// More are not kept: they begin anew.
    private static let mostKept = 100_000

    /// Those of what the kernel knows.
    private var taken: Set<UInt64> = []
    /// By the number that an item has of its own: the other one that it was last shown by.
    private var kept: [UInt64: UInt64] = [:]

    /// What something that the kernel knows is shown by.
    ///
    /// - Parameters:
    ///   - inode: the item's own.
    ///   - shown: what it is shown by already, if it is.
    @discardableResult
    mutating func show(_ inode: UInt64, as shown: UInt64?) -> UInt64 {
        let shown = shown ?? free(inode)
        taken.insert(shown)
        keep(inode, as: shown)
        return shown
    }

    /// What items of one listing are shown by that the kernel does not know: each by another number, which it keeps when the
    /// kernel is told of it.
    mutating func list(_ inodes: [UInt64]) -> [UInt64] {
        var listed: Set<UInt64> = []
        return inodes.map { inode in
            let shown = free(inode, besides: listed)
            listed.insert(shown)
            keep(inode, as: shown)
            return shown
        }
    }

    private mutating func keep(_ inode: UInt64, as shown: UInt64) {
        if kept.count >= Self.mostKept { kept = [:] }
        kept[inode] = shown == inode ? nil : shown
    }

    /// The kernel does not know any more what was shown by it.
    mutating func forget(_ shown: UInt64) { taken.remove(shown) }

    private func free(_ inode: UInt64, besides listed: Set<UInt64> = []) -> UInt64 {
        var number = kept[inode] ?? inode
        while taken.contains(number) || listed.contains(number) {
            number = max(StableHash(withUnsafeBytes(of: number.littleEndian) { Array($0) }).value, 2)
        }
        return number
    }
}
