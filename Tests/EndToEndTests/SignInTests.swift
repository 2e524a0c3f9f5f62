import Foundation
import Glibc
import Testing

/// Signing in and out, through the whole product, with a real server.
@Suite(.serialized) struct SignInTests {
    private static let password = "s3cret-of-ann"
    private static let wrong = "wr0ng-guess"

    func isSignInNeeded(_ machine: Machine) throws -> Bool {
        try machine.succeed("domain", "list").contains("sign-in needed")
    }

    /// A secret as it is, and as ann sends it; and both as recorded traffic has bytes.
    static func forms(of secret: String) -> [Data] {
        [secret, Data("ann:\(secret)".utf8).base64EncodedString()].flatMap {
            [Data($0.utf8), Data(hexadecimal($0.utf8).utf8)]
        }
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(format: "%02X", $0) }.joined()
    }

    /// Every file below the root, but the store's own, is looked through.
    func expectNowhereButInTheStore(_ secret: String, _ machine: Machine, isKept: Bool) throws {
        let forms = Self.forms(of: secret)
        var holders: [String] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: machine.root) {
            guard let contents = FileManager.default.contents(atPath: machine.root + "/" + path) else { continue }
            if forms.contains(where: { contents.range(of: $0) != nil }) { holders.append(path) }
        }
        #expect(holders == (isKept ? [".docent/secrets/web"] : []))
        var status = stat()
        if isKept {
            #expect(lstat(machine.root + "/.docent/secrets/web", &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(lstat(machine.root + "/.docent/secrets", &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
        for process in machine.processes(named: "docentd") + machine.processes(named: "WebDAVProvider") {
            for file in ["cmdline", "environ"] {
                let text = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
                #expect(!forms.contains { text.range(of: $0) != nil }, "\(file)")
            }
            let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(
                ["0", "1"].contains(core?.split(separator: " ").dropFirst(4).first),
                "a crash writes no memory to a file: \(core ?? "")")
        }
    }

    @Test(
        "AUTH-1, AUTH-5: a domain added without its password waits for docent login, which tells a wrong one")
    func signingInLater() throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                let added = try machine.docent(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set",
                    "url=http://127.0.0.1:\(server.port)/")
                #expect(added.status == 0 && added.errors.contains("docent login web"), "\(added.errors)")
                #expect(try isSignInNeeded(machine))
                let listed = try machine.docent("ls", "web:/")
                #expect(listed.status == 1 && listed.errors.contains("docent login web"), "\(listed.errors)")

                let wrong = try machine.docent(
                    "login", "web", "--set", "user=ann", "--set", "password=-", input: Self.wrong + "\n")
                #expect(wrong.status == 1 && wrong.errors.contains("does not accept the sign-in"), "\(wrong.errors)")
                #expect(try isSignInNeeded(machine))
                try expectNowhereButInTheStore(Self.wrong, machine, isKept: false)
                let other = try machine.docent("login", "web", "--set", "url=http://127.0.0.1:1/")
                #expect(other.status == 1 && other.errors.contains("“url” is not for signing in"), "\(other.errors)")
                let typed = try machine.docent("login", "web", "--set", "user=ann", "--set", "password=\(Self.wrong)")
                #expect(typed.status == 64, "a password is not for the command line")

                let right = try machine.docent(
                    "login", "web", "--set", "user=ann", "--set", "password=-", input: Self.password + "\n")
                #expect(right.status == 0 && right.errors.contains("signed in to web"), "\(right.errors)")
                #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
                #expect(try !isSignInNeeded(machine))
                try machine.succeed("host", "stop")
                #expect(try machine.succeed("ls", "web:/").contains("a.txt"), "the next host knows it, too")
                for words in [["domain", "show", "web"], ["domain", "list", "--json"], ["status"]] {
                    let said = try machine.run(machine.folder + "/bin/docent", words)
                    #expect(!(said.output + said.errors).contains(Self.password), "\(words)")
                }
                try expectNowhereButInTheStore(Self.password, machine, isKept: true)
                try machine.succeed("domain", "remove", "web")
                try expectNowhereButInTheStore(Self.password, machine, isKept: false)
            }
        }
    }

    @Test(
        "PROV-22: a password changed on the server stops what is sent until somebody signs in; then it goes on"
    )
    func changedPassword() throws {
        try Machine.with { machine in
            try machine.write("one", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "one")
                try #require(
                    Machine.eventually(within: 240) {
                        FileManager.default.fileExists(atPath: machine.root + "/.docent/providers/web/server.txt")
                    })
                try server.setPassword("another-0ne")
                // As any program does.
                try machine.write("two", to: machine.root + "/documents/web/a.txt")
                #expect(try Machine.eventually(within: 30) { try isSignInNeeded(machine) }, "\(machine.logTail)")
                #expect(try machine.succeed("domain", "show", "web").contains("docent login web"))
                // Until somebody signs in nothing knocks again.
                let before = server.refusals
                usleep(4_000_000)
                #expect(before > 0 && server.refusals == before)
                #expect(machine.read(machine.remote + "/a.txt") == "one")

                let wrong = try machine.docent("login", "web", "--set", "password=-", input: Self.wrong)
                #expect(wrong.status == 1 && wrong.errors.contains("is as it was"), "\(wrong.errors)")
                let right = try machine.docent("login", "web", "--set", "password=-", input: "another-0ne")
                #expect(right.status == 0, "\(right.errors)")
                #expect(
                    Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "two" },
                    "what waited is sent by itself: \(machine.logTail)")
                #expect(try !isSignInNeeded(machine))
                try expectNowhereButInTheStore("another-0ne", machine, isKept: true)
                try expectNowhereButInTheStore(Self.password, machine, isKept: false)
            }
        }
    }

    @Test(
        "AUTH-3, AUTH-4, AUTH-6: docent logout keeps what is unsent; else all goes, and login brings it back"
    )
    func signingOut() throws {
        try Machine.with { machine in
            try machine.write("one", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "one")
                try machine.succeed("pause", "web:/")
                let file = machine.root + "/documents/web/a.txt"
                try machine.write("unsent", to: file)
                #expect(try Machine.eventually { try machine.state("web:/a.txt") == "changed" })
                let refused = try machine.docent("logout", "web")
                #expect(
                    refused.status == 1 && refused.errors.contains("web:/a.txt")
                        && refused.errors.contains("--drop-unsent"), "\(refused.errors)")
                #expect(machine.read(file) == "unsent")
                #expect(try machine.succeed("cat", "web:/a.txt") == "unsent")

                try machine.succeed("logout", "web", "--drop-unsent")
                #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/web"))
                try expectNowhereButInTheStore(Self.password, machine, isKept: false)
                #expect(machine.processes(named: "WebDAVProvider").isEmpty)
                let read = try machine.docent("cat", "web:/a.txt")
                #expect(read.status == 1 && read.errors.contains("docent login web"), "\(read.errors)")
                #expect(try isSignInNeeded(machine))
                try machine.succeed("host", "stop")
                #expect(try isSignInNeeded(machine), "the next host knows it, too")
                try machine.succeed("logout", "web")

                try machine.succeed(
                    "login", "web", "--set", "user=ann", "--set", "password=@\(machine.folder)/password")
                #expect(try machine.succeed("cat", "web:/a.txt") == "one", "what was dropped was never sent")
            }
        }
    }

    @Test("AUTH-6: a document in conflict keeps a domain from being signed out")
    func conflictWhenSigningOut() throws {
        try Machine.with { machine in
            try machine.write("one", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "one")
                try machine.succeed("pause", "web:/")
                try machine.write("mine", to: machine.root + "/documents/web/a.txt")
                #expect(try Machine.eventually { try machine.state("web:/a.txt") == "changed" })
                try machine.write("theirs!", to: machine.remote + "/a.txt")
                try machine.succeed("resume", "web:/")
                #expect(
                    try Machine.eventually(within: 60) { try machine.succeed("conflicts").contains("web:/a.txt") },
                    "\(machine.logTail)")
                let refused = try machine.docent("logout", "web")
                #expect(
                    refused.status == 1 && refused.errors.contains("web:/a.txt")
                        && refused.errors.contains("--drop-unsent"), "\(refused.errors)")
                #expect(try machine.succeed("conflicts").contains("web:/a.txt"))
                #expect(try !isSignInNeeded(machine))
                try machine.succeed("resolve", "web:/a.txt", "--keep", "both")
                #expect(
                    Machine.eventually(within: 60) {
                        let names = (try? FileManager.default.contentsOfDirectory(atPath: machine.remote)) ?? []
                        return names.compactMap { machine.read(machine.remote + "/" + $0) }.contains("mine")
                    }, "\(machine.logTail)")
                #expect(try Machine.eventually(within: 30) { try machine.docent("logout", "web").status == 0 })
            }
        }
    }

    @Test("AUTH-6: what was removed here, and the server has not heard of, keeps a domain from being signed out")
    func untoldRemoval() throws {
        try Machine.with { machine in
            try machine.write("one", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
                try machine.succeed("cat", "web:/a.txt")
                kill(server.process, SIGKILL)
                try machine.succeed("rm", "--no-wait", "web:/a.txt")
                let refused = try machine.docent("logout", "web")
                #expect(refused.status == 1 && refused.errors.contains("removals and new names"), "\(refused.errors)")
                try machine.succeed("logout", "web", "--drop-unsent")
            }
        }
    }

    /// With a domain that nobody has signed in to, and a terminal.
    private func atTerminal(_ body: (Machine, WebDAVServer, TmuxTerminal) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("hello", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try machine.succeed(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set",
                    "url=http://127.0.0.1:\(server.port)/")
                try TmuxTerminal.with(machine, columns: 100) { terminal in
                    try body(machine, server, terminal)
                }
            }
        }
    }

    @Test("AUTH-5: at a terminal docent login asks, and does not show the password")
    func prompt() throws {
        try atTerminal { machine, _, terminal in
            try terminal.command("docent login web; echo status $?")
            try terminal.wait(for: "user:")
            try terminal.command("ann")
            try terminal.wait(for: "password:")
            try terminal.command(Self.wrong)
            try terminal.wait(for: "status 1")
            try terminal.command("clear; docent login web; echo status $?")
            try terminal.wait { $0.contains("user:") && !$0.contains("status 1") }
            try terminal.command("ann")
            try terminal.wait(for: "password:")
            try terminal.command(Self.password)
            let end = try terminal.wait(for: "status 0")
            #expect(end.contains("You are signed in to web."))
            #expect(!end.contains(Self.password) && !end.contains(Self.wrong), "\(end)")
            #expect(try machine.succeed("cat", "web:/a.txt") == "hello")
        }
    }

    @Test(
        "No password that is typed is in the arguments or the environment of any program, nor in a core that others can read"
    )
    func whileSigningIn() throws {
        try atTerminal { machine, server, terminal in
            try terminal.command("\(machine.folder)/bin/docent login web; echo status $?")
            try terminal.wait(for: "user:")
            try terminal.command("ann")
            try terminal.wait(for: "password:")
            // The sign-in stands still in its middle: each of them has the password.
            kill(server.process, SIGSTOP)
            defer { kill(server.process, SIGCONT) }
            try terminal.command(Self.password)
            for program in ["docent", "docentd", "docent-trampoline", "WebDAVProvider"] {
                let isThere = Machine.eventually(within: 30) { !machine.processes(named: program).isEmpty }
                #expect(isThere, "\(program)")
            }
            // Whoever is there has the password now, or soon.
            usleep(500_000)
            for program in ["docent", "docentd", "docent-trampoline", "WebDAVProvider"] {
                let processes = machine.processes(named: program)
                #expect(!processes.isEmpty, "\(program)")
                for process in processes {
                    for file in ["cmdline", "environ"] {
                        let text = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
                        #expect(text.range(of: Data(Self.password.utf8)) == nil, "\(program): \(file)")
                    }
                    let limits = machine.read("/proc/\(process)/limits") ?? ""
                    #expect(limits.contains(#/Max core file size +[01] /#), "\(program): \(limits)")
                }
            }
            kill(server.process, SIGCONT)
            try terminal.wait(for: "status 0")
        }
    }

    @Test(
        "A host killed while it signs out leaves the domain signed in or out, and never half",
        arguments: [0, 15, 40])
    func killedWhileSigningOut(milliseconds: UInt32) throws {
        try Machine.with { machine in
            for number in 0..<40 { try machine.write("\(number)", to: machine.remote + "/\(number).txt") }
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
                try machine.succeed("download", "web:/")
                let daemon = try #require(machine.daemon)
                let command = Process()
                command.executableURL = URL(fileURLWithPath: machine.folder + "/bin/docent")
                command.arguments = ["logout", "web"]
                command.environment = machine.environment
                command.standardError = FileHandle.nullDevice
                try command.run()
                usleep(20_000 + milliseconds * 1000)
                kill(daemon, SIGKILL)
                command.waitUntilExit()
                let hasSecret = { FileManager.default.fileExists(atPath: machine.root + "/.docent/secrets/web") }
                if try isSignInNeeded(machine) {
                    #expect(!hasSecret() && !FileManager.default.fileExists(atPath: machine.root + "/documents/web"))
                    try machine.succeed(
                        "login", "web", "--set", "user=ann", "--set", "password=@\(machine.folder)/password")
                } else {
                    #expect(hasSecret())
                }
                #expect(try machine.succeed("cat", "web:/7.txt") == "7")
            }
        }
    }
}
