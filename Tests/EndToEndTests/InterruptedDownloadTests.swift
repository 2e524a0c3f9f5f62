import DocumentTestSupport
import Foundation
import Glibc
import Testing

/// DOWN-10: downloads that are interrupted go on where they were, whoever was interrupted.
@Suite(.serialized, .timeLimit(.minutes(5))) struct InterruptedDownloadTests {
    private static let size = 120 << 20
    private static let password = "s3cret-of-ann"
    private static let settings = """
        server.modules += ( "mod_accesslog" )
        server.kbytes-per-second = 20000
        accesslog.format = "%{begin:msec}t %{end:msec}t %m [%{Range}i] %b"
        """

    enum Interruption: String, CaseIterable, CustomTestStringConvertible {
        case hostDies, providerDies, serverIsAway, serverDies, toolIsInterrupted, paused

        var testDescription: String { rawValue }
    }

    private func percent(_ machine: Machine) throws -> Int {
        let status = try machine.docent("status", "web:/large")
        return status.output.firstMatch(of: #/(\d+) %/#).flatMap { Int($0.1) } ?? 0
    }

    /// A part that the server was asked for: when, and when that ended, in milliseconds since 1970.
    private struct Request {
        let began: Int
        let ended: Int
        let bytes: Range<Int>
        let isWhole: Bool
    }

    private func requests(_ log: String) -> [Request] {
        log.split(separator: "\n").compactMap { line in
            guard let fields = line.firstMatch(of: #/^(\d+) (\d+) GET .*bytes=(\d+)-(\d+)\] (\d+|-)/#),
                let began = Int(fields.1), let ended = Int(fields.2),
                let first = Int(fields.3), let last = Int(fields.4)
            else { return nil }
            let bytes = first..<last + 1
            return Request(began: began, ended: ended, bytes: bytes, isWhole: Int(fields.5) == bytes.count)
        }
    }

    @Test(
        "DOWN-10: an interrupted download goes on where it was, whoever was interrupted",
        arguments: TestShare.of(Interruption.allCases))
    func goesOn(_ interruption: Interruption) throws {
        try Machine.with { machine in
            try machine.fill(machine.remote + "/large", mebibytes: Self.size >> 20)
            let log = machine.folder + "/access"
            let settings = Self.settings + "\naccesslog.filename = \"\(log)\"\n"
            try WebDAVServer.with(machine, password: Self.password, settings: settings) { server in
                try server.addDomain()
                #expect(try machine.succeed("ls", "web:/").contains("large"))
                let tool = try machine.begin(["download", "web:/large"])
                defer {
                    kill(tool.processIdentifier, SIGKILL)
                    tool.waitUntilExit()
                }
                try #require(try Machine.eventually(within: 60) { try percent(machine) >= 60 }, "\(machine.logTail)")
                let moment = try interrupt(interruption, machine, server, tool)
                if [.providerDies, .serverDies].contains(interruption) {
                    // Who waits for it does not notice.
                    tool.waitUntilExit()
                    #expect(tool.terminationStatus == 0)
                }
                if interruption == .paused { try machine.succeed("resume", "web:/large") }
                if interruption == .hostDies {
                    // The next one goes on with it, although nobody asks for it again.
                    kill(tool.processIdentifier, SIGKILL)
                    tool.waitUntilExit()
                    try machine.succeed("host", "start")
                    let file = machine.root + "/documents/web/large"
                    #expect(Machine.eventually(within: 60) { FileManager.default.fileExists(atPath: file) })
                } else {
                    try machine.succeed("download", "web:/large")
                }
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: machine.root + "/documents/web/large", andPath: machine.remote + "/large"))
                // The server writes its log when it is to begin another.
                kill(server.process, SIGHUP)
                #expect(Machine.eventually { requests(machine.read(log) ?? "").contains { $0.began >= moment } })
                let asked = requests(machine.read(log) ?? "")
                // What came whole, and a moment before; what was under way comes once more.
                let kept = asked.filter { $0.isWhole && $0.ended < moment - 1_000 }
                let again = asked.filter { $0.began >= moment }
                #expect(!kept.isEmpty)
                for request in again {
                    #expect(!kept.contains { $0.bytes.overlaps(request.bytes) }, "\(request.bytes) came once more")
                }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: machine.root + "/.docent/staging/fetch/web")
                        .isEmpty)
            }
        }
    }

    /// - Returns: when it was, in milliseconds since 1970.
    private func interrupt(
        _ interruption: Interruption, _ machine: Machine, _ server: WebDAVServer, _ tool: Process
    ) throws -> Int {
        var moment: Int { Int(Date().timeIntervalSince1970 * 1000) }
        switch interruption {
        case .hostDies: kill(try #require(machine.daemon), SIGKILL)
        case .providerDies:
            for process in machine.processes(named: "WebDAVProvider") { kill(process, SIGKILL) }
        case .serverDies:
            server.die()
            let death = moment
            // Meanwhile nothing answers at its port.
            usleep(1_500_000)
            try server.startAgain()
            return death
        case .serverIsAway:
            // For longer than a provider waits for a server that is started anew.
            kill(server.process, SIGSTOP)
            kill(tool.processIdentifier, SIGINT)
            tool.waitUntilExit()
            kill(server.process, SIGCONT)
        case .toolIsInterrupted:
            kill(tool.processIdentifier, SIGINT)
            tool.waitUntilExit()
        case .paused: try machine.succeed("pause", "web:/large")
        }
        if interruption == .hostDies { #expect(Machine.eventually { machine.daemon == nil }) }
        return moment
    }
}
