import Glibc

/// Which programs may have documents brought. Thumbnailers, indexers and backup programs that look into every file would
/// bring everything.
package struct DownloadPolicy: Hashable, Sendable {
    private let denied: Set<String>

    /// - Parameter denied: programs that see what is here and no more, by the names of their executables.
    package init(denying denied: some Sequence<String> = []) {
        self.denied = Set(denied)
    }

    /// Whether a process is one of those: by its executable, or by the name that it goes by, which is a script's.
    package func denies(_ process: Int32) -> Bool {
        guard !denied.isEmpty else { return false }
        let program = Self.executable(of: process)
        if let program, denied.contains(program) { return true }
        guard let name = Self.name(of: process) else { return false }
        if denied.contains(name) { return true }
        // Of a script's name the kernel keeps so much.
        let isScripts = program?.utf8.starts(with: name.utf8) != true
        return isScripts && name.utf8.count == 15 && denied.contains { $0.utf8.starts(with: name.utf8) }
    }

    /// What people know a process by; nil when it cannot be seen from here.
    package static func program(_ process: Int32) -> String? { executable(of: process) ?? name(of: process) }

    private static func executable(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let name = path.split(separator: "/").last.map(String.init)
        // Of a program that was updated while it runs.
        let mark = " (deleted)"
        return name.map { $0.hasSuffix(mark) ? String($0.dropLast(mark.count)) : $0 }
    }

    private static func name(of process: Int32) -> String? {
        guard let file = fopen("/proc/\(process)/comm", "re") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
