import Foundation
import Glibc
import Testing

/// Documents of a real server, through the whole product: sandbox, host and command line.
@Suite(.serialized) struct WebDAVTests {
    private static let password = "s3cret-of-ann"

    @Test("documents of a server are listed and read, and its password is nowhere where others could read it")
    func reading() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a & b.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
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

    @Test("the provider holds no document in memory, neither on its way here nor back")
    func memory() throws {
        try Machine.with { machine in
            let large = machine.remote + "/large"
            try machine.write(String(repeating: "0123456789abcde\n", count: 12_000_000), to: large)
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain(isTried: true)
                #expect(try machine.succeed("ls", "web:/").contains("large"))
                let provider = try #require(machine.processes(named: "WebDAVProvider").first)
                // What it needs to try the server with has nothing to do with documents.
                let file = machine.root + "/.docent/providers/web/server.txt"
                try #require(Machine.eventually(within: 240) { machine.read(file) != nil }, "\(machine.logTail)")
                let before = try peak(of: provider)
                try machine.succeed("download", "web:/large")
                try machine.succeed("export", machine.root + "/documents/web/large", "web:/copy")
                let end = Date().addingTimeInterval(120)
                while !FileManager.default.contentsEqual(atPath: large, andPath: machine.remote + "/copy") {
                    try #require(Date() < end, "it was not sent: \(machine.logTail)")
                    usleep(200_000)
                }
                let growth = try peak(of: provider) - before
                #expect(growth < 96_000, "192 MB went through it twice, and \(growth) KiB stayed at a time")
            }
        }
    }

    /// The most memory that a process has had, in KiB.
    private func peak(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
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
            try WebDAVServer.with(machine, password: Self.password) { server in
                let refused = try server.addDomain(password: "wr0ng")
                #expect(refused.status == 1 && refused.errors.contains("sign-in"), "\(refused.errors)")
                #expect(!refused.errors.contains("wr0ng") && !machine.logTail.contains("wr0ng"))
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
            }
        }
    }

    @Test("RS-1: what a server guarantees is found out from inside the sandbox, and kept where people can read it")
    func tryingTheServer() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain(isTried: true)
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

    @Test("RS-10: that a server protects nobody's changes is seen in every status, where it is written to all the same")
    func unsafeServer() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                let added = try server.addDomain(password: Self.password, ["single-writer=true"], isTried: true)
                try #require(added.status == 0, "\(added.errors)")
                let file = machine.root + "/.docent/providers/web/server.txt"
                try #require(Machine.eventually(within: 240) { machine.read(file) != nil }, "\(machine.logTail)")
                #expect(try !machine.succeed("status").contains("warning"))
                // As if the server were another one: what was found out is believed.
                try machine.succeed("host", "stop")
                let verdict = try #require(machine.read(file)).replacing("\nconditional-changes\n", with: "\nnothing\n")
                try machine.write(verdict, to: file)
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                let isTold = try Machine.eventually {
                    let status = try machine.succeed("status")
                    return status.contains("web: warning: ") && status.contains("unsafe-single-writer")
                }
                #expect(isTold, "\((try? machine.succeed("status")) ?? "")")
                #expect(try machine.succeed("domain", "list").contains("unsafe-single-writer"))
                try machine.write("new", to: machine.folder + "/new")
                try machine.succeed("export", machine.folder + "/new", "web:/b.txt")
                #expect(Machine.eventually { machine.read(machine.remote + "/b.txt") == "new" })
            }
        }
    }
}
