/// The names of files that this provider makes in the provided folder for a moment, and of the folder of ``VersionsFolder``.
/// They are never listed.
enum TemporaryName {
    private static let prefix = ".docent-tmp-"

    static func isTemporary(_ name: some Collection<UInt8>) -> Bool {
        name.starts(with: prefix.utf8) || name.elementsEqual(VersionsFolder.name.utf8)
    }

    static func isTemporary(_ name: String) -> Bool {
        isTemporary(name.utf8)
    }

    /// - Parameter tag: tells one provider's files from another's.
    static func fresh(tag: String) -> String {
        prefix + tag + "-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    static func isTemporary(_ name: String, tag: String) -> Bool {
        name.utf8.starts(with: (prefix + tag + "-").utf8)
    }
}
