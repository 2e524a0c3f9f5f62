import ArgumentParser
import Glibc
import SystemPackage

/// Where a secret setting's value comes from: never from the command line itself, which every user of the machine can
/// read while the command runs, and which the shell keeps.
enum SecretInput {
    /// The longest that is read, in bytes.
    private static let limit = 65_536

    /// - Parameter word: what was written behind `key=`: `@FILE`, or `-`.
    /// - Throws: `ValidationError` for anything else, and for a file that cannot be read.
    static func value(of key: String, written word: String) throws -> String {
        if word == "-" { return try fromStandardInput(key) }
        guard word.hasPrefix("@"), word.utf8.count > 1 else {
            throw ValidationError(
                "“\(key)” is secret, and others can read a command line: write --set \(key)=@FILE for what is in a file, or --set \(key)=- for standard input."
            )
        }
        let path = try Arguments.absolutePath(String(word.dropFirst()))
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            return try text(try file.closeAfter { try all(of: file) }, "“\(path)”")
        } catch let error as Errno {
            throw ValidationError("“\(path)”, for “\(key)”, cannot be read: \(error).")
        }
    }

    /// What is typed at a terminal is not shown.
    private static func fromStandardInput(_ key: String) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            return try text(try all(of: .standardInput), "Standard input")
        }
        guard let typed = getpass("\(key): ") else {
            throw ValidationError("“\(key)” cannot be asked for here: write --set \(key)=@FILE.")
        }
        return String(cString: typed)
    }

    private static func all(of file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Without the end of the last line, which editors and `echo` put there.
    private static func text(_ bytes: [UInt8], _ what: String) throws -> String {
        guard bytes.count <= limit else {
            throw ValidationError("\(what) has more than \(limit) bytes: that is no setting.")
        }
        var bytes = bytes[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError(
                "\(what) is \(bytes.isEmpty ? "empty" : "no text (UTF-8)"): it has no value for a setting.")
        }
        return text
    }
}
