package import DocumentModel
package import DocumentTypes
import SystemPackage

/// Which program merges documents of which type: the user's own choice, a line each (docs/merging.md).
package struct MergePrograms: Hashable, Sendable {
    package struct Rule: Hashable, Sendable {
        /// As it is written: a type, a media type, or an ending.
        package var type: String
        package var program: MergeProgram
    }

    package var rules: [Rule]

    /// - Throws: `invalidArgument` that names the line.
    package init(text: String, from file: String) throws(DocumentError) {
        rules = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" }).map(String.init)
            guard let type = words.first, !type.hasPrefix("#") else { continue }
            guard words.count > 1, words[1].hasPrefix("/") else {
                throw DocumentError(
                    .invalidArgument,
                    "\(file), line \(number + 1): after the type “\(type)” comes the whole path of a program, and what it is called with."
                )
            }
            guard words.contains(where: { $0.contains("{result}") }) else {
                throw DocumentError(
                    .invalidArgument,
                    "\(file), line \(number + 1): the program is not told where its result goes; write {result} there.")
            }
            rules.append(Rule(type: type, program: MergeProgram(words: Array(words.dropFirst()))))
        }
    }

    /// What the user has chosen; nothing when there is no such file.
    static func ofUser() throws(DocumentError) -> MergePrograms {
        guard let file = UserSettings.file("merge-programs") else { return try MergePrograms(text: "", from: "") }
        return try MergePrograms(text: read(file) ?? "", from: file)
    }

    /// - Returns: nil when there is no such file.
    private static func read(_ file: String) -> String? {
        guard let open = try? FileDescriptor.open(FilePath(file), .readOnly) else { return nil }
        let bytes = try? open.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = try open.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first one whose type the document conforms to.
    ///
    /// - Throws: for a type that nobody knows.
    package func program(for type: ContentType, _ database: TypeDatabase) throws(DocumentError) -> MergeProgram? {
        for rule in rules where database.conforms(type, to: try database.type(named: rule.type)) {
            return rule.program
        }
        return nil
    }
}
