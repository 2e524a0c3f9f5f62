internal import CFuse
import Glibc
import Synchronization

/// What libfuse has to say, which it would print.
enum KernelLog {
    private static let lines = Mutex<[String]>([])

    static func begin() {
        lines.withLock { $0 = [] }
        fuse_set_log_func { _, format, arguments in
            var buffer = [CChar](repeating: 0, count: 512)
            guard let format, let arguments, vsnprintf(&buffer, buffer.count, format, arguments) > 0 else { return }
            let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let line = text.split(separator: "\n").joined(separator: " ")
            KernelLog.lines.withLock { lines in
                if lines.count < 8 { lines.append(line) }
            }
        }
    }

    /// - Returns: what was said since the beginning.
    static func end() -> [String] { lines.withLock { $0 } }
}
