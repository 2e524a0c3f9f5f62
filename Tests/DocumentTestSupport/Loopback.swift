import Glibc
import SystemPackage

/// Sockets of this machine, and nothing around them.
package enum Loopback {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = try call(socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = address(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw Errno(rawValue: code)
        }
        return descriptor
    }

    /// A socket that listens, at a port that was free.
    package static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = try call(socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try call(bind(descriptor, $0, length))
                try call(Glibc.listen(descriptor, 64))
                try call(getsockname(descriptor, $0, &length))
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Runs a program to its end.
    package static func run(_ program: String, _ words: [String]) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [1, 2] as [Int32] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, nil, &arguments, environ)
        guard code == 0 else { throw Errno(rawValue: code) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(description: "\(program) \(words): status \(status)") }
    }

    @discardableResult
    package static func call<Result: SignedInteger>(_ result: Result) throws -> Result {
        guard result >= 0 else { throw Errno(rawValue: errno) }
        return result
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }
}
