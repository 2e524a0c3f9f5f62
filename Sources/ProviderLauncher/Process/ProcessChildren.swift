internal import Glibc

/// The kernel's list of a thread's children.
enum ProcessChildren {
    /// The oldest first; none when the process or the list is not there.
    static func of(_ process: Int32, thread: Int32) -> [Int32] {
        let file = open("/proc/\(process)/task/\(thread)/children", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return text.split(separator: UInt8(ascii: " ")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
}
