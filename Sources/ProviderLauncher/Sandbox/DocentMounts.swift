package import SystemPackage

/// Where documents are mounted as files: what is there comes from providers, by way of a host. A provider that is given such a
/// place would wait for itself.
///
/// The kernel's table is read (`proc_pid_mountinfo(5)`), and the mounts themselves are not touched: whoever asks may be the one
/// that they wait for.
package enum DocentMounts {
    private static let type = "fuse.docent"

    /// Blocks, for a moment. Empty where there is no table.
    package static func now() -> [FilePath] {
        guard let file = try? FileDescriptor.open("/proc/self/mountinfo", .readOnly, options: [.closeOnExec]),
            let bytes = try? file.closeAfter({
                var bytes: [UInt8] = []
                var part = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = try part.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                    bytes += part.prefix(count)
                }
                return bytes
            })
        else { return [] }
        return places(in: String(decoding: bytes, as: UTF8.self))
    }

    static func places(in table: String) -> [FilePath] {
        table.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            // Optional fields end with a dash.
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 1,
                fields[dash + 1] == type
            else { return nil }
            return FilePath(plain(fields[4]))
        }
    }

    /// Blanks, line ends and backslashes are written as three octal digits.
    private static func plain(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first one that lies in a folder, or is it. By names alone: a link in them is not followed.
    package static func first(within folder: FilePath, of mounts: [FilePath]) -> FilePath? {
        let folder = folder.lexicallyNormalized()
        return mounts.first { $0.isInside(folder) }
    }
}
