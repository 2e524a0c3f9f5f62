package import DocumentModel
import Glibc

/// Whom documents are not brought for: an executable, a user, or a control group.
package enum DownloadRule: Hashable, Sendable {
    /// By the name of its executable or script; with a slash, by the executable's whole path.
    case program(String)
    /// By number; nil: nobody has that name.
    case user(UInt32?)
    /// Those in a control group, and in all below it: the names of its last folders, such as a unit's of systemd, or with a
    /// slash at the beginning its whole path. `*` and `?` stand for what they do in a shell.
    case cgroup([String], isWhole: Bool)

    /// From `program NAME`, `user NAME` or `cgroup NAME`; a name alone is a program's. Users are looked up here, which may
    /// take its time.
    ///
    /// - Throws: ``DocumentError``: `invalidArgument`.
    package init(_ text: String) throws(DocumentError) {
        let words = text.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
        let value = words.count > 1 ? words[1].trimmed : Substring()
        switch (words.first, value.isEmpty) {
        case (nil, _): throw Self.unclear(text)
        case ("program", false): self = .program(String(value))
        case ("user", false): self = .user(UInt32(value) ?? Self.number(of: String(value)))
        case ("cgroup", false):
            let names = value.split(separator: "/").map(String.init)
            guard !names.isEmpty else { throw Self.unclear(text) }
            self = .cgroup(names, isWhole: value.hasPrefix("/"))
        case (.some(let name), true): self = .program(String(name))
        default: throw Self.unclear(text)
        }
    }

    private static func unclear(_ text: String) -> DocumentError {
        DocumentError(
            .invalidArgument,
            "“\(ItemName.printable(text))” does not say for whom documents are not to be brought: write “program NAME”, “user NAME” or “cgroup NAME”."
        )
    }

    /// A line each; empty ones and those that begin with `#` say nothing.
    ///
    /// - Parameter file: where the text is from, for the error that names the line.
    /// - Throws: ``DocumentError``: `invalidArgument`.
    package static func rules(in text: String, of file: String) throws(DocumentError) -> [DownloadRule] {
        var rules: [DownloadRule] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let line = line.trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do {
                rules.append(try DownloadRule(String(line)))
            } catch {
                throw error.wrapped("\(file), line \(number + 1), cannot be understood.")
            }
        }
        return rules
    }

    /// Whether a process is one of those.
    package func covers(_ asking: AskingProcess) -> Bool {
        switch self {
        case .program(let name): asking.isProgram(name)
        case .user(let number): number != nil && asking.user == number
        case .cgroup(let names, let isWhole):
            asking.cgroups.contains { group in
                let first = isWhole ? 0...0 : 0...max(group.count - names.count, 0)
                return group.count >= names.count
                    && first.contains { start in
                        zip(names, group[start...]).allSatisfy { fnmatch($0, $1, 0) == 0 }
                    }
            }
        }
    }

    private static func number(of user: String) -> UInt32? {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        return getpwnam_r(user, &entry, &buffer, buffer.count, &found) == 0 ? found?.pointee.pw_uid : nil
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let rest = drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return Substring() }
        return rest[...last]
    }
}
