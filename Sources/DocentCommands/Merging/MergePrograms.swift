package import DocumentModel
package import DocumentTypes
import SystemPackage

/// Which program merges documents of which type: the user's own choice, a line each (docs/merging.md).
package struct MergePrograms: Hashable, Sendable {
    package struct Rule: Hashable, Sendable {
        /// As it is written: a type, a media type, or an ending.
        package var type: String
        package var program: MergeProgram
        /// Where it is written.
        package var place: String

        /// Whether it is about a document. An ending that stands for no type is about the names that end in it.
        func covers(_ item: Item, _ database: TypeDatabase) throws(DocumentError) -> Bool {
            if type.hasPrefix("."), type.count > 1, database.type(ofDocumentNamed: "x" + type) == .data {
                return item.name?.rawValue.lowercased().hasSuffix(type.lowercased()) ?? false
            }
            do {
                return database.conforms(database.type(of: item), to: try database.type(named: type))
            } catch {
                throw DocumentError(.invalidArgument, "\(place): \(error.message)")
            }
        }
    }

    /// In bytes, of the file.
    private static let most = 1 << 16

    package var rules: [Rule]

    /// - Throws: `invalidArgument` that names the line.
    package init(text: String, from file: String) throws(DocumentError) {
        rules = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" }).map(String.init)
            guard let type = words.first, !type.hasPrefix("#") else { continue }
            let place = "\(file), line \(number + 1)"
            guard words.count > 1, words[1].hasPrefix("/") else {
                throw DocumentError(
                    .invalidArgument,
                    "\(place): after the type “\(type)” comes the whole path of a program, and what it is called with."
                )
            }
            guard words.contains(where: { $0.contains("{result}") }) else {
                throw DocumentError(
                    .invalidArgument,
                    "\(place): the program is not told where its result goes; write {result} there.")
            }
            rules.append(Rule(type: type, program: MergeProgram(words: Array(words.dropFirst())), place: place))
        }
    }

    /// What the user has chosen; nothing when there is no such file.
    static func ofUser() throws(DocumentError) -> MergePrograms {
        guard let file = UserSettings.file("merge-programs") else { return try MergePrograms(text: "", from: "") }
        return try MergePrograms(text: text(of: file), from: file)
    }

    /// Empty when there is no such file.
    ///
    /// - Throws: `localStorage` for one that cannot be read: who has named a program does not want lines merged instead.
    package static func text(of file: String) throws(DocumentError) -> String {
        do {
            let open = try FileDescriptor.open(FilePath(file), .readOnly, options: .closeOnExec)
            return String(decoding: try open.closeAfter { try bytes(of: open) }, as: UTF8.self)
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return ""
        } catch {
            throw DocumentError(
                .localStorage,
                "\(file) cannot be read (\(error)): it says which programs merge; mend it, take it away, or choose with --keep."
            )
        }
    }

    private static func bytes(of file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= most {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        throw Errno.fileTooLarge
    }

    /// The first one that is about the document.
    ///
    /// - Throws: `invalidArgument` that names the line, for a type that cannot be.
    package func program(for item: Item, _ database: TypeDatabase) throws(DocumentError) -> MergeProgram? {
        for rule in rules where try rule.covers(item, database) { return rule.program }
        return nil
    }
}
