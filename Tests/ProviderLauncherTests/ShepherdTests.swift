import DocumentTransport
import Glibc
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A provider's shepherd: nothing of a provider outlives it, nor the host", .timeLimit(.minutes(2)))
struct ShepherdTests {
    /// A provider with a child, a child that is stopped, one in a session of its own with a child of its own, and one
    /// whose parent has gone. Prints their process ids and its own, one a line.
    static let family = """
        sleep 1000 & echo $!
        sleep 1000 & kill -STOP $!; echo $!
        setsid sh -c 'sleep 1000 & echo $!; echo $$; wait' &
        sh -c 'setsid sleep 1000 & echo $!'
        echo $$
        """
    static let familySize = 6

    /// A shell as the host, and the shepherd's process id and the family's.
    private func host(_ script: String) throws -> (host: SpawnedProcess, shepherd: pid_t, family: [pid_t]) {
        let host = try SpawnedProcess(
            "/bin/sh", ["-c", "\"$0\" $$ /bin/sh -c \"$1\" & echo s$! >&2; wait", trampoline.string, script])
        var family: [pid_t] = []
        // The host tells the shepherd's whenever it comes to it.
        var shepherd: pid_t?
        for _ in 0...Self.familySize {
            let line = try host.line()
            if line.hasPrefix("s") {
                shepherd = pid_t(line.dropFirst())
            } else {
                family.append(try #require(pid_t(line)))
            }
        }
        for pid in family { #expect(isAlive(pid)) }
        return (host, try #require(shepherd), family)
    }

    private func expectGone(_ pids: [pid_t], _ what: Comment) {
        for pid in pids {
            let isGone = holdsSoon { !isAlive(pid) }
            #expect(isGone, what)
            if !isGone { kill(pid, SIGKILL) }
        }
    }

    @Test(
        "Rule 43: SIGKILL of the host leaves no provider and none of its descendants, stopped or in their own session")
    func hostIsKilled() throws {
        let (host, shepherd, family) = try host(Self.family + "\nwait")
        kill(host.pid, SIGKILL)
        expectGone(family + [shepherd], "it outlived the host")
    }

    @Test("Rule 43: SIGKILL of the host ends a provider that is stopped and ignores what it can")
    func hostOfAStoppedProvider() throws {
        let (host, shepherd, family) = try host(
            "trap '' TERM HUP INT USR1\n" + Self.family + "\nkill -STOP $$")
        kill(host.pid, SIGKILL)
        expectGone(family + [shepherd], "it outlived the host")
    }

    @Test("Rule 45: when the provider is killed its descendants go, in whatever session they are")
    func providerIsKilled() throws {
        let (host, shepherd, family) = try host(Self.family + "\nwait")
        let provider = try #require(ProcessChildren.of(shepherd, thread: shepherd).first)
        #expect(family.contains(provider))
        kill(provider, SIGKILL)
        expectGone(family + [shepherd], "it outlived the provider")
        kill(host.pid, SIGKILL)
    }

    @Test("Rule 45: the provider ends before anything that it leaves is killed, and its status is what the host sees")
    func providerEnds() throws {
        let (host, shepherd, family) = try host(Self.family + "\nsleep 1; exit 7")
        expectGone(family + [shepherd], "it outlived the provider")
        kill(host.pid, SIGKILL)
        let other = try SpawnedProcess(
            "/bin/sh", ["-c", "\"$0\" $$ /bin/sh -c 'exit 7'; exit $?", trampoline.string])
        #expect(other.status() == 7)
        let third = try SpawnedProcess(
            "/bin/sh", ["-c", "\"$0\" $$ /bin/sh -c 'kill -SEGV $$'; exit $?", trampoline.string])
        #expect(third.status() == 128 + SIGSEGV)
    }

    @Test("A process that forks itself away for ever is caught")
    func hopper() throws {
        let folder = try TemporaryFolder()
        let script = try folder.file("hop", "#!/bin/sh\nsetsid \"$0\" &\nexit 0\n", mode: 0o755)
        let process = try SpawnedProcess(
            "/bin/sh",
            [
                "-c", "\"$0\" $$ /bin/sh -c '\"$0\" & sleep 0.2; exit 6' \"$1\"; exit $?", trampoline.string,
                script.string,
            ])
        #expect(process.status() == 6)
        let left = try SpawnedProcess("/usr/bin/pgrep", ["-f", script.string])
        #expect(try left.allOutput() == "")
    }

    @Test("The provider's pipes end when it closes them, although its shepherd lives on")
    func pipes() throws {
        let host = try SpawnedProcess(
            "/bin/sh",
            [
                "-c",
                "\"$0\" $$ /bin/sh -c 'echo $$; exec >&- 2>&-; exec sleep 1000' 2>/dev/null & exec >&- 2>&-; wait",
                trampoline.string,
            ])
        let provider = try #require(pid_t(try host.line()))
        #expect(try host.line() == "")
        #expect(isAlive(provider))
        kill(host.pid, SIGKILL)
        expectGone([provider], "it outlived the host")
    }

    @Test("Rule 43: what a killed shepherd leaves comes to the host, is killed and taken in")
    func shepherdIsKilled() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try LaunchFixture()
            var context = fixture.context
            context.family = ProcessFamily(blocking: context.blocking, logger: context.logger)
            guard context.family != nil else { exit(EXIT_FAILURE) }
            let file = fixture.folder.path.appending("pids").string
            let outcome = try await ProviderProcess.run(
                fixture.launch("{ " + ShepherdTests.family + "; } > \(file); wait"), in: context
            ) { process in
                let isUp = await holdsSoon {
                    (fixture.folder.text("pids") ?? "").split(separator: "\n").count == ShepherdTests.familySize
                }
                kill(process.shepherdID, SIGKILL)
                _ = await process.waitUntilExited()
                return isUp
            }
            let pids = (fixture.folder.text("pids") ?? "").split(separator: "\n").compactMap { pid_t($0) }
            let isGone = pids.allSatisfy { !isAlive($0) } && ProcessChildren.of(getpid(), thread: getpid()).isEmpty
            for pid in pids where isAlive(pid) { kill(pid, SIGKILL) }
            exit(outcome.result && pids.count == ShepherdTests.familySize && isGone ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("Rule 43: what cannot be swept up is reported, with its process ids")
    func sweepThatGivesUp() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try LaunchFixture()
            let lines = LogLines()
            // Without any patience, as if it could not be killed.
            guard
                let family = ProcessFamily(blocking: fixture.context.blocking, patience: .zero, logger: lines.logger)
            else { exit(EXIT_FAILURE) }
            let stranger = try SpawnedProcess("/bin/sleep", ["1000"])
            await family.ended(0)
            let isReported = lines.all.contains { $0.contains("cannot be ended") && $0.contains("\(stranger.pid)") }
            let isLeft = isAlive(stranger.pid)
            // It holds what the test's own process gave it.
            kill(stranger.pid, SIGKILL)
            exit(isReported && lines.all.count == 1 && isLeft ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("Rule 51: a shepherd that the provider has stopped does not keep the ladder from its end")
    func shepherdIsStopped() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try LaunchFixture()
            var context = fixture.context
            context.family = ProcessFamily(blocking: context.blocking, logger: context.logger)
            guard context.family != nil else { exit(EXIT_FAILURE) }
            let outcome = try await ProviderProcess.run(
                fixture.launch("trap '' TERM; kill -STOP $PPID; echo $$ > pid; while :; do kill -STOP $PPID; done"),
                in: context
            ) { process in
                let isUp = await holdsSoon { !(fixture.folder.text("pid") ?? "").isEmpty }
                await process.end(
                    ShutdownLadder(terminateAfter: .milliseconds(100), killAfter: .milliseconds(300)))
                return isUp
            }
            let pid = (fixture.folder.text("pid") ?? "").split(separator: "\n").first.flatMap { pid_t($0) } ?? 0
            let isGone = await holdsSoon { !isAlive(pid) }
            if !isGone { kill(pid, SIGKILL) }
            exit(outcome.result && pid > 0 && isGone ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
