import Glibc

/// A process that asks the mount for something, as far as it can be seen from here.
package struct AskingProcess: Sendable {
    /// The whole path of its executable; nil when it cannot be seen.
    package var executable: String?
    /// What it goes by, which is a script's name: at most 15 bytes.
    package var name: String?
    package var user: UInt32?
    /// The names of the folders that lead to its control group, in each hierarchy.
    package var cgroups: [[String]]

    package init(executable: String?, name: String?, user: UInt32?, cgroups: [[String]]) {
        self.executable = executable
        self.name = name
        self.user = user
        self.cgroups = cgroups
    }

    /// - Parameter user: as whom it asks; nil: unknown.
    package init(_ process: Int32, user: UInt32?) {
        self.init(
            executable: Self.executable(of: process), name: Self.name(of: process), user: user,
            cgroups: Self.cgroups(of: process))
    }

    /// What people know a process by; nil when it cannot be seen from here.
    package static func program(_ process: Int32) -> String? {
        executable(of: process).flatMap(lastName) ?? name(of: process)
    }

    func isProgram(_ wanted: String) -> Bool {
        if wanted.contains("/") { return executable == wanted }
        let program = executable.flatMap(Self.lastName)
        if program == wanted || name == wanted { return true }
        guard let name else { return false }
        // Of a script's name the kernel keeps so much.
        let isScripts = program?.utf8.starts(with: name.utf8) != true
        return isScripts && name.utf8.count == 15 && wanted.utf8.starts(with: name.utf8)
    }

    private static func lastName(of path: String) -> String? { path.split(separator: "/").last.map(String.init) }

    private static func executable(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Of a program that was updated while it runs.
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    /// Of the whole process, also where one of its threads asks, which may go by another one.
    private static func name(of process: Int32) -> String? {
        let field = text("/proc/\(process)/status")?.split(separator: "\n").first { $0.hasPrefix("Tgid:") }
        let whole = field?.split(separator: "\t").last.map(String.init) ?? "\(process)"
        return text("/proc/\(whole)/comm").map { String($0.prefix { $0 != "\n" }) }
    }

    /// A line each: a number, the controllers, and the path (cgroups(7)).
    private static func cgroups(of process: Int32) -> [[String]] {
        (text("/proc/\(process)/cgroup") ?? "").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            return fields.count == 3 ? fields[2].split(separator: "/").map(String.init) : nil
        }
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
