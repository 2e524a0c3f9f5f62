import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// A program of the user's that merges documents of a type. It is given copies, and confined: it reads what is installed
/// with the system, and writes only where its result goes.
package struct MergeProgram: Hashable, Sendable {
    /// What the system has, as far as it is there.
    private static let installed = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"]
    private static let readable = [
        "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone",
        "/etc/alternatives", "/dev/urandom", "/dev/zero",
    ]
    private static let names = ["base", "ours", "theirs", "result"]

    /// Its path, and what it is called with.
    package var words: [String]

    package init(words: [String]) {
        self.words = words
    }

    /// What it is called with, with the paths in their places.
    package func arguments(_ paths: [String: String]) -> [String] {
        words.map { word in
            Self.names.reduce(word) { word, name in
                word.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(
                    separator: paths[name] ?? "")
            }
        }
    }

    /// Has it merge, in a folder that is gone afterwards.
    ///
    /// - Parameter result: a new file, made only when the program says that the merge is clear.
    /// - Throws: `inConflict` when it says that it is not; `notConfigured` when it cannot be run.
    func merge(_ sides: ConflictSides, into result: FilePath) async throws {
        let location = sides.location
        let around = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(around)/docent-merge.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DocumentError(.localStorage, "No folder could be made in \(around): \(Errno(rawValue: errno)).")
        }
        let folder = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        let ending = sides.ours.extension.map { "." + $0 } ?? ""
        let files = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, folder.appending($0 + ending)) })
        // With whatever else the program has left there.
        defer { LocalTree.remove(folder) }
        for (name, source) in [("base", sides.base), ("ours", sides.ours), ("theirs", sides.theirs)] {
            guard let target = files[name] else { continue }
            try ConflictMerge.copy(source, to: target, of: location)
        }
        guard let made = files["result"] else { return }
        let status = try await CommandLineProgram.run(
            try confined(arguments(files.mapValues(\.string)), in: folder),
            environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=\(folder)", "TMPDIR=\(folder)"],
            in: folder)
        guard status == 0 else { throw Self.refusal(words[0], status, location) }
        guard access(made.string, R_OK) == 0 else {
            throw DocumentError(
                .notConfigured,
                "\(words[0]) says that \(location) is merged, and has made no file {result}; nothing was changed.")
        }
        try ConflictMerge.copy(made, to: result, of: location)
    }

    private static func refusal(_ program: String, _ status: Int32, _ location: Location) -> DocumentError {
        switch status {
        case 1:
            DocumentError(
                .inConflict,
                "\(program) finds no clear merge of \(location); nothing was changed. docent conflicts \(ShellWord.quoted(location.description)) shows the files; choose with --keep."
            )
        default:
            DocumentError(
                .notConfigured,
                "\(program) failed with status \(status) on \(location); nothing was changed. Look at what it said, or choose with --keep."
            )
        }
    }

    /// The same words, run by the program that confines providers.
    private func confined(_ arguments: [String], in folder: FilePath) throws -> [String] {
        guard let own = realpath("/proc/self/exe", nil) else {
            throw DocumentError(.notConfigured, "This program's own path cannot be read: choose with --keep.")
        }
        let trampoline = FilePath(String(cString: own)).removingLastComponent().appending("docent-trampoline")
        free(own)
        guard let program = realpath(words[0], nil) else {
            throw DocumentError(
                .notConfigured,
                "There is no program \(words[0]), which merge-programs names: install it, or change the line.")
        }
        defer { free(program) }
        var words = [trampoline.string, "\(getpid())", "--confine"]
        if getenv("DOCENT_ALLOW_UNSANDBOXED").map({ String(cString: $0) }) == "1" { words.append("--without-landlock") }
        for path in Self.installed where access(path, F_OK) == 0 { words += ["--execute", path] }
        for path in Self.readable where access(path, F_OK) == 0 { words += ["--read", path] }
        words += ["--execute", String(cString: program), "--fill", "/dev/null", "--write", folder.string]
        words += ["--processes", "64", "--memory", "\(2 << 30)", "--open-files", "256", "--"]
        return words + [String(cString: program)] + arguments.dropFirst()
    }
}
