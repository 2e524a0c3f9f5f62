import Foundation
import Testing

/// The provider is killed while it provides or receives: an operation completes after a restart, or ends in a clear
/// error; nothing is torn, nothing is lost.
@Suite(.serialized) struct ProviderKillTests {
    private static let size = 256 << 20

    private func same(_ one: String, _ other: String) -> Bool {
        FileManager.default.contentsEqual(atPath: one, andPath: other)
    }

    /// Kills the provider again and again while a body runs.
    private func whileKilling<Value>(
        _ machine: Machine, every microseconds: UInt32, times: Int, _ body: () throws -> Value
    )
        rethrows -> Value
    {
        let killer = Thread {
            for _ in 0..<times where !Thread.current.isCancelled {
                usleep(microseconds)
                for pid in machine.processes(named: "FolderProvider") { kill(pid, SIGKILL) }
            }
        }
        killer.start()
        defer {
            killer.cancel()
            while !killer.isFinished { usleep(1000) }
        }
        return try body()
    }

    @Test("PROV-18: a provider that is killed while it provides leaves no torn document, and is asked again")
    func killedWhileProviding() throws {
        try Machine.with { machine in
            try machine.fill(machine.remote + "/large.bin", mebibytes: Self.size >> 20)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let path = machine.root + "/documents/d/large.bin"
            for delay in [20_000, 60_000, 120_000] as [UInt32] {
                let result = try whileKilling(machine, every: delay, times: 1) {
                    try machine.docent("open", "d:/large.bin")
                }
                if result.status == 0 {
                    #expect(same(path, machine.remote + "/large.bin"), "torn")
                } else {
                    #expect(result.errors.hasPrefix("docent: "))
                    #expect(!FileManager.default.fileExists(atPath: path), "a failed transfer left a file")
                }
                // A supervisor that saw several deaths waits before it starts the provider again; a new host does not.
                try machine.succeed("host", "stop")
                try machine.succeed("open", "d:/large.bin")
                #expect(same(path, machine.remote + "/large.bin"))
                try machine.succeed("evict", "d:/large.bin")
            }
        }
    }

    @Test("A provider that is killed while it receives loses no edit, and the remote is never torn")
    func killedWhileReceiving() throws {
        try Machine.with { machine in
            try machine.fill(machine.remote + "/large.bin", mebibytes: Self.size >> 20)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let path = machine.root + "/documents/d/large.bin"
            for (round, delay) in ([30_000, 90_000, 200_000] as [UInt32]).enumerated() {
                try machine.succeed("open", "d:/large.bin")
                let before = try machine.run("/usr/bin/sha256sum", [machine.remote + "/large.bin"]).output.prefix(64)
                let result = try whileKilling(machine, every: delay, times: 4) {
                    try machine.docent(
                        "edit", "d:/large.bin", "--with", "sh", "-c",
                        "printf 'round \(round)' | dd of=\"$0\" conv=notrunc status=none")
                }
                if result.status != 0 { #expect(result.errors.hasPrefix("docent: "), "\(result.errors)") }
                let now = try machine.run("/usr/bin/sha256sum", [machine.remote + "/large.bin"]).output.prefix(64)
                let here = try machine.run("/usr/bin/sha256sum", [path]).output.prefix(64)
                #expect(now == before || now == here, "the remote has neither the old nor the new contents")
                // A supervisor that saw too many deaths waits; a new host does not.
                try machine.succeed("host", "stop")
                _ = Machine.eventually { machine.daemon == nil }
                try machine.succeed("status")
                #expect(
                    Machine.eventually(within: 30) { same(path, machine.remote + "/large.bin") },
                    "the edit of round \(round) did not arrive: \(machine.logTail)")
                // The contents are there before the provider has said so.
                #expect(
                    try Machine.eventually(within: 30) {
                        try machine.docent("status").output.contains("in sync")
                    })
            }
        }
    }

    @Test("A provider that dies at hello is a clear error at once, and changes nothing")
    func diesAtHello() throws {
        try Machine.with { machine in
            let bundle = machine.folder + "/bin/providers/Dying"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try machine.write(
                """
                identifier = "org.example.dying"
                name = "Dying"
                version = "1"
                executable = "dying"
                protocol-versions = [1]
                modes = ["open"]
                """, to: bundle + "/provider.toml")
            try machine.write("#!/bin/sh\necho 'the disk is on fire' >&2\nexit 3\n", to: bundle + "/dying")
            chmod(bundle + "/dying", 0o755)
            let result = try machine.docent("domain", "add", "x", "--provider", "org.example.dying", timeout: 30)
            #expect(result.status == 1)
            #expect(result.errors.contains("x"), "\(result.errors)")
            #expect(result.errors.contains("status 3") || result.errors.contains("exit"), "\(result.errors)")
            #expect(result.errors.contains("the disk is on fire"), "\(result.errors)")
            #expect(try machine.succeed("domain", "list").contains("no domain"))
        }
    }
}
