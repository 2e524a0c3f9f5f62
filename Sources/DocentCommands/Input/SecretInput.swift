import ArgumentParser
import CDocentShims
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
        docent_leave_no_core()
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
        return try typed(key)
    }

    /// Asks at the terminal, which shows nothing of it.
    static func typed(_ key: String) throws -> String {
        docent_leave_no_core()
        guard isatty(STDIN_FILENO) == 1, let typed = getpass("\(key): ") else { throw cannotAsk(key, "@FILE") }
        let length = strlen(typed)
        // The library keeps it.
        defer { explicit_bzero(typed, length) }
        return try line(String(cString: typed), key)
    }

    /// Asks for what is no secret.
    ///
    /// - Parameter current: what an empty line stands for.
    static func typedOpenly(_ key: String, current: String?) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else { throw cannotAsk(key, "…") }
        Console.complain("\(key)\(current.map { " [\($0)]" } ?? ""): ", terminator: "")
        guard let typed = readLine() else { throw ValidationError("“\(key)” was not given: nothing was done.") }
        let answer = try line(typed, key)
        return answer.isEmpty ? current ?? "" : answer
    }

    /// While a secret is typed, Ctrl-C is a character to the terminal.
    private static func line(_ text: String, _ key: String) throws -> String {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ValidationError("“\(key)” has to be one line of text: nothing was done.")
        }
        return text
    }

    private static func cannotAsk(_ key: String, _ word: String) -> ValidationError {
        ValidationError("“\(key)” cannot be asked for here: write --set \(key)=\(word)")
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
