import Foundation
import Glibc
import Testing

/// A daemon whose user gives it hardly any descriptors.
@Suite(.serialized) struct DescriptorLimitTests {
    @Test(
        "WIRE-49: a daemon with 64 descriptors outlives more callers than it can take, and serves those who come later")
    func crowd() throws {
        try Machine.with { machine in
            try machine.write("hello", to: "\(machine.remote)/a.txt")
            let tool = machine.folder + "/bin/docent"
            let start = try machine.run("/bin/sh", ["-c", "ulimit -n 64; exec \"$0\" status", tool])
            #expect(start.status == 0, "\(start.errors) \(machine.logTail)")
            let daemons = machine.processes(named: "docentd")
            #expect(daemons.count == 1)
            let socket = try #require(try Self.socket(in: machine.folder + "/run/docent"))
            var held: [Int32] = []
            for _ in 0..<100 {
                let connection = try #require(Self.connect(to: socket))
                held.append(connection)
            }
            // Served or refused, and in no case left to wait for ever.
            _ = try machine.docent("status", timeout: 60)
            for connection in held { close(connection) }
            #expect(Machine.eventually(within: 30) { (try? machine.docent("status").status) == 0 })
            #expect(machine.processes(named: "docentd") == daemons, "\(machine.logTail)")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "hello")
        }
    }

    @Test("WIRE-49: a daemon takes as many descriptors as it may have, and not only as many as a shell gives")
    func raised() throws {
        try Machine.with { machine in
            let tool = machine.folder + "/bin/docent"
            let start = try machine.run("/bin/sh", ["-c", "ulimit -S -n 64; exec \"$0\" status", tool])
            #expect(start.status == 0, "\(start.errors) \(machine.logTail)")
            let daemon = try #require(machine.processes(named: "docentd").first)
            let limits = try String(contentsOfFile: "/proc/\(daemon)/limits", encoding: .utf8)
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            let figures = line.dropFirst("Max open files".count).split(separator: " ")
            #expect(figures.count == 3 && figures[0] == figures[1], "\(line)")
        }
    }

    private static func socket(in folder: String) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".sock") }
            .map { folder + "/" + $0 }
    }

    /// Nil when it cannot be connected to.
    private static func connect(to path: String) -> Int32? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // A full line of those who wait is as good: the daemon has not come to them.
        guard result == 0 || errno == EAGAIN else { return nil }
        return descriptor
    }
}
