/// What of a domain is kept here and not sent (CONT-13): it holds for what the remote does not know, and for nothing else.
public struct IgnoreRules: Hashable, Sendable {
    /// The most patterns that a domain may have.
    public static let mostPatterns = 500

    /// No item lies deeper than this; a path that is longer, as somebody hostile may give, is about none.
    public static let deepest = 512

    /// What programs leave beside documents while they work on them: never of use elsewhere.
    public static let defaults = [
        // LibreOffice, Microsoft Office, vim, Emacs, Kate, GLib.
        ".~lock.*#", "~$*", "*.swp", ".*.sw[a-p]", ".#*", "\\#*#", ".*.kate-swp", ".goutputstream-*",
        // macOS, Windows, the wastebaskets of desktops.
        ".DS_Store", "._*", "Thumbs.db", ".Trash-*",
        // Files that were removed while a program had them open, on NFS and FUSE.
        ".nfs*", ".fuse_hidden*",
    ].compactMap { try? IgnorePattern($0) }

    /// The user's own, in the order in which they count: of those that match, the last one decides.
    public var patterns: [IgnorePattern]
    /// Whether ``defaults`` hold, too; before the user's own.
    public var usesDefaults: Bool

    public init(patterns: [IgnorePattern] = [], usesDefaults: Bool = true) {
        self.patterns = patterns
        self.usesDefaults = usesDefaults
    }

    /// Which rule decides on an item; nil when none matches, and it is sent.
    ///
    /// What is in a folder that is ignored is ignored with it, and no rule about it brings it back, as with git.
    ///
    /// - Parameters:
    ///   - path: from the domain's top folder on; one of more than ``deepest`` names has no rule.
    ///   - isFolder: whether the item is one, or a package.
    public func decision(on path: [ItemName], isFolder: Bool) -> IgnoreDecision? {
        guard path.count <= Self.deepest else { return nil }
        let names = path.map { Array(FoldedName($0).text.unicodeScalars) }
        for length in path.indices.map({ $0 + 1 }) {
            let isLast = length == path.count
            guard let (rule, isDefault) = lastMatch(names[..<length], isFolder: !isLast || isFolder),
                isLast || !rule.isNegated
            else { continue }
            return IgnoreDecision(rule: rule, isDefault: isDefault, path: Array(path[..<length]))
        }
        return nil
    }

    private func lastMatch(
        _ names: ArraySlice<[Unicode.Scalar]>, isFolder: Bool
    ) -> (rule: IgnorePattern, isDefault: Bool)? {
        if let rule = patterns.last(where: { $0.matches(names, isFolder: isFolder) }) { return (rule, false) }
        guard usesDefaults, let rule = Self.defaults.last(where: { $0.matches(names, isFolder: isFolder) }) else {
            return nil
        }
        return (rule, true)
    }
}
