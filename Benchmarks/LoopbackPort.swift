import Glibc
import SystemPackage

/// Ports of this machine that nobody else reaches.
enum LoopbackPort {
    /// One that nobody listens at just now.
    static func free() throws -> UInt16 {
        let listener = try listen(0)
        defer { close(listener) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        guard status == 0 else { throw Errno(rawValue: errno) }
        return UInt16(bigEndian: address.sin_port)
    }

    static func listen(_ port: UInt16) throws -> Int32 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard listener >= 0, with(port, { bind(listener, $0, $1) }) == 0, Glibc.listen(listener, 256) == 0 else {
            throw Errno(rawValue: errno)
        }
        return listener
    }

    static func connect(_ port: UInt16) throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0, with(port, { Glibc.connect(socket, $0, $1) }) == 0 else {
            let error = Errno(rawValue: errno)
            close(socket)
            throw error
        }
        return socket
    }

    /// Returns when somebody listens there, within ten seconds.
    static func wait(_ port: UInt16) throws {
        for _ in 0..<1000 {
            if let socket = try? connect(port) {
                close(socket)
                return
            }
            usleep(10_000)
        }
        throw Errno.timedOut
    }

    private static func with<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
