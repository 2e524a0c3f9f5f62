internal import Glibc
package import SystemPackage

/// Which programs the kernel starts for a script: `#!/usr/bin/python3`, or `#!/usr/bin/env python3`.
package enum ScriptInterpreters {
    /// What is installed with the system may be executed for a script without being asked for; an interpreter that lies
    /// elsewhere has to be in the manifest.
    private static let systemFolders: [FilePath] = ["/usr", "/bin", "/sbin"]

    /// The programs, without symbolic links; none for a program that is no script, and none outside of the system.
    /// Blocks.
    ///
    /// - Parameter searchPath: where `env` looks, as in `PATH`.
    package static func of(_ program: FilePath, searchPath: String) -> [FilePath] {
        guard let line = firstLine(of: program) else { return [] }
        return of(line: line, searchPath: searchPath) { SandboxPolicy.realPath($0) }
    }

    /// The same, of a first line; `realPath` is nil for what does not exist.
    static func of(line: String, searchPath: String, realPath: (FilePath) -> FilePath?) -> [FilePath] {
        guard line.hasPrefix("#!") else { return [] }
        let words = line.dropFirst(2).split { $0 == " " || $0 == "\t" }.map(String.init)
        guard let first = words.first else { return [] }
        var found = [FilePath(first)]
        if found[0].lastComponent == "env", let name = words.dropFirst().first(where: { !$0.hasPrefix("-") }) {
            let candidates = searchPath.split(separator: ":").map { FilePath(String($0)).appending(name) }
            found += candidates.first { realPath($0) != nil }.map { [$0] } ?? []
        }
        return found.compactMap(realPath).filter { path in systemFolders.contains { path.isInside($0) } }
    }

    private static func firstLine(of program: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(program, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return nil
        }
        // As much as the kernel reads.
        let head = try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return head?.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).first.map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
