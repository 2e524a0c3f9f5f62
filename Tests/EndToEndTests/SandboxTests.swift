import Foundation
import Glibc
import Testing

/// What a provider of a real host can reach, as an ordinary provider in Python finds it; and what people are told.
@Suite(.serialized) struct SandboxTests {
    private func install(_ machine: Machine) throws {
        try machine.installPythonProvider("CuriousProvider", with: ["docent_provider.py", "generate"])
    }

    /// What came of each attempt, in a domain of its own.
    private func outcomes(
        _ attempts: [String], on machine: Machine, settings: [String] = []
    ) throws -> [String: String] {
        let result = try machine.run(
            machine.folder + "/bin/docent",
            ["domain", "add", "bad", "--provider", "org.example.curious", "--set"]
                + ["attempts=" + attempts.joined(separator: ";")] + settings.flatMap { ["--set", $0] })
        try #require(result.status == 0, "\(result.errors) \(machine.logTail)")
        let lines = try machine.succeed("cat", "bad:/result.txt").split(separator: "\n")
        return lines.reduce(into: [:]) { outcomes, line in
            guard let colon = line.range(of: ": ", options: .backwards) else { return }
            outcomes[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
    }

    @Test("DESIGN 9: a provider cannot reach the home, other domains, the index, the host or the network")
    func refusals() throws {
        try Machine.with(environment: ["SECRET_TOKEN": "s3cret", "SSH_AUTH_SOCK": "/tmp/agent"]) { machine in
            try install(machine)
            try machine.write("secret", to: machine.folder + "/home/secret")
            try machine.write("remote", to: machine.remote + "/file")
            try machine.succeed("domain", "add", "mem", "--provider", "org.example.memory")
            try machine.succeed("cat", "mem:/Welcome.md")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let host = try #require(machine.daemon)
            let other = try #require(machine.processes(named: "FolderProvider").first)
            let socket = try #require(
                FileManager.default.subpaths(atPath: machine.folder + "/run")?.first { $0.hasSuffix(".sock") })
            let docent = machine.root + "/.docent"
            // As the host keeps what a domain signs in with.
            try machine.write("docent secrets 1\npassword=p\n", to: docent + "/secrets/work")
            try #require(chmod(docent + "/secrets/work", 0o600) == 0)
            let listener = try Server()
            let refused = [
                "read \(machine.folder)/home/secret", "list \(machine.folder)/home", "write \(machine.folder)/home/new",
                "remove \(machine.folder)/home/secret", "link-out \(machine.folder)/home/secret",
                "chmod \(machine.folder)/home/secret", "read \(machine.remote)/file",
                "read \(machine.root)/documents/mem/Welcome.md", "write \(machine.root)/documents/mem/Welcome.md",
                "list \(machine.root)/documents", "list \(machine.root)/documents/bad", "read \(docent)/index.sqlite",
                "read \(docent)/secrets/work", "list \(docent)/secrets", "write \(docent)/secrets/new",
                "write \(docent)/index.sqlite", "read \(docent)/host.log", "read \(docent)/host.lock",
                "list \(docent)/providers/work", "read \(docent)/providers/work/state",
                "list \(docent)/staging/fetch/mem", "list \(docent)/staging/send/work", "write \(docent)/staging/new",
                "write \(docent)/staging/fetch/bad/new", "list \(docent)/temporary/work",
                "write \(machine.folder)/bin/providers/CuriousProvider/provider.toml", "read /etc/shadow",
                "read /proc/\(host)/environ", "memory-of \(host)", "list /dev", "list /tmp",
                "connect \(listener.port)", "connect-unix \(machine.folder)/run/\(socket)", "udp",
                "signal \(host)", "signal \(other)", "signal-group", "trace \(other)", "fork", "program /usr/bin/id",
                "unshare",
            ]
            let granted = [
                "own-file", "temporary", "read /usr/lib/os-release", "no-variable SECRET_TOKEN",
                "no-variable SSH_AUTH_SOCK", "no-variable XDG_RUNTIME_DIR",
            ]
            let outcomes = try outcomes(refused + granted, on: machine)
            for attempt in refused {
                let outcome = outcomes[attempt] ?? "none"
                #expect(["EACCES", "EPERM"].contains(outcome), "\(attempt): \(outcome)")
            }
            for attempt in granted { #expect(outcomes[attempt] == "allowed", "\(attempt)") }
            #expect(machine.read(machine.folder + "/home/secret") == "secret")
            #expect(try machine.succeed("cat", "mem:/Welcome.md").hasPrefix("# Welcome"))
            #expect(try machine.succeed("cat", "work:/file") == "remote")
        }
    }

    @Test("DESIGN 9: what a manifest asks for and a user gives is granted, and nothing around it")
    func grants() throws {
        try Machine.with { machine in
            try install(machine)
            try FileManager.default.createDirectory(
                atPath: machine.folder + "/given/sub", withIntermediateDirectories: true)
            try machine.write("text", to: machine.folder + "/given/sub/file")
            try machine.write("text", to: machine.remote + "/file")
            let (wanted, other) = (try Server(), try Server())
            let outcomes = try outcomes(
                [
                    "read \(machine.folder)/given/sub/file", "write \(machine.folder)/given/new",
                    "connect \(wanted.port)", "read \(machine.remote)/file", "connect \(other.port)", "udp",
                ], on: machine, settings: ["given=\(machine.folder)/given", "port=\(wanted.port)"])
            #expect(outcomes["read \(machine.folder)/given/sub/file"] == "allowed")
            #expect(outcomes["write \(machine.folder)/given/new"] == "allowed")
            #expect(outcomes["connect \(wanted.port)"] == "allowed")
            #expect(outcomes["read \(machine.remote)/file"] == "EACCES")
            #expect(outcomes["connect \(other.port)"] == "EACCES")
            #expect(outcomes["udp"] == "EACCES")
        }
    }

    @Test("63: people are told what a provider may do, when they look and when they add a domain")
    func words() throws {
        try Machine.with { machine in
            let shown = try machine.succeed("provider", "show", "org.docent.folder")
            let sentences = [
                "May read and change: the folder you give as “folder”, and all that is in it.",
                "May be told which files are opened and changed in every folder that you may read.",
                "May not use the network.", "May not start other programs.",
                "May use up to 1024 MiB of memory and 1024 open files.",
            ]
            for sentence in sentences { #expect(shown.contains("\n  \(sentence)\n"), "\(shown)") }
            let added = try machine.docent(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            #expect(added.status == 0)
            for sentence in sentences { #expect(added.errors.contains("\n  \(sentence)\n"), "\(added.errors)") }
            let provider = try machine.json("provider", "show", "org.docent.folder") as? [String: Any]
            #expect(provider?["permissions"] as? [String] == sentences)
            #expect(provider?["notEnforced"] as? [String] != nil)
        }
    }

    /// From now on the machine's daemon finds no Landlock, or that of an older kernel.
    private func withoutLandlock(_ machine: Machine, but version: String = "") throws {
        let daemon = machine.folder + "/bin/docentd"
        try FileManager.default.moveItem(atPath: daemon, toPath: daemon + "-itself")
        try machine.write(
            "#!/bin/sh\nexec '\(Machine.programs)/without-landlock' \(version) '\(daemon)-itself' '\(daemon)' \"$@\"\n",
            to: daemon)
        chmod(daemon, 0o755)
    }

    @Test("Where the kernel has no Landlock, no provider is started before the user has said so")
    func noLandlock() throws {
        try Machine.with { machine in
            try withoutLandlock(machine)
            let added = try machine.docent("domain", "add", "mem", "--provider", "org.example.memory")
            #expect(added.status == 1)
            #expect(added.errors.contains("this kernel has no Landlock"), "\(added.errors)")
            #expect(added.errors.contains("docentd --allow-unsandboxed"), "\(added.errors)")
            #expect(machine.providers.isEmpty)
            #expect(try machine.succeed("provider", "show", "org.example.memory").contains("so it is not started"))
            #expect(machine.logTail.contains("This kernel has no Landlock: providers are not started"))
            try machine.succeed("host", "stop")
        }
        try Machine.with(environment: ["DOCENT_ALLOW_UNSANDBOXED": "1"]) { machine in
            try install(machine)
            try withoutLandlock(machine)
            try machine.write("secret", to: machine.folder + "/home/secret")
            let listener = try Server()
            // All that does not need Landlock holds.
            let refused = [
                "connect \(listener.port)", "udp", "fork", "signal 1", "chmod \(machine.folder)/home/secret",
            ]
            let free = "read \(machine.folder)/home/secret"
            let outcomes = try outcomes(refused + [free], on: machine)
            for attempt in refused {
                #expect(["EACCES", "EPERM"].contains(outcomes[attempt] ?? "none"), "\(attempt)")
            }
            #expect(outcomes[free] == "allowed", "it is as the user was told")
            #expect(try machine.succeed("provider", "show", "org.example.curious").contains("all files that you may"))
        }
    }

    @Test(
        "Where the kernel's Landlock is too old for what a provider asks for, it is not started before the user says so"
    )
    func oldLandlock() throws {
        try Machine.with { machine in
            try install(machine)
            try withoutLandlock(machine, but: "3")
            try machine.succeed("domain", "add", "mem", "--provider", "org.example.memory")
            #expect(try machine.succeed("cat", "mem:/Welcome.md").hasPrefix("# Welcome"))
            #expect(
                try machine.succeed("provider", "show", "org.example.curious").contains(
                    "would let it connect to every port, so it is not started"))
            let added = try machine.docent(
                "domain", "add", "bad", "--provider", "org.example.curious", "--set", "given=\(machine.remote)",
                "--set", "port=1", "--set", "attempts=fork")
            #expect(added.status == 1)
            #expect(added.errors.contains("this kernel's Landlock (version 3)"), "\(added.errors)")
            #expect(added.errors.contains("docentd --allow-unsandboxed"), "\(added.errors)")
        }
    }

    @Test("DESIGN 9: a user cannot give a provider Docent's own storage, or a whole home, by mistake")
    func mistakes() throws {
        try Machine.with { machine in
            for folder in [machine.folder, machine.root, machine.root + "/documents", machine.folder + "/home", "/"] {
                let added = try machine.docent(
                    "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(folder)")
                #expect(added.status == 1, "\(folder)")
                #expect(added.errors.contains("may not change “\(folder)”"), "\(added.errors)")
                #expect(try machine.succeed("domain", "list").contains("no domain yet"))
            }
        }
    }
}

/// A TCP server on this machine that nobody answers for.
private final class Server {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isUp = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                    && listen(descriptor, 8) == 0
            }
        }
        guard isUp else { throw Machine.Failure(description: "no server: errno \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
