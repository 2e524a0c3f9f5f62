import DocumentModel
import DocumentTestSupport
import Glibc
import ProviderConformance
import Synchronization
import SystemPackage
import Testing

@Suite("What an interrupted run leaves behind: nothing", .timeLimit(.minutes(2)))
struct InterruptionTests {
    private typealias Fixture = ConformanceFixture

    private func states(_ run: ConformanceRunner.Run) -> [CheckState] { run.report.results.map(\.outcome.state) }

    @Test("A folder that outlives a process is removed, also when the provider does not come up again the first time")
    func containerOverRestart() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let starts = folder.appending("starts").string
        // Its second process, and no other one, ends before it has said anything.
        let script = "echo >>$1; [ $(wc -l <$1) != 2 ] || exit 1; exec $2"
        let program = try BuiltProducts.executable("MemoryProvider").string
        var configuration = ConformanceConfiguration()
        configuration.identifier = "org.example.memory"
        let made = Mutex<ItemIdentifier?>(nil)
        let checks = [
            Fixture.check(1, needs: [.modifying], mutates: true) { context in
                try await context.ownContainer { container in
                    made.withLock { $0 = container.id }
                    try await context.withFreshSession { _ in }
                }
            },
            Fixture.check(2) { context in
                try await context.withSession { session in
                    let id = try #require(made.withLock { $0 })
                    try await expectError(.noSuchItem, from: "GetItem") { try await session.item(id) }
                }
            },
        ]
        let run = try await Fixture.runner(
            .command(["/bin/sh", "-c", script, "sh", starts, program]), configuration, checks: checks, mutating: true
        ).run()
        #expect(states(run) == [.failed, .passed], "\(run.report.results.map(\.outcome))")
    }

    @Test("§10.5: whoever is interrupted does not wait for what does not heed it")
    func interrupted() async throws {
        let clock = ContinuousClock()
        let began = clock.now
        let asking = Task {
            try await within(.seconds(600), else: KitError("late"), grace: .milliseconds(200)) {
                await Task { try? await Task.sleep(for: .seconds(30)) }.value
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(clock.now - began < .seconds(15))
        // What ends for it is waited for, and its own error is told.
        let heeding = Task {
            try await within(.seconds(600), else: KitError("late")) {
                do { try await Task.sleep(for: .seconds(600)) } catch { throw CheckFailure("It was interrupted.") }
            }
        }
        heeding.cancel()
        await #expect(throws: CheckFailure.self) { try await heeding.value }
    }

    @Test("A hook that nobody waits for any more has ended, and what it did is undone whatever happens")
    func interruptedHooks() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let (log, id) = (folder.appending("log").string, folder.appending("id").string)
        let run = try await Fixture.run([
            Fixture.check(1, limit: .milliseconds(500)) { context in
                do {
                    try await context.takeRemoteAway()
                } catch {
                    try await context.bringRemoteBack()
                    throw error
                }
            },
            Fixture.check(2) { _ in
                let words = try TemporaryFile.read(FilePath(id)).prefix { $0 != "\n" }
                let process = try #require(pid_t(words))
                guard kill(process, 0) != 0 else { throw CheckFailure("The hook still runs.") }
            },
        ]) { runner in
            runner.configuration.hooks.remoteAway = ["sh", "-c", "echo $$ >\(id); exec sleep 60"]
            runner.configuration.hooks.remoteBack = ["sh", "-c", "sleep 0.3; echo back >\(log)"]
        }
        #expect(states(run) == [.failed, .passed], "\(run.report.results.map(\.outcome))")
        #expect(try TemporaryFile.read(FilePath(log)) == "back\n")
    }
}
