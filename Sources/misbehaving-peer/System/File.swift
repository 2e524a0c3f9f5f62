import Glibc

/// An open file.
final class File {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let descriptor: Int32

    init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws {
        descriptor = open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure(description: "“\(path)” cannot be opened: errno \(errno)") }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw Failure(description: "it has no byte \(offset): errno \(errno)")
        }
        try write(bytes)
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(description: "it cannot be written: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    static func contents(of path: String) throws -> [UInt8] {
        let file = try File(path, O_RDONLY)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(file.descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw Failure(description: "“\(path)” cannot be read: errno \(errno)") }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}
