import Foundation
import Glibc
import Testing

/// Documents of a real server, through the whole product: sandbox, host and command line.
@Suite(.serialized) struct WebDAVTests {
    private static let password = "s3cret-of-ann"

    /// A lighttpd that asks for a sign-in, ended with the body.
    private func withServer(_ machine: Machine, _ body: (Int) throws -> Void) throws {
        let (remote, own) = (machine.remote, machine.folder + "/server")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try machine.write("ann:\(Self.password)\n", to: own + "/users")
        for _ in 0..<5 {
            let port = Int.random(in: 10_000..<32_000)
            try machine.write(
                """
                server.document-root = "\(remote)"
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

                """, to: own + "/conf")
            let server = Process()
            server.executableURL = URL(fileURLWithPath: "/usr/sbin/lighttpd")
            server.arguments = ["-D", "-f", own + "/conf"]
            server.standardInput = FileHandle.nullDevice
            server.standardError = FileHandle.nullDevice
            try server.run()
            defer {
                kill(server.processIdentifier, SIGKILL)
                server.waitUntilExit()
            }
            guard try isUp(server, own + "/log") else { continue }
            return try body(port)
        }
        throw Machine.Failure(description: "lighttpd did not come up at any of five ports")
    }

    /// It says so in its log.
    private func isUp(_ server: Process, _ log: String) throws -> Bool {
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            guard server.isRunning else { return false }
            if (try? String(contentsOfFile: log, encoding: .utf8))?.contains("server started") == true { return true }
            usleep(5000)
        }
        throw Machine.Failure(description: "lighttpd does not say that it is there")
    }

    @Test("documents of a server are listed and read, and its password is nowhere where others could read it")
    func reading() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a & b.txt")
            try machine.write(Self.password, to: machine.folder + "/password")
            try withServer(machine) { port in
                try machine.succeed(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=http://127.0.0.1:\(port)/",
                    "--set", "user=ann", "--set", "password=@\(machine.folder)/password")
                #expect(try machine.succeed("ls", "web:/").contains("a & b.txt"))
                #expect(try machine.succeed("cat", "web:/a & b.txt") == "hello")

                let daemon = try #require(machine.daemon)
                let provider = try #require(machine.processes(named: "WebDAVProvider").first)
                for process in [daemon, provider] {
                    for file in ["cmdline", "environ"] {
                        let text = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
                        #expect(text.range(of: Data(Self.password.utf8)) == nil, "\(file)")
                    }
                }
                for words in [["domain", "show", "web"], ["domain", "list", "--json"], ["status"]] {
                    let said = try machine.run(machine.folder + "/bin/docent", words)
                    #expect(!(said.output + said.errors).contains(Self.password), "\(words)")
                }
                try expectSecretOnlyInPrivateFiles(machine)
            }
        }
    }

    /// Nothing below the storage root that holds the password can be read by others, and no log has it.
    private func expectSecretOnlyInPrivateFiles(_ machine: Machine) throws {
        let manager = FileManager.default
        for path in try manager.subpathsOfDirectory(atPath: machine.root) {
            let file = machine.root + "/" + path
            guard let contents = manager.contents(atPath: file), contents.range(of: Data(Self.password.utf8)) != nil
            else { continue }
            #expect(!file.hasSuffix(".log"), "\(path)")
            var isPrivate = false
            var place = file
            while place.hasPrefix(machine.root), !isPrivate {
                var status = stat()
                try #require(lstat(place, &status) == 0)
                isPrivate = status.st_mode & 0o077 == 0
                place = (place as NSString).deletingLastPathComponent
            }
            #expect(isPrivate, "\(path) can be read by others")
        }
    }

    @Test("PROV-22: a wrong password is said to be one, and is not repeated to anybody")
    func wrongPassword() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try machine.write("wr0ng", to: machine.folder + "/password")
            try withServer(machine) { port in
                let refused = try machine.docent(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=http://127.0.0.1:\(port)/",
                    "--set", "user=ann", "--set", "password=@\(machine.folder)/password")
                #expect(refused.status == 1 && refused.errors.contains("sign-in"), "\(refused.errors)")
                #expect(!refused.errors.contains("wr0ng") && !machine.logTail.contains("wr0ng"))
                // The right one, next.
                try machine.write(Self.password, to: machine.folder + "/password")
                try machine.succeed(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=http://127.0.0.1:\(port)/",
                    "--set", "user=ann", "--set", "password=@\(machine.folder)/password")
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
            }
        }
    }

    @Test("RS-1: what a server guarantees is found out from inside the sandbox, and kept where people can read it")
    func tryingTheServer() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try machine.write(Self.password, to: machine.folder + "/password")
            try withServer(machine) { port in
                try machine.succeed(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=http://127.0.0.1:\(port)/",
                    "--set", "user=ann", "--set", "password=@\(machine.folder)/password")
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello", "meanwhile documents are read")
                let file = machine.root + "/.docent/providers/web/server.txt"
                let deadline = Date().addingTimeInterval(240)
                while !FileManager.default.fileExists(atPath: file) {
                    try #require(Date() < deadline, "\(machine.logTail)")
                    usleep(20_000)
                }
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("\nconditional-changes\n"), "\(text)")
                #expect(!text.contains(Self.password) && !text.contains("ann"))
                // And said in words, with the domain.
                while !(try machine.succeed("domain", "show", "web").contains("several people can write")) {
                    try #require(Date() < deadline, "\(machine.logTail)")
                    usleep(20_000)
                }
            }
        }
    }
}
