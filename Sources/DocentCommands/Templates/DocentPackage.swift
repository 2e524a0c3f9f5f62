package import DocumentModel

/// Where a Swift provider gets Docent's package from: a folder or a repository.
package struct DocentPackage: Hashable, Sendable {
    /// As SwiftPM calls it: the last part of where it is.
    package let identity: String
    /// The line in `Package.swift`.
    package let dependency: String

    /// - Parameter place: an absolute path, or a URL.
    /// - Throws: `invalidArgument` for what is neither.
    package init(_ place: String) throws(DocumentError) {
        let isPath = place.hasPrefix("/")
        let last = place.split(separator: "/").last.map { String($0) } ?? ""
        let name = last.hasSuffix(".git") ? String(last.dropLast(4)) : last
        let isSafe = place.utf8.allSatisfy {
            $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isSafe || isPath, !name.isEmpty, isPath || place.contains("://") || place.hasPrefix("git@") else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(place))” is no place of Docent's package: give an absolute path or a URL.")
        }
        let literal = place.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        identity = name.lowercased().map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        dependency =
            isPath ? ".package(path: \"\(literal)\")" : ".package(url: \"\(literal)\", branch: \"main\")"
    }
}
