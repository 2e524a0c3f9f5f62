import ArgumentParser
import DocumentModel
import DocumentMount
import DocumentTypes
import Glibc
import SystemPackage

/// Turns what was typed into values; what makes no sense is wrong usage (exit code 64).
enum Arguments {
    static func location(_ text: String) throws -> Location {
        try checked { () throws(DocumentError) in try Location(text) }
    }

    /// What is written as a location is one, unless there is a local file of that name; nil for a local file.
    static func locationUnlessFile(_ text: String) -> Location? {
        guard let location = try? Location(text) else { return nil }
        var status = stat()
        return text.contains(":/") || lstat(text, &status) != 0 ? location : nil
    }

    /// What reads an option's number. Where one below nought is to be told, and not taken for another option, the option parses
    /// `unconditional`.
    static func number<Number: FixedWidthInteger & Sendable>(
        _ option: String, _ range: ClosedRange<Number>, of unit: String? = nil, or word: String? = nil
    ) -> @Sendable (String) throws -> Number {
        { text in
            guard let number = Number(text), range.contains(number) else {
                throw ValidationError(
                    "“\(ItemName.printable(text))” is nothing for \(option): write a number\(unit.map { " of \($0)" } ?? "") from \(range.lowerBound) to \(range.upperBound)\(word.map { ", or \($0)" } ?? "")."
                )
            }
            return number
        }
    }

    static func domain(_ text: String) throws -> DomainName {
        try checked { () throws(DocumentError) in try DomainName(text) }
    }

    static func provider(_ text: String) throws -> ProviderIdentifier {
        try checked { () throws(DocumentError) in try ProviderIdentifier(text) }
    }

    static func tool(_ text: String) throws -> ToolIdentifier {
        try checked { () throws(DocumentError) in try ToolIdentifier(text) }
    }

    static func container(_ text: String) throws -> ContainerIdentifier {
        try checked { () throws(DocumentError) in try ContainerIdentifier(text) }
    }

    static func bookmarkIdentifier(_ text: String) throws -> BookmarkIdentifier {
        try checked { () throws(DocumentError) in try BookmarkIdentifier(text) }
    }

    /// - Parameter word: `-` for one that is on standard input.
    static func bookmark(_ word: String) throws -> Bookmark {
        let text = word == "-" ? readLine() ?? "" : word
        return try checked { () throws(DocumentError) in try Bookmark(text: text) }
    }

    static func projectName(_ text: String) throws -> ProjectName {
        try checked { () throws(DocumentError) in try ProjectName(text) }
    }

    static func mode(_ text: String) throws -> PickerMode {
        if let mode = PickerMode(rawValue: text) { return mode }
        throw ValidationError("“\(text)” is not a mode: write open, import, export or move.")
    }

    static func type(_ text: String, _ database: TypeDatabase) throws -> ContentType {
        try checked { () throws(DocumentError) in try database.type(named: text) }
    }

    static func name(_ text: String) throws -> ItemName {
        try checked { () throws(DocumentError) in try ItemName(text) }
    }

    static func pattern(_ text: String) throws -> IgnorePattern {
        try checked { () throws(DocumentError) in try IgnorePattern(text) }
    }

    static func downloadRule(_ text: String) throws -> DownloadRule {
        try checked { () throws(DocumentError) in try DownloadRule(text) }
    }

    static func resolution(_ text: String) throws -> ConflictResolution {
        if let resolution = ConflictResolution(rawValue: text) { return resolution }
        throw ValidationError("“\(text)” is not a way to end a conflict: write local, remote or both.")
    }

    /// `key=value`.
    static func setting(_ text: String) throws -> Setting {
        guard let separator = text.firstIndex(of: "="), separator != text.startIndex else {
            throw ValidationError("“\(text)” is not a setting: write it as key=value.")
        }
        return Setting(key: String(text[..<separator]), value: String(text[text.index(after: separator)...]))
    }

    struct Setting: Sendable {
        var key: String
        var value: String
    }

    /// A path as a person writes it, made absolute: `~` is the home folder, and what is relative begins here. Links
    /// and dots are resolved as far as the path exists.
    static func absolutePath(_ text: String) throws -> String {
        var path = text
        if path == "~" || path.hasPrefix("~/") {
            guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
                throw ValidationError("“\(text)” begins with ~, and HOME is not set: write the whole path.")
            }
            path = home + path.dropFirst()
        }
        if let resolved = realpath(path.isEmpty ? "." : path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        if path.hasPrefix("/") { return FilePath(path).lexicallyNormalized().string }
        guard let folder = realpath(".", nil) else {
            throw ValidationError("The current folder is gone: write the whole path instead of “\(text)”.")
        }
        defer { free(folder) }
        return FilePath(String(cString: folder)).pushing(FilePath(path)).lexicallyNormalized().string
    }

    private static func checked<Value>(_ body: () throws(DocumentError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw ValidationError(error.message)
        }
    }
}
