import Foundation
import Glibc

/// A lighttpd that serves a machine's remote folder, and asks for a sign-in (Basic).
struct WebDAVServer {
    let port: Int
    /// Its process.
    private(set) var process: Int32 = 0
    private let machine: Machine
    private let password: String
    private var own: String { machine.folder + "/server" }

    /// Ended with the body.
    ///
    /// - Parameter settings: more of lighttpd's, as its configuration has them.
    static func with(
        _ machine: Machine, password: String, settings: String = "", _ body: (WebDAVServer) throws -> Void
    ) throws {
        for _ in 0..<5 {
            var server = WebDAVServer(
                port: Int.random(in: 10_000..<32_000), machine: machine, password: password)
            try server.configure(settings)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/sbin/lighttpd")
            process.arguments = ["-D", "-f", server.own + "/conf"]
            process.standardInput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            server.process = process.processIdentifier
            defer {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
            guard try server.isUp(process) else { continue }
            return try body(server)
        }
        throw Machine.Failure(description: "lighttpd did not come up at any of five ports")
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
    func addDomain() throws {
        let added = try addDomain(password: password)
        guard added.status == 0 else {
            throw Machine.Failure(description: "The domain was not added: \(added.errors)\nlog:\n\(machine.logTail)")
        }
    }

    /// The same, with another password.
    func addDomain(password: String) throws -> Machine.Result {
        let file = machine.folder + "/password"
        try machine.write(password, to: file)
        return try machine.docent(
            "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=http://127.0.0.1:\(port)/",
            "--set", "user=ann", "--set", "password=@\(file)")
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
