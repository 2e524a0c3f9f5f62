import Foundation
import Glibc
import Testing

/// Transfers from a server, and tools that do not stay until they have ended.
@Suite(.serialized) struct LeavingToolTests {
    private static let password = "s3cret-of-ann"
    private static let contents = String(repeating: "0123456789abcde\n", count: 250_000)

    /// With the domain of a server that needs seconds for its document “large”.
    private func withSlowServer(
        kilobytesPerSecond: Int, _ body: (Machine, WebDAVServer) throws -> Void
    ) throws {
        try Machine.with { machine in
            try machine.write(Self.contents, to: machine.remote + "/large")
            let settings = "server.kbytes-per-second = \(kilobytesPerSecond)"
            try WebDAVServer.with(machine, password: Self.password, settings: settings) { server in
                try server.addDomain()
                #expect(try machine.succeed("ls", "web:/").contains("large"))
                try body(machine, server)
            }
        }
    }

    private func isOnItsWay(_ machine: Machine) throws -> Bool {
        let percent = try machine.succeed("status", "web:/large").firstMatch(of: #/(\d+) %/#)
        return percent.flatMap { Int($0.1) }.map { $0 > 5 } ?? false
    }

    /// Begins something that needs the document's contents, and ends it by a signal as soon as they are on their way.
    private func end(_ words: [String], by signal: Int32, _ machine: Machine) throws {
        let tool = try machine.begin(words)
        defer {
            kill(tool.processIdentifier, SIGKILL)
            tool.waitUntilExit()
        }
        try #require(try Machine.eventually { try isOnItsWay(machine) }, "\(machine.logTail)")
        kill(tool.processIdentifier, signal)
        tool.waitUntilExit()
        #expect(tool.terminationReason == .uncaughtSignal && tool.terminationStatus == signal)
    }

    @Test(
        "A transfer goes on when the tool that asked for it is gone, however it ended",
        arguments: [SIGKILL, SIGHUP, SIGTERM])
    func leaving(_ signal: Int32) throws {
        try withSlowServer(kilobytesPerSecond: 1_000) { machine, _ in
            let here = machine.root + "/documents/web/large"
            for command in ["cat", "download"] {
                try end([command, "web:/large"], by: signal, machine)
                #expect(
                    Machine.eventually(within: 30) { machine.read(here) == Self.contents }, "\(machine.logTail)")
                #expect(try Machine.eventually { try machine.docent("evict", "web:/large").status == 0 })
            }
        }
    }

    @Test("A newer version of what is here goes on coming, too")
    func newerVersion() throws {
        try withSlowServer(kilobytesPerSecond: 1_000) { machine, _ in
            try machine.succeed("download", "web:/large")
            try machine.write(Self.contents + "more", to: machine.remote + "/large")
            try machine.succeed("refresh", "web:/")
            try end(["cat", "web:/large"], by: SIGKILL, machine)
            let here = machine.root + "/documents/web/large"
            #expect(
                Machine.eventually(within: 30) { machine.read(here) == Self.contents + "more" },
                "\(machine.logTail)")
        }
    }

    @Test("DOWN-10: who interrupts a tool gives up what it has brought")
    func interrupting() throws {
        try withSlowServer(kilobytesPerSecond: 500) { machine, _ in
            for command in ["cat", "download"] {
                try end([command, "web:/large"], by: SIGINT, machine)
                #expect(try Machine.eventually { try !isOnItsWay(machine) })
                sleep(1)
                #expect(try !isOnItsWay(machine))
                #expect(machine.read(machine.root + "/documents/web/large") != Self.contents)
            }
        }
    }

    @Test("Who asks for a document that is on its way hears how far it is, and what becomes of it")
    func joining() throws {
        try withSlowServer(kilobytesPerSecond: 250) { machine, server in
            try end(["cat", "web:/large"], by: SIGKILL, machine)
            try TmuxTerminal.with(machine, columns: 100) { terminal in
                try terminal.command("docent cat web:/large >/dev/null; echo status $?")
                let far = try terminal.wait { $0.contains(" % ") }
                // It began before this tool did.
                #expect(far.contains(#/ [1-9]\d* % /#), "\(far)")
                kill(server.process, SIGKILL)
                let end = try terminal.wait(within: 60) { $0.contains("status 1") }
                #expect(end.contains("docent: web:/large cannot be provided"), "\(end)")
            }
        }
    }
}
