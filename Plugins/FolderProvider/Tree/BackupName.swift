/// Tells an editor's backup of a file from its name.
enum BackupName {
    /// Whether a name is one that editors give to what was there before they saved: `a.txt~`, `a.txt.bak`,
    /// `a.txt.~3~`, `.a.txt.old`.
    static func isBackup(_ name: EntryName, of original: EntryName) -> Bool {
        let original = Array(original.rawValue.utf8)
        var name = ArraySlice(Array(name.rawValue.utf8))
        if name.first == UInt8(ascii: "."), original.first != UInt8(ascii: ".") { name = name.dropFirst() }
        guard name.starts(with: original) else { return false }
        let suffix = Array(name.dropFirst(original.count))
        return suffixes.contains(suffix) || isNumbered(suffix)
    }

    private static let suffixes = ["~", ".bak", ".BAK", ".orig", ".old", ".backup", ".save"].map { Array($0.utf8) }

    private static func isNumbered(_ suffix: [UInt8]) -> Bool {
        guard suffix.count >= 4, suffix.starts(with: ".~".utf8), suffix.last == UInt8(ascii: "~") else { return false }
        return suffix.dropFirst(2).dropLast().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
