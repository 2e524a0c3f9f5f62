internal import Glibc
internal import SystemPackage

/// What kind of program a file is, for the post-mortem of a failed start.
struct ELFImage {
    /// What is known of a file from its first bytes, in words: `a program for aarch64, and this machine is x86_64`.
    static func words(for path: FilePath) -> String {
        guard let head = head(of: path) else { return "a file that cannot be read" }
        return words(head: head, host: hostArchitecture())
    }

    static func words(head: [UInt8], host: String) -> String {
        if head.starts(with: "#!".utf8) {
            let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
            return "a script for “\(String(decoding: line, as: UTF8.self).trimmed)”"
        }
        guard head.starts(with: [0x7F] + "ELF".utf8), head.count >= 20 else {
            return "neither a program of this system nor a script"
        }
        let isBigEndian = head[5] == 2
        let (low, high) = isBigEndian ? (head[19], head[18]) : (head[18], head[19])
        let machine = UInt16(high) << 8 | UInt16(low)
        let name = architectures[machine] ?? "machine \(machine)"
        return name == host ? "a program for \(name)" : "a program for \(name), and this machine is \(host)"
    }

    static func hostArchitecture() -> String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &name.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func head(of path: FilePath) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return nil
        }
        return try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    private static let architectures: [UInt16: String] = [
        3: "i686", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64",
        258: "loongarch64",
    ]
}

extension String {
    /// Without spaces at both ends.
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        let head = drop(while: isSpace)
        return String(head.reversed().drop(while: isSpace).reversed())
    }
}
