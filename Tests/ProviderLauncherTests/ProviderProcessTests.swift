import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage
import Testing

@testable import ProviderLauncher

/// One after the other: some count the process's descriptors, and all measure time.
@Suite("A provider's process", .serialized, .timeLimit(.minutes(1)))
struct ProviderProcessSerialTests {
    private let fixture: LaunchFixture

    init() throws {
        fixture = try LaunchFixture()
    }

    private func run(
        _ script: String, _ body: @Sendable (ProviderProcess) async -> Void
    ) async throws -> ProcessExit {
        try await ProviderProcess.run(fixture.launch(script), in: fixture.context, body).exit
    }

    @Test func itsStatusAndItsLastWordsAreReported() async throws {
        let exit = try await run("echo one >&2; echo two >&2; exit 3") { process in
            #expect(await process.waitUntilExited())
        }
        #expect(exit.status == .exited(3) && !exit.wasForced && exit.lastWords == ["one", "two"])
        #expect(exit.words == "it exited with status 3")
        #expect(exit.detail == "standard error:\n  one\n  two")
    }

    @Test func aSignalIsNamed() async throws {
        let exit = try await run("kill -SEGV $$") { process in _ = await process.waitUntilExited() }
        #expect(exit.words == "it was ended by signal 11 (SIGSEGV)")
    }

    @Test("Rules 45, 53: it runs in its own session and folder, with its own environment")
    func itRunsInItsOwnSessionAndFolderWithItsOwnEnvironment() async throws {
        let script =
            "sleep 0.3; pwd; env | sort; read -r _ _ _ _ group session _ < /proc/self/stat; echo \"$$ $group $session\""
        let launch = fixture.launch(script, environment: ["PATH": "/bin:/usr/bin", "LANG": "C"])
        let (output, exit) = try await ProviderProcess.run(launch, in: fixture.context) { process in
            #expect(await holdsSoon { process.processID != process.shepherdID })
            let pid = process.processID
            return (await text(process), pid)
        }
        #expect(exit.status == .exited(0))
        let lines = output.0.split(separator: "\n").filter { !$0.hasPrefix("_=") && !$0.hasPrefix("OLDPWD=") }
        let me = output.1
        #expect(lines.first == "\(fixture.folder.path)")
        #expect(lines.dropFirst().dropLast() == ["LANG=C", "PATH=/bin:/usr/bin", "PWD=\(fixture.folder.path)"])
        #expect(lines.last == "\(me) \(me) \(me)")
    }

    @Test("Rule 53: only what is allowed of the host's environment is passed on")
    func onlyWhatIsAllowedOfTheHostsEnvironmentIsPassedOn() {
        let host = [
            "PATH": "/bin", "HOME": "/home/ann", "LC_TIME": "de_DE.UTF-8", "https_proxy": "http://proxy:3128",
            "DOCENT_LOG_LEVEL": "debug", "DOCENT_WAIT_FOR_DEBUGGER": "1", "DOCENT_ROOT": "/r",
            "DOCENT_ALLOW_UNSANDBOXED": "1", "DOCENT_ACCOUNT_TOKEN": "s3cret", "AWS_SECRET_ACCESS_KEY": "s3cret",
            "SSH_AUTH_SOCK": "/s", "LD_PRELOAD": "/evil.so",
        ]
        #expect(
            ProviderEnvironment.allowed(from: host) == [
                "PATH": "/bin", "HOME": "/home/ann", "LC_TIME": "de_DE.UTF-8", "https_proxy": "http://proxy:3128",
                "DOCENT_LOG_LEVEL": "debug", "DOCENT_WAIT_FOR_DEBUGGER": "1", "DOCENT_PROVIDER_COOKIE": "1",
            ])
    }

    @Test(
        "Rule 53: a provider that is confined has a home and a temporary folder of its own, and proxies only with network"
    )
    func confinedEnvironment() {
        let host = ["HOME": "/home/ann", "https_proxy": "http://proxy:3128", "TMPDIR": "/var/tmp", "NO_PROXY": "*"]
        let folders = SandboxFolders(state: "/r/s", temporary: "/r/t", fetch: "/r/f", send: "/r/o", storageRoot: "/r")
        #expect(
            ProviderEnvironment.confined(from: host, to: folders, hasNetwork: false) == [
                "HOME": "/r/s", "TMPDIR": "/r/t", "DOCENT_PROVIDER_COOKIE": "1", "SWIFT_BACKTRACE": "enable=no",
            ])
        #expect(
            ProviderEnvironment.confined(from: host, to: folders, hasNetwork: true) == [
                "HOME": "/r/s", "TMPDIR": "/r/t", "DOCENT_PROVIDER_COOKIE": "1", "https_proxy": "http://proxy:3128",
                "NO_PROXY": "*", "RES_OPTIONS": "use-vc", "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    @Test("Rule 51: a provider that ends at the end of its input is not signalled")
    func aProviderThatEndsAtTheEndOfItsInputIsNotSignalled() async throws {
        let exit = try await run("trap 'exit 9' TERM; cat; exit 4") { process in
            process.takeEnd().close()
            await process.end(ShutdownLadder(terminateAfter: .seconds(5), killAfter: .seconds(8)))
        }
        #expect(exit.status == .exited(4))
        #expect(!exit.wasForced)
    }

    @Test("Rule 51: a provider that ignores the end of its input is terminated")
    func aProviderThatIgnoresTheEndOfItsInputIsTerminated() async throws {
        let exit = try await run("trap 'echo bye >&2; exit 9' TERM; while :; do sleep 0.01; done") { process in
            process.takeEnd().close()
            await process.end(ShutdownLadder(terminateAfter: .milliseconds(200), killAfter: .seconds(5)))
        }
        #expect(exit.status == .exited(9) && exit.wasForced)
        #expect(exit.lastWords.last == "bye")
    }

    @Test("Rules 45, 51: a provider that ignores the signal is killed with its whole group")
    func aProviderThatIgnoresTheSignalIsKilledWithItsWholeGroup() async throws {
        let ladder = ShutdownLadder(terminateAfter: .milliseconds(100), killAfter: .milliseconds(400))
        let (child, exit) = try await ProviderProcess.run(
            fixture.launch("trap '' TERM; sleep 1000 & echo $!; while :; do sleep 1000; done"), in: fixture.context
        ) { process in
            let child = pid_t(await line(process)) ?? 0
            #expect(isAlive(child))
            await process.end(ladder)
            return child
        }
        #expect(exit.status == .signalled(SIGKILL))
        #expect(child > 0)
        #expect(await holdsSoon { !isAlive(child) })
    }

    @Test("Rule 51: a stopped provider is killed")
    func aStoppedProviderIsKilled() async throws {
        let exit = try await run("kill -STOP $$") { process in
            await process.end(ShutdownLadder(terminateAfter: .milliseconds(100), killAfter: .milliseconds(300)))
        }
        #expect(exit.status == .signalled(SIGKILL))
    }

    @Test("Rule 46: the end is noticed at once although a child holds the pipes")
    func theEndIsNoticedAtOnceAlthoughAChildHoldsThePipes() async throws {
        let begin = ContinuousClock.now
        let (child, exit) = try await ProviderProcess.run(
            fixture.launch("sleep 1000 & echo $!; exit 5"), in: fixture.context
        ) { process in
            let child = pid_t(await line(process)) ?? 0
            #expect(await process.waitUntilExited())
            return child
        }
        #expect(exit.status == .exited(5) && !exit.wasForced && exit.lastWords.isEmpty)
        #expect(ContinuousClock.now - begin < .seconds(20))
        #expect(child > 0)
        #expect(await holdsSoon { !isAlive(child) }, "what it leaves in its group goes with it")
    }

    @Test("Rule 47: one that has ended keeps its number until nobody can signal it any more, and is reaped then")
    func numberIsKept() async throws {
        let outcome = try await ProviderProcess.run(fixture.launch("exit 0"), in: fixture.context) { process in
            _ = await process.waitUntilExited()
            // Signals go to nobody else.
            await process.end(ShutdownLadder(terminateAfter: .zero, killAfter: .milliseconds(10)))
            return (process.shepherdID, kill(process.shepherdID, 0) == 0 && !isAlive(process.shepherdID))
        }
        #expect(outcome.result.1, "it is a zombie")
        #expect(kill(outcome.result.0, 0) == -1 && errno == ESRCH, "it was reaped")
        #expect(!outcome.exit.wasForced)
    }

    @Test("Rule 48: writing to a provider that is gone is an error, and does not end the host")
    func writingToTheDead() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let fixture = try LaunchFixture()
            ignoreBrokenPipeSignal()
            let outcome = try await ProviderProcess.run(
                fixture.launch("exec <&-; exec sleep 1000"), in: fixture.context
            ) {
                process in
                await holdsSoon {
                    do {
                        _ = try process.writing.writeAll([1])
                        return false
                    } catch {
                        return (error as? Errno) == .brokenPipe
                    }
                }
            }
            exit(outcome.result ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func aStrangerThatHoldsStandardErrorIsNotWaitedFor() async throws {
        let begin = ContinuousClock.now
        let (stranger, exit) = try await ProviderProcess.run(
            fixture.launch("setsid sh -c 'echo $$; exec sleep 1000' & wait $!; "), in: fixture.context
        ) { process in
            let stranger = pid_t(await line(process)) ?? 0
            kill(process.processID, SIGKILL)
            _ = await process.waitUntilExited()
            return stranger
        }
        #expect(exit.status == .signalled(SIGKILL))
        #expect(ContinuousClock.now - begin < .seconds(20))
        #expect(stranger > 0)
        #expect(await holdsSoon { !isAlive(stranger) }, "it is not a stranger to its shepherd")
    }

    @Test("Rule 52: a flood on standard error blocks neither it nor us")
    func aFloodOnStandardErrorNeitherBlocksItNorUs() async throws {
        let exit = try await run(
            "yes a line of a flood that nobody reads | head -c 20000000 >&2; echo >&2; echo last >&2; exit 6"
        ) { process in
            #expect(await process.waitUntilExited())
        }
        #expect(exit.status == .exited(6))
        #expect(exit.lastWords.last == "last")
        #expect(exit.lastWords.count == 20)
    }

    @Test func cancellingKillsItAtOnce() async throws {
        let fixture = fixture
        let (started, starts) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await ProviderProcess.run(
                fixture.launch("trap '' TERM; echo $$; while :; do sleep 1000; done"), in: fixture.context
            ) { process in
                _ = await line(process)
                #expect(isAlive(process.processID))
                starts.finish()
                _ = await process.waitUntilExited()
                #expect(Task.isCancelled)
                return process.processID
            }
        }
        for await _ in started {}
        task.cancel()
        let begin = ContinuousClock.now
        let (pid, exit) = try await task.value
        #expect(exit.status == .signalled(SIGKILL))
        #expect(ContinuousClock.now - begin < .seconds(20))
        #expect(!isAlive(pid))
    }

    @Test func whatCannotBeStartedIsAnError() async throws {
        let broken = try LaunchFixture(trampoline: "/no/such/trampoline")
        do {
            _ = try await ProviderProcess.run(broken.launch("true"), in: broken.context) { _ in }
            Issue.record("it started")
        } catch {
            #expect(error.code == .providerUnavailable)
            #expect(error.message.hasPrefix("“/no/such/trampoline” cannot start “/bin/sh”: "), "\(error.message)")
        }
    }

    /// In a process of its own, where no other test opens pipes.
    @Test("Rule 49: no descriptor is left open afterwards, started or not")
    func noDescriptorIsLeftOpenAfterwardsStartedOrNot() async throws {
        await #expect(processExitsWith: .success) {
            let fixture = try LaunchFixture()
            let broken = try LaunchFixture(trampoline: "/no/such/trampoline")
            func round() async {
                _ = try? await ProviderProcess.run(broken.launch("true"), in: broken.context) { _ in }
                _ = try? await ProviderProcess.run(fixture.launch("exit 0"), in: fixture.context) { process in
                    _ = await process.waitUntilExited()
                }
            }
            await round()
            let before = openPipes()
            for _ in 0..<5 { await round() }
            exit(openPipes() == before ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// The parent-death signal is bound to the thread that spawned: this fails when that is one that comes and goes.
    @Test("Rules 43, 44: providers of a host that is killed with SIGKILL die with it, and not before")
    func hostDeath() async throws {
        let file = fixture.folder.path.appending("pids").string
        await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as String] in
            let fixture = try LaunchFixture()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        _ = try? await ProviderProcess.run(
                            fixture.launch("echo $$ >> \(file).\(index); exec sleep 1000"),
                            in: fixture.context
                        ) { process in _ = await process.waitUntilExited() }
                    }
                }
                let isUp = await holdsSoon {
                    (0..<4).allSatisfy { (try? FilePath("\(file).\($0)").stat().size) ?? 0 > 1 }
                }
                // Dead threads would have taken them along by now.
                try? await Task.sleep(for: .milliseconds(300))
                let pids = (0..<4).compactMap { pid_t(contents("\(file).\($0)")) }
                if isUp, pids.count == 4, pids.allSatisfy(isAlive) { kill(getpid(), SIGKILL) }
                group.cancelAll()
            }
        }
        for index in 0..<4 {
            let pid = try #require(pid_t(contents("\(file).\(index)")))
            #expect(await holdsSoon { !isAlive(pid) })
        }
    }
}

/// Without the newline at its end.
private func contents(_ path: String) -> String {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return "" }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = (try? file.closeAfter { try buffer.withUnsafeMutableBytes { try file.read(into: $0) } }) ?? 0
    return String(decoding: buffer[..<max(0, count - 1)], as: UTF8.self)
}

extension ProviderProcess {
    /// Nil when the task was cancelled; empty at the end of the stream.
    fileprivate func readForTests() async -> [UInt8]? {
        var entry = pollfd(fd: reading.rawValue, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) == 0 {
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return nil }
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try? buffer.withUnsafeMutableBytes { try reading.read(into: $0) }
        return count.map { Array(buffer[..<$0]) }
    }
}

/// What it prints, to the end of the stream.
private func text(_ process: ProviderProcess) async -> String {
    var bytes: [UInt8] = []
    while let more = await process.readForTests(), !more.isEmpty { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
}

/// The first line that it prints.
private func line(_ process: ProviderProcess) async -> String {
    var bytes: [UInt8] = []
    while !bytes.contains(UInt8(ascii: "\n")), let more = await process.readForTests(), !more.isEmpty { bytes += more }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}
