import Foundation
import Glibc

/// A lighttpd that serves a machine's remote folder, and asks for a sign-in (Basic).
struct WebDAVServer {
    let port: Int
    /// Its process.
    var process: Int32 { running.process.processIdentifier }
    private let running = Running()
    private let machine: Machine
    private let password: String
    private let scheme: String
    private var own: String { machine.folder + "/server" }

    /// What runs of it: another process after a restart.
    private final class Running {
        var process = Process()
    }

    /// Ended with the body.
    ///
    /// - Parameters:
    ///   - settings: more of lighttpd's, as its configuration has them.
    ///   - scheme: of its address.
    static func with(
        _ machine: Machine, password: String, settings: String = "", scheme: String = "http",
        _ body: (WebDAVServer) throws -> Void
    ) throws {
        for _ in 0..<5 {
            let server = WebDAVServer(
                port: Int.random(in: 10_000..<32_000), machine: machine, password: password, scheme: scheme)
            try server.configure(settings)
            defer { server.die() }
            guard try server.start() else { continue }
            return try body(server)
        }
        throw Machine.Failure(description: "lighttpd did not come up at any of five ports")
    }

    /// - Returns: false when it has ended at once, as when somebody else has the port.
    private func start() throws -> Bool {
        unlink(own + "/log")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/lighttpd")
        process.arguments = ["-D", "-f", own + "/conf"]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        running.process = process
        return try isUp(process)
    }

    /// From one moment to the next, as in a power cut.
    func die() {
        guard running.process.isRunning else { return }
        kill(process, SIGKILL)
        running.process.waitUntilExit()
    }

    /// At the same port.
    func startAgain() throws {
        guard try start() else { throw Machine.Failure(description: "lighttpd did not come up again at port \(port)") }
    }

    private func configure(_ settings: String) throws {
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try setPassword(password)
        try machine.write(
            """
            server.document-root = "\(machine.remote)"
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.errorlog = "\(own)/log"
            server.upload-dirs = ( "\(own)" )
            server.modules = ( "mod_auth", "mod_authn_file", "mod_webdav" )
            webdav.activate = "enable"
            mimetype.assign = ( "" => "application/octet-stream" )
            auth.backend = "plain"
            auth.backend.plain.userfile = "\(own)/users"
            auth.require = ( "/" => ( "method" => "basic", "realm" => "here", "require" => "valid-user" ) )
            \(settings)

            """, to: own + "/conf")
    }

    /// Adds it as the domain “web”, with ann's sign-in.
    func addDomain(isTried: Bool = false) throws {
        let added = try addDomain(password: password, isTried: isTried)
        guard added.status == 0 else {
            throw Machine.Failure(description: "The domain was not added: \(added.errors)\nlog:\n\(machine.logTail)")
        }
    }

    /// The same, with another password, and with more settings.
    ///
    /// - Parameter isTried: whether it is found out what the server guarantees, which takes a while.
    func addDomain(password: String, _ settings: [String] = [], isTried: Bool = false) throws -> Machine.Result {
        if !isTried { try machine.believe(.lighttpd, of: "\(scheme)://127.0.0.1:\(port)/") }
        let file = machine.folder + "/password"
        try machine.write(password, to: file)
        return try machine.run(
            machine.folder + "/bin/docent",
            [
                "domain", "add", "web", "--provider", "org.docent.webdav", "--set",
                "url=\(scheme)://127.0.0.1:\(port)/",
                "--set", "user=ann", "--set", "password=@\(file)",
            ] + settings.flatMap { ["--set", $0] })
    }

    /// Of ann, from the next request on.
    func setPassword(_ password: String) throws { try machine.write("ann:\(password)\n", to: own + "/users") }

    /// How often a wrong password was given.
    var refusals: Int {
        (machine.read(own + "/log") ?? "").split(separator: "\n").count { $0.contains("password doesn't match") }
    }

    /// It says so in its log.
    private func isUp(_ process: Process) throws -> Bool {
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            guard process.isRunning else { return false }
            if machine.read(own + "/log")?.contains("server started") == true { return true }
            usleep(5000)
        }
        throw Machine.Failure(description: "lighttpd does not say that it is there")
    }
}
