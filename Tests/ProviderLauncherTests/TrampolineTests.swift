import DocumentTransport
import Foundation
import Glibc
import SystemPackage
import Testing

@Suite("The trampoline", .timeLimit(.minutes(1)))
struct TrampolineTests {
    private func run(_ arguments: [String]) throws -> (output: String, status: CInt) {
        let process = try SpawnedProcess(trampoline, arguments)
        return (try process.allOutput(), process.status())
    }

    private var me: String { String(getpid()) }

    @Test func itStartsTheProgramWithItsArguments() throws {
        let (output, status) = try run([me, "/bin/sh", "-c", "echo \"$1|$2\"; exit 3", "x", "a b", ""])
        #expect(output == "a b|\n")
        #expect(status == 3)
    }

    @Test func aMissingProgramEndsWith127AndSaysSo() throws {
        let (output, status) = try run([me, "/no/such/program"])
        #expect(output == "docent-trampoline: cannot execute /no/such/program: No such file or directory\n")
        #expect(status == 127)
    }

    @Test func aMissingInterpreterIsToldApartFromAMissingProgram() throws {
        let folder = try TemporaryFolder()
        let script = try folder.file("script", "#!/no/such/interpreter\n", mode: 0o755)
        let (output, status) = try run([me, script.string])
        #expect(
            output
                == "docent-trampoline: cannot execute \(script): No such file or directory (its interpreter or loader is missing)\n"
        )
        #expect(status == 127)
    }

    @Test func whatCannotBeExecutedEndsWith126() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("file", "text", mode: 0o644)
        let (output, status) = try run([me, file.string])
        #expect(output == "docent-trampoline: cannot execute \(file): Permission denied\n")
        #expect(status == 126)
    }

    @Test("Rule 44: it refuses to run for a parent that is gone")
    func itRefusesToRunForAParentThatIsGone() throws {
        let (output, status) = try run(["1", "/bin/echo", "started"])
        #expect(output == "docent-trampoline: the host (process 1) is gone\n")
        #expect(status == 125)
    }

    @Test(
        "It explains itself when it is called wrongly",
        arguments: [[], ["x", "/bin/true"], ["12"], ["-1", "/bin/true"]])
    func usage(arguments: [String]) throws {
        let (output, status) = try run(arguments)
        #expect(output.hasPrefix("usage: docent-trampoline PARENT PROGRAM"))
        #expect(status == 64)
    }

    @Test("Rules 48, 53: the program gets signals as they are by default, limits, a private mask and no new privileges")
    func theProgramGetsLimitsAPrivateMaskAndNoNewPrivileges() throws {
        let script = """
            umask; ulimit -c; ulimit -n
            while read -r line; do case $line in NoNewPrivs*|SigBlk*|SigIgn*) echo "$line" | tr '\\t' ' ';; esac; done \
            < /proc/self/status
            """
        // As a host does.
        ignoreBrokenPipeSignal()
        let lines = try run([me, "/bin/sh", "-c", script]).output.split(separator: "\n")
        #expect(
            lines == [
                "0077", "0", "1024", "SigBlk: 0000000000000000", "SigIgn: 0000000000000000", "NoNewPrivs: 1",
            ])
    }

    @Test("Rule 49: the program inherits no descriptors but its three")
    func theProgramInheritsNoDescriptorsButItsThree() throws {
        // One that is open in this process on purpose, without close-on-exec.
        let leak = dup(0)
        defer { close(leak) }
        let (output, _) = try run([me, "/bin/sh", "-c", "echo /proc/self/fd/*"])
        // The shell itself holds the one that it lists the folder with.
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { $0.split(separator: "/").last }
        #expect(numbers.starts(with: ["0", "1", "2"]) && numbers.count <= 4, "\(numbers)")
    }

    @Test("DESIGN 9: a confined program can read its own arguments, also when the kernel forgets names in between")
    func theProgramCanReadItsArguments() throws {
        let folder = try TemporaryFolder()
        let script = """
            echo $$; while [ ! -e "$1" ]; do :; done; IFS= read -r line < /proc/$$/cmdline; echo "line: $line"
            """
        let process = try SpawnedProcess(
            trampoline,
            [me, "--confine", "--execute", "/usr", "--", "/usr/bin/sh", "-c", script, "sh", "\(folder.path)/go"])
        let program = try process.line()
        // The kernel has the names of what somebody has open.
        let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process.pid)/fd/\($0)")
        }
        for name in ["cmdline", "maps"] { #expect(held.contains("/proc/\(program)/\(name)"), "\(held)") }
        // Where it may be told to forget all others, it is.
        if let names = try? FileDescriptor.open("/proc/sys/vm/drop_caches", .writeOnly) {
            try names.closeAfter { _ = try? names.writeAll("2\n".utf8) }
        }
        try folder.file("go", "")
        #expect(try process.line().hasPrefix("line: /usr/bin/sh"))
        #expect(process.status() == 0)
    }
}
