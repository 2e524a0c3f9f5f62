import DocumentModel
import Foundation
import Glibc
import Testing

/// A host that is there and does nothing, as one that was stopped: nobody waits for it for good.
@Suite(.serialized, .timeLimit(.minutes(8))) struct StoppedHostTests {
    /// A machine with a domain, whose host is stopped while the body runs.
    private func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for name in ["one", "two"] { try machine.write("\(name)\n", to: machine.remote + "/\(name).txt") }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try body(machine)
        }
    }

    @Test("A command says soon that the host does not answer, which one that is, and what can be done; then it goes on")
    func command() throws {
        try withWork { machine in
            let host = try #require(machine.daemon)
            kill(host, SIGSTOP)
            defer { kill(host, SIGCONT) }
            for words in [["ls", "work:/"], ["host", "stop"]] {
                let result = try machine.run(machine.folder + "/bin/docent", words, timeout: 60)
                #expect(result.status != 0, "\(words): \(result)")
                #expect(result.errors.contains("kill -CONT \(host)"), "\(words): \(result)")
            }
            kill(host, SIGCONT)
            #expect(try machine.succeed("ls", "work:/").contains("one.txt"))
            #expect(machine.daemon == host)
        }
    }

    @Test("Who comes when many wait to be let in already does not wait for good either")
    func crowded() throws {
        try withWork { machine in
            let host = try #require(machine.daemon)
            let path = try machine.address.socket
            kill(host, SIGSTOP)
            defer { kill(host, SIGCONT) }
            // As many as the host lets wait, and more.
            var waiting: [Int32] = []
            defer { for socket in waiting { close(socket) } }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            for _ in 0..<300 {
                let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                let socket = Glibc.socket(AF_UNIX, kind, 0)
                waiting.append(socket)
                let result = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                if result != 0 { break }
            }
            try #require(waiting.count < 300, "there is always room")
            let result = try machine.run(machine.folder + "/bin/docent", ["ls", "work:/"], timeout: 60)
            #expect(result.status != 0 && result.errors.contains("takes no connections any more"), "\(result)")
        }
    }

    @Test(
        "PH-8: a program that asks the mount waits for two minutes and some seconds at most, and asks again when the host goes on",
        .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
    func mount() throws {
        try withWork { machine in
            try machine.mounted {
                try machine.sh("ls -l work; cat work/one.txt")
                let host = try #require(machine.daemon)
                kill(host, SIGSTOP)
                defer { kill(host, SIGCONT) }
                // Its contents may take as long as they do, and so has no deadline of its own.
                let first = try machine.shell("timeout 200 cat work/two.txt", timeout: 240)
                #expect(first.status == 1, "\(first)")
                // The next ones are told sooner.
                let second = try machine.shell("timeout 60 ls -l work/nothing", timeout: 90)
                #expect(second.status != 0 && second.status != 124, "\(second)")
                kill(host, SIGCONT)
                #expect(
                    Machine.eventually(within: 30) { (try? machine.shell("cat work/two.txt"))?.output == "two\n" },
                    "\(machine.logTail)")
                #expect(machine.daemon == host)
            }
        }
    }
}
