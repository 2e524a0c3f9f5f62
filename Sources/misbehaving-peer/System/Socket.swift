import Glibc

/// Unix sockets.
enum Socket {
    /// Makes one that nobody listens on.
    static func bind(_ path: String) throws {
        let descriptor = try make()
        defer { close(descriptor) }
        let result = try withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        guard result == 0 else { throw File.Failure(description: "“\(path)” cannot be bound: errno \(errno)") }
    }

    /// Makes one, and listens on it.
    static func listen(_ path: String) throws -> Int32 {
        let descriptor = try make()
        let result = try withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        guard result == 0, Glibc.listen(descriptor, 128) == 0 else {
            close(descriptor)
            throw File.Failure(description: "“\(path)” cannot be listened on: errno \(errno)")
        }
        return descriptor
    }

    /// Connects to one, and waits for at most fifteen seconds.
    static func connect(_ path: String) throws -> Int32 {
        let descriptor = try make()
        do {
            var limit = timeval(tv_sec: 15, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let result = try withAddress(path) { Glibc.connect(descriptor, $0, $1) }
            guard result == 0 else { throw Finding("The host takes no connection: errno \(errno).") }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw File.Failure(description: "no socket: errno \(errno)") }
        return descriptor
    }

    private static func withAddress<Value>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) throws -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw File.Failure(description: "“\(path)” is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
