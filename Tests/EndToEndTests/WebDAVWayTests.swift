import DocumentTestSupport
import Foundation
import Synchronization
import Testing

/// The ways to a server from inside the sandbox, where only its port is open, or that of a proxy.
@Suite(.serialized) struct WebDAVWayTests {
    private static let password = "s3cret-of-ann"

    private func add(_ machine: Machine, _ settings: String...) throws {
        let words = ["domain", "add", "web", "--provider", "org.docent.webdav"] + settings.flatMap { ["--set", $0] }
        let added = try machine.run(machine.folder + "/bin/docent", words)
        try #require(added.status == 0, "\(added.errors)\n\(machine.logTail)")
    }

    @Test(
        "RS-9: a server is found by its name, and what it sends on within its port is followed, with all that was sent")
    func nameAndRedirects() throws {
        try Machine.with { machine in
            for name in ["a", "elsewhere"] { try machine.write("hello", to: machine.remote + "/\(name).txt") }
            try WebDAVServer.with(machine, password: Self.password) { real in
                try FaultServer.withServer { _, _ in
                    nil
                } body: { other in
                    try FaultServer.withServer(upstream: UInt16(real.port)) { request, _ in
                        let origin = request.headers["host"] ?? ""
                        switch (request.method, request.target) {
                        case ("GET", "/elsewhere.txt"):
                            return [.bytes(FaultServer.answer("307 Elsewhere", ["Location: \(other.url)a.txt"]))]
                        case ("GET", "/a.txt"), ("PUT", "/b.txt"):
                            let location = "Location: http://\(origin)/moved\(request.target)"
                            return [.bytes(FaultServer.answer("308 Moved", [location]))]
                        case (_, let target) where target.hasPrefix("/moved/"):
                            var meant = request
                            meant.head = request.head.replacing(" /moved/", with: " /", maxReplacements: 1)
                            return [.handOn(meant)]
                        default: return nil
                        }
                    } body: { front in
                        let url = "http://localhost:\(front.port)/"
                        try machine.believe(.lighttpd, of: url)
                        try machine.write(Self.password, to: machine.folder + "/password")
                        try add(machine, "url=\(url)", "user=ann", "password=@\(machine.folder)/password")
                        #expect(try machine.succeed("ls", "web:/").contains("a.txt"))
                        #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                        let refused = try machine.docent("cat", "web:/elsewhere.txt")
                        #expect(refused.status == 1 && refused.errors.contains("sends to"), "\(refused.errors)")
                        #expect(other.requests.isEmpty, "nothing goes to another port, nor what somebody signs in with")

                        try machine.write("sent", to: machine.folder + "/new")
                        try machine.succeed("export", machine.folder + "/new", "web:/b.txt")
                        #expect(
                            Machine.eventually(within: 60) { machine.read(machine.remote + "/b.txt") == "sent" },
                            "\(machine.logTail)")
                        #expect(front.requests.contains { $0.method == "PUT" && $0.target == "/moved/b.txt" })
                        #expect(front.requests.allSatisfy { $0.headers["host"] == "localhost:\(front.port)" })
                    }
                }
            }
        }
    }

    @Test("a server that only the proxy of the settings reaches is read and written through it")
    func proxy() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { real in
                let inside = "Basic " + Data("ann:\(Self.password)".utf8).base64EncodedString()
                try FaultServer.withServer(upstream: UInt16(real.port)) { request, _ in
                    guard request.method == "CONNECT" else {
                        var known = request
                        known.set("Authorization", to: inside)
                        return [.handOn(known)]
                    }
                    // What follows on this connection is for the server.
                    return request.target == "files.example:8080"
                        ? [.bytes(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))]
                        : [.bytes(FaultServer.answer("403 Forbidden"))]
                } body: { proxy in
                    let url = "http://files.example:8080/"
                    try machine.believe(.lighttpd, of: url)
                    try add(machine, "url=\(url)", "proxy=\(proxy.url)")
                    #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                    try machine.write("sent", to: machine.folder + "/new")
                    try machine.succeed("export", machine.folder + "/new", "web:/b.txt")
                    #expect(
                        Machine.eventually(within: 60) { machine.read(machine.remote + "/b.txt") == "sent" },
                        "\(machine.logTail)")
                    let connections = proxy.requests.filter { $0.method == "CONNECT" }
                    #expect(!connections.isEmpty && connections.allSatisfy { $0.target == "files.example:8080" })
                }
            }
        }
    }
}
