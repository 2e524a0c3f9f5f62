import Foundation
import Testing

/// Bad input gets a clear error and changes nothing.
@Suite(.serialized) struct RefusalTests {
    private func withWork(environment: [String: String] = [:], _ body: (Machine) throws -> Void) throws {
        try Machine.with(environment: environment) { machine in
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    /// The errors' first line; the command must have failed with the status.
    private func complaint(_ result: Machine.Result, status: Int32 = 1) -> String {
        #expect(result.status == status)
        #expect(result.output == "")
        return result.errors.split(separator: "\n").first.map(String.init) ?? ""
    }

    @Test func anUnknownDomainIsNamedWithTheKnownOnes() throws {
        try withWork { machine in
            for words in [["ls"], ["cat"], ["stat"], ["mkdir"], ["evict"], ["download"], ["status"], ["rm"]] {
                let result = try machine.run(machine.folder + "/bin/docent", words + ["none:/x"])
                let text = complaint(result)
                #expect(text.hasPrefix("docent: There is no domain “none”"), "\(words): \(text)")
            }
        }
    }

    @Test func aLocationOutsideOfItsDomainIsWrongUsage() throws {
        try withWork { machine in
            for location in ["work:/../x", "work:/a/../../x", "work:x", "/etc/passwd", "work", "work:/./x"] {
                _ = complaint(try machine.docent("cat", location), status: 64)
            }
        }
    }

    @Test func whatIsNotThereIsNamed() throws {
        try withWork { machine in
            for command in ["cat", "open", "stat", "rm", "evict", "download", "ls"] {
                let text = complaint(try machine.docent(command, "work:/none.txt"))
                #expect(text.contains("work:/none.txt"), "\(command): \(text)")
            }
            for command in ["cat", "stat", "ls", "evict"] {
                let text = complaint(try machine.docent(command, "work:/one.txt/x/y"))
                #expect(text.hasPrefix("docent: There is no work:/one.txt/x/y: work:/one.txt is a document"), "\(text)")
            }
            let below = complaint(try machine.docent("mkdir", "work:/none/x"))
            #expect(below.contains("work:/none"), "\(below)")
            let beneathDocument = complaint(try machine.docent("mkdir", "work:/one.txt/x"))
            #expect(beneathDocument.contains("work:/one.txt"), "\(beneathDocument)")
        }
    }

    @Test func aDomainThatExistsOrHasBadSettingsIsRefused() throws {
        try withWork { machine in
            func add(_ words: String...) throws -> String {
                complaint(try machine.run(machine.folder + "/bin/docent", ["domain", "add"] + words))
            }
            #expect(
                try add("work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)").contains("work")
            )
            #expect(try add("x", "--provider", "org.docent.folder").contains("folder"))
            #expect(
                try add("x", "--provider", "org.docent.folder", "--set", "folder=/tmp", "--set", "colour=red").contains(
                    "colour"))
            #expect(
                try add(
                    "x", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)", "--set",
                    "read-only=perhaps"
                ).contains("read-only"))
            #expect(
                try add("x", "--provider", "org.docent.folder", "--set", "folder=\(machine.folder)/none").contains(
                    "\(machine.folder)/none"))
            #expect(try add("x", "--provider", "org.example.none").contains("org.example.none"))
            let domains = try machine.json("domain", "list") as? [[String: Any]]
            #expect(domains?.compactMap { $0["name"] as? String } == ["work"])
        }
    }

    @Test func whatAReadOnlyDomainRefusesChangesNothing() throws {
        try Machine.with { machine in
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.write("x\n", to: machine.folder + "/work/x.txt")
            try machine.succeed(
                "domain", "add", "ro", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)", "--set",
                "read-only=true")
            #expect(try machine.succeed("cat", "ro:/one.txt") == "one\n")
            _ = complaint(try machine.docent("export", "x.txt", "ro:/"))
            _ = complaint(try machine.docent("move", "x.txt", "ro:/"))
            _ = complaint(try machine.docent("mkdir", "ro:/y"))
            _ = complaint(try machine.docent("rm", "ro:/one.txt"))
            _ = complaint(try machine.docent("rename", "ro:/one.txt", "two.txt"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.remote) == ["one.txt"])
            #expect(machine.read(machine.remote + "/one.txt") == "one\n")
            #expect(machine.read(machine.folder + "/work/x.txt") == "x\n")
        }
    }

    @Test("XFER-10: what was not sent is not evicted, not removed and not forgotten unasked")
    func unsentIsKept() throws {
        try withWork { machine in
            try machine.succeed("cat", "work:/one.txt")
            // The remote goes away, so that nothing can be sent.
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            let edit = try machine.docent(
                "edit", "--no-wait", "work:/one.txt", "--with", "sh", "-c", "echo mine >> '{}'")
            #expect(edit.status == 0, "\(edit.errors)")
            #expect(complaint(try machine.docent("evict", "work:/one.txt")).contains("work:/one.txt"))
            #expect(complaint(try machine.docent("domain", "remove", "work")).contains("work"))
            let path = machine.root + "/documents/work/one.txt"
            #expect(machine.read(path) == "one\nmine\n")
            let status = try machine.json("status") as? [String: Any]
            #expect((status?["domains"] as? [[String: Any]])?.first?["unsent"] as? Int == 1)

            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/one.txt") == "one\nmine\n" },
                "the edit was not sent: \(machine.logTail)")
        }
    }

    // MARK: Providers that are no good

    /// A bundle of its own, beside the good ones.
    private func withBundle(
        _ manifest: String, script: String?, _ body: (Machine) throws -> Void
    ) throws {
        try Machine.with { machine in
            let bundle = machine.folder + "/home/.local/share/docent/providers/Bad"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try machine.write(manifest, to: bundle + "/provider.toml")
            if let script {
                try machine.write("#!/bin/sh\n" + script, to: bundle + "/bad")
                chmod(bundle + "/bad", 0o755)
            }
            try body(machine)
        }
    }

    private static let manifest = """
        identifier = "org.example.bad"
        name = "Bad"
        version = "1.0"
        executable = "bad"
        protocol-versions = [1]
        modes = ["open"]
        """

    @Test func aWrongManifestIsNamedAndTheOthersGoOn() throws {
        for (wrong, word) in [
            ("identifier = 7", "identifier"), ("this is no TOML", "provider.toml"),
            (Self.manifest + "\nmodes = []", "provider.toml"),
        ] {
            try withBundle(wrong, script: "exit 0\n") { machine in
                let json = try machine.json("provider", "list") as? [String: Any]
                let problems = json?["problems"] as? [String] ?? []
                #expect(problems.count == 1)
                #expect(problems.first?.contains(word) == true, "\(problems)")
                #expect((json?["providers"] as? [Any])?.isEmpty == false)
                #expect(try machine.succeed("provider", "list").contains("Not usable: "))
            }
        }
    }

    @Test func aMissingExecutableIsNamed() throws {
        try withBundle(Self.manifest, script: nil) { machine in
            let json = try machine.json("provider", "list") as? [String: Any]
            #expect((json?["problems"] as? [String])?.first?.contains("bad") == true)
        }
    }

    @Test(arguments: [
        "exit 3\n", "echo 'I cannot start today' >&2; exit 1\n", "echo not a preface\nsleep 5\n", "exec cat\n",
    ])
    func aProviderThatFailsAtHelloIsAClearErrorAndNoDomain(script: String) throws {
        try withBundle(Self.manifest, script: script) { machine in
            let text = complaint(try machine.docent("domain", "add", "bad", "--provider", "org.example.bad"))
            #expect(text.contains("Bad") || text.contains("org.example.bad"), "\(text)")
            #expect(try (machine.json("domain", "list") as? [Any])?.isEmpty == true)
            #expect(machine.processes(named: "sh").isEmpty && machine.processes(named: "cat").isEmpty)
            // The host is well, and so is everything else.
            try machine.succeed("domain", "add", "mem", "--provider", "org.example.memory")
            #expect(try machine.succeed("cat", "mem:/Welcome.md").hasPrefix("# Welcome"))
        }
    }

    // MARK: The host

    @Test func aHostThatCannotComeUpIsAClearErrorWithItsLog() throws {
        try Machine.with { machine in
            // The root is a file.
            let broken = machine.folder + "/file"
            try machine.write("", to: broken)
            let text = complaint(try machine.docent("ls", "work:/", environment: ["DOCENT_ROOT": broken]))
            #expect(text.contains(broken))
            let relative = complaint(
                try machine.docent("ls", "work:/", environment: ["DOCENT_ROOT": "here"]), status: 78)
            #expect(relative == "docent: DOCENT_ROOT is “here”: set it to an absolute path.")
            let long = machine.folder + "/" + String(repeating: "x", count: 100)
            let socket = complaint(
                try machine.docent("ls", "work:/", environment: ["XDG_RUNTIME_DIR": long]), status: 78)
            #expect(socket.contains("set XDG_RUNTIME_DIR to a folder with a shorter path"))
        }
    }

    @Test func severalToolsThatStartAHostAtOnceShareOne() throws {
        try Machine.with { machine in
            let docent = "'\(machine.folder)/bin/docent' host start >/dev/null"
            let starts = (0..<8).map { _ in "\(docent) & pids=\"$pids $!\";" }.joined(separator: " ")
            let result = try machine.run(
                "/bin/bash", ["-c", "\(starts) failed=0; for p in $pids; do wait $p || failed=1; done; exit $failed"])
            #expect(result.status == 0, "\(result.errors)")
            // Those that came second end by themselves.
            #expect(Machine.eventually { machine.processes(named: "docentd").count == 1 })
            #expect(try machine.succeed("host", "status").hasPrefix("Host"))
        }
    }
}
