import DocumentModel
import Glibc
import SystemPackage

/// A project that works as it is, which new providers begin as: files below a folder beside the executable.
struct ProviderTemplate: Sendable {
    private let folder: FilePath
    private let language: TemplateLanguage

    /// - Parameter templates: the folder of all templates, as `scripts/lib/templates.sh` lays it out.
    init(_ language: TemplateLanguage, templates: FilePath) {
        self.language = language
        folder = templates
    }

    /// Where the templates lie beside this program.
    ///
    /// - Throws: `notConfigured` when they do not.
    static func installed() throws(DocumentError) -> FilePath {
        var folder = FilePath()
        if let own = realpath("/proc/self/exe", nil) {
            folder = FilePath(String(cString: own)).removingLastComponent().appending("templates")
            free(own)
        }
        guard access(folder.string, R_OK | X_OK) == 0 else {
            throw DocumentError(
                .notConfigured,
                "There are no templates in \(folder): install Docent with scripts/install, or build it with scripts/build."
            )
        }
        return folder
    }

    /// Where a Swift project gets Docent's package from, unless it is told.
    func defaultPackage() throws(DocumentError) -> String {
        let place = try Self.read(folder.appending("docent-package"))
        return String(decoding: place, as: UTF8.self).split(separator: "\n").first.map { String($0) } ?? ""
    }

    /// Makes the project.
    ///
    /// - Parameter parent: an existing folder; the project becomes a new one in it.
    /// - Returns: the project's folder.
    /// - Throws: `destinationExists` when something has that name already; nothing is changed then.
    func make(
        _ name: ProjectName, in parent: FilePath, docent: DocentPackage
    ) throws(DocumentError) -> FilePath {
        let words = language.words(for: name, docent: docent)
        var files: [ProjectFile] = []
        for line in try Self.read(folder.appending("\(language.rawValue).contents")).split(
            separator: UInt8(ascii: "\n"))
        {
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let mode = UInt16(parts[0], radix: 8) else {
                throw DocumentError(
                    .notConfigured, "The templates in \(folder) are damaged: install Docent anew.")
            }
            let source = folder.appending(language.rawValue).pushing(FilePath(String(parts[1])))
            let text = String(decoding: try Self.read(source), as: UTF8.self)
            files.append(
                ProjectFile(
                    path: replaced(String(parts[1]), words), mode: FilePermissions(rawValue: CModeT(mode)),
                    text: replaced(text, words)))
        }
        let project = parent.appending(name.folder)
        if mkdir(project.string, 0o777) != 0 {
            let problem = Errno(rawValue: errno)
            guard problem == .fileExists else {
                throw DocumentError(
                    .localStorage,
                    "The folder \(project) cannot be made (\(problem)): choose another one with --folder.")
            }
            throw DocumentError(
                .destinationExists, "\(project) is there already: choose another name, or another --folder.")
        }
        for file in files { try file.write(below: project) }
        return project
    }

    private func replaced(_ text: String, _ words: [(template: String, project: String)]) -> String {
        var text = text[...]
        var result = ""
        while !text.isEmpty {
            if let word = words.first(where: { text.hasPrefix($0.template) }) {
                result += word.project
                text = text.dropFirst(word.template.count)
            } else {
                result.append(text.removeFirst())
            }
        }
        return result
    }

    private static func read(_ path: FilePath) throws(DocumentError) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            return try file.closeAfter {
                let size = Int(try file.seek(offset: 0, from: .end))
                try file.seek(offset: 0, from: .start)
                return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                    while count < size {
                        let read = try file.read(
                            into: UnsafeMutableRawBufferPointer(
                                rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
                        if read == 0 { break }
                        count += read
                    }
                }
            }
        } catch {
            throw DocumentError(.notConfigured, "The template \(path) cannot be read (\(error)): install Docent anew.")
        }
    }
}
