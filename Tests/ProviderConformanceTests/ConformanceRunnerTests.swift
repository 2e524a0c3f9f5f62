import DocumentModel
import DocumentTestSupport
import DocumentWire
import Glibc
import ProviderConformance
import ProviderLauncher
import Synchronization
import SystemPackage
import Testing

@Suite("Running checks", .timeLimit(.minutes(2)))
struct ConformanceRunnerTests {
    private typealias Fixture = ConformanceFixture

    private func states(_ run: ConformanceRunner.Run) -> [CheckState] { run.report.results.map(\.outcome.state) }

    @Test("Each way in which a check can end is a state of its own")
    func everyState() async throws {
        let run = try await Fixture.run([
            Fixture.check(1) { context in try await context.withSession { _ = try await $0.identity() } },
            Fixture.check(2) { _ in throw CheckFailure("It is wrong.", detail: "so wrong") },
            Fixture.check(3) { _ in throw CheckSkip("There is nothing.") },
            Fixture.check(4) { _ in throw KitError("Out of order.") },
            Fixture.check(5) { context in
                try await context.withSession { _ = try await $0.item(try context.unknownIdentifier()) }
            },
            Fixture.check(6, needs: [.changes]) { _ in },
            Fixture.check(7, mutates: true) { _ in },
            Fixture.check(8) { _ in throw Errno.ioError },
        ])
        #expect(states(run) == [.passed, .failed, .skipped, .error, .failed, .skipped, .disabled, .error])
        #expect(run.report.results[1].outcome == CheckOutcome(.failed, "It is wrong.", detail: "so wrong"))
        #expect(run.report.results[4].outcome.message.contains("noSuchItem"))
        #expect(run.report.results[5].outcome.message.contains("“changes”"))
        #expect(run.report.results[6].outcome.message.contains("--mutating"))
        #expect(run.report.exitStatus == 3, "the kit's own fault outweighs the failures")
        #expect(run.report.families.map(\.state) == [.error])
    }

    @Test("§10.5: a crash fails its check, and the next one gets a fresh process")
    func crash() async throws {
        let processes = Mutex<[Int32]>([])
        let ask = { @Sendable (context: CheckContext) async throws in
            try await context.withSession { session in
                processes.withLock { $0.append(session.process.processID) }
                _ = try await session.identity()
            }
        }
        let run = try await Fixture.run([
            Fixture.check(1, body: ask),
            Fixture.check(2, body: ask),
            Fixture.check(3) { context in
                try await context.withSession { session in
                    kill(session.process.processID, SIGKILL)
                    while true { _ = try await session.identity() }
                }
            },
            Fixture.check(4, body: ask),
            Fixture.check(5) { context in
                try await context.withSession { session in
                    kill(session.process.processID, SIGKILL)
                    // Between two checks: the next one begins when it is over.
                    while session.end == nil { try await Task.sleep(for: .milliseconds(10)) }
                }
            },
            Fixture.check(6, body: ask),
        ])
        #expect(states(run) == [.passed, .passed, .failed, .passed, .passed, .passed])
        #expect(run.report.results[2].outcome.message.contains("ended"))
        #expect(run.report.results[2].outcome.detail.contains("SIGKILL"))
        let ids = processes.withLock { $0 }
        #expect(ids.count == 4)
        #expect(ids[0] == ids[1], "checks that do not ask for more share a process")
        #expect(Set(ids).count == 3)
    }

    @Test("§10.5: a check that does not end is ended, and so is a request that nobody answers")
    func limits() async throws {
        let clock = ContinuousClock()
        let began = clock.now
        let run = try await Fixture.run(
            [
                Fixture.check(1, limit: .milliseconds(300)) { _ in try await Task.sleep(for: .seconds(600)) },
                Fixture.check(2) { context in
                    try await context.withSession { session in
                        kill(session.process.processID, SIGSTOP)
                        _ = try await session.identity()
                    }
                },
                Fixture.check(3) { context in try await context.withSession { _ = try await $0.identity() } },
            ]
        ) { $0.configuration.limits.request = 0.3 }
        #expect(states(run) == [.failed, .failed, .passed])
        #expect(run.report.results[0].outcome.message == "It did not come to an end in time.")
        #expect(run.report.results[1].outcome.message == "The provider did not answer in time.")
        #expect(clock.now - began < .seconds(30))
    }

    @Test("A provider that cannot be started fails its checks, and the run goes on")
    func noStart() async throws {
        let runner = try Fixture.runner(
            .command(["/bin/sh", "-c", "echo hello; echo to the log >&2; exit 3"]),
            checks: [
                Fixture.check(1) { context in try await context.withSession { _ in } },
                Fixture.check(2) { context in try await context.withRawEnd { _ = try await $0.frame() } },
                Fixture.check(3, needs: [.modifying]) { _ in },
            ])
        let run = try await runner.run()
        #expect(states(run) == [.failed, .failed, .passed])
        #expect(run.report.results[0].outcome.message.contains("handshake"))
        #expect(run.report.results[1].outcome.message.contains("no frame"))
        #expect(run.report.results[1].log == ["to the log"])
        #expect(run.report.exitStatus == 1)
    }

    @Test("§10.6: nothing that ran is a failure, and a program that is not there is wrong usage")
    func nothing() async throws {
        let run = try await Fixture.run([Fixture.check(1) { _ in throw CheckSkip("There is nothing.") }])
        #expect(run.report.exitStatus == 1)
        #expect(run.report.complaints == ["Nothing was checked."])
        await #expect(throws: ConformanceUsageError.self) {
            _ = try await Fixture.runner(.command(["/no/such/program"])).run()
        }
        await #expect(throws: ConformanceUsageError.self) {
            _ = try await Fixture.runner(.bundle("/no/such/bundle")).run()
        }
        await #expect(throws: ConformanceUsageError.self) {
            try await Fixture.run([Fixture.check(1) { _ in }]) { $0.selection.patterns = ["PC-NONE-*"] }
        }
    }

    @Test("A failed SHOULD warns, and fails only in strict mode; a failed MAY is a remark")
    func levels() async throws {
        let checks = [
            Fixture.check(1) { _ in },
            Fixture.check(2, .should) { _ in throw CheckFailure("Not nice.") },
            Fixture.check(3, .may) { _ in throw CheckFailure("Not there.") },
        ]
        let run = try await Fixture.run(checks)
        #expect(run.report.results.map(run.report.standing) == [.good, .warning, .remark])
        #expect(run.report.exitStatus == 0)
        let strict = try await Fixture.run(checks) { $0.isStrict = true }
        #expect(strict.report.results.map(strict.report.standing) == [.good, .bad, .remark])
        #expect(strict.report.exitStatus == 1)
    }

    @Test("A mutating check gets a folder of its own, which is gone afterwards, also when it fails")
    func container() async throws {
        let seen = Mutex<[ItemIdentifier]>([])
        let run = try await Fixture.run([
            Fixture.check(1, mutates: true) { context in
                try await context.freshContainer { session, container in
                    seen.withLock { $0.append(container.id) }
                    _ = try await session.createDocument("a.txt", in: container.id, contents: [1, 2, 3])
                }
            },
            Fixture.check(2, mutates: true) { context in
                try await context.freshContainer { session, container in
                    seen.withLock { $0.append(container.id) }
                    throw CheckFailure("It is wrong.")
                }
            },
            Fixture.check(3) { context in
                try await context.withSession { session in
                    for id in seen.withLock({ $0 }) {
                        try await expectError(.noSuchItem, from: "GetItem") { try await session.item(id) }
                    }
                }
            },
        ]) { $0.selection.mayMutate = true }
        #expect(states(run) == [.passed, .failed, .passed])
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test("Hooks run before, within and after the checks, and one that fails is the kit's fault")
    func hooks() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let log = folder.appending("log").string
        let run = try await Fixture.run([
            Fixture.check(1) { try await $0.changeDocument("a.txt") },
            Fixture.check(2) { try await $0.takeRemoteAway() },
            // It says that it cannot.
            Fixture.check(3) { try await $0.refuse(.insufficientQuota) },
        ]) { runner in
            runner.configuration.hooks.refuse = ["sh", "-c", "test $0 = insufficientQuota && exit 77"]
            runner.configuration.hooks.accept = ["true"]
            runner.configuration.hooks.prepare = [["sh", "-c", "echo begin {work} >> \(log); test -d {work}"]]
            runner.configuration.hooks.cleanUp = [["sh", "-c", "echo end >> \(log)"]]
            runner.configuration.hooks.changeDocument = ["sh", "-c", "echo $0 >> \(log)"]
        }
        #expect(states(run) == [.passed, .skipped, .skipped])
        let lines = try TemporaryFile.read(FilePath(log)).split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasPrefix("begin /") && lines[1] == "a.txt" && lines[2] == "end")
        await #expect(throws: KitError.self) {
            try await Fixture.run([Fixture.check(1) { _ in }]) { $0.configuration.hooks.prepare = [["false"]] }
        }
        // The results are there, and the other hooks have run.
        let unclean = try await Fixture.run([Fixture.check(1) { _ in }]) { runner in
            runner.configuration.hooks.cleanUp = [["false"], ["sh", "-c", "echo after >> \(log)"]]
        }
        #expect(states(unclean) == [.passed] && unclean.report.exitStatus == 3)
        #expect(unclean.report.faults.count == 1 && unclean.report.faults[0].contains("Cleaning up has failed"))
        #expect(try TemporaryFile.read(FilePath(log)).hasSuffix("after\n"))
    }

    @Test("Checks run side by side in lanes that share no folder and no process, and the report is in order")
    func lanes() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let log = folder.appending("log").string
        let seen = Mutex([(folder: String, process: Int32)]())
        let run = try await Fixture.run(
            (1...4).map { number in
                Fixture.check(number, mutates: true) { context in
                    let process = try await context.withSession { session in
                        // Until both lanes are at it.
                        _ = try await eventually(within: .seconds(5)) {
                            seen.withLock { Set($0.map(\.folder)).subtracting([context.folder.path.string]).count } == 1
                                || number == 1
                        }
                        _ = try await context.newContainer(session)
                        return session.process.processID
                    }
                    seen.withLock { $0.append((context.folder.path.string, process)) }
                }
            }
        ) { runner in
            runner.configuration.lanes = 2
            runner.configuration.hooks.prepare = [["sh", "-c", "echo {work} >> \(log)"]]
            runner.selection.mayMutate = true
        }
        #expect(states(run) == [.passed, .passed, .passed, .passed])
        #expect(run.report.results.map(\.check.id) == (1...4).map { "PC-TEST-00\($0)" })
        let all = seen.withLock { $0 }
        #expect(Set(all.map(\.folder)).count == 2 && Set(all.map(\.process)).count == 2)
        #expect(Set(try TemporaryFile.read(FilePath(log)).split(separator: "\n")).count == 2)
    }

    @Test("§10.11: requests carry the id of the check that makes them, and each exchange is in the report")
    func exchanges() async throws {
        let run = try await Fixture.run([
            Fixture.check(1) { context in try await context.withSession { _ = try await $0.identity() } },
            Fixture.check(2) { context in try await context.withSession { _ = try await $0.item($0.rootID) } },
        ])
        #expect(run.report.results[0].exchanges.map(\.summary).first?.contains("[PC-TEST-001]") == true)
        #expect(run.report.results[1].exchanges.map(\.summary).first?.contains("[PC-TEST-002]") == true)
        #expect(run.report.results[1].exchanges.map(\.isToProvider) == [true, false])
    }

    @Test("Nothing of a run stays behind in the temporary folder")
    func cleanUp() async throws {
        let seen = Mutex("")
        _ = try await Fixture.run([
            Fixture.check(1) { context in
                seen.withLock { $0 = context.folder.path.string }
                _ = try context.folder.newStagingFile()
            }
        ])
        let path = seen.withLock { $0 }
        #expect(!path.isEmpty && access(path, F_OK) != 0)
    }

    @Test("WIRE-39: a staging file that was replaced is found out, whatever number the file system gives the other one")
    func replacedFile() async throws {
        let run = try await Fixture.run([
            Fixture.check(1) { context in
                for _ in 0..<20 {
                    let file = try context.folder.newStagingFile()
                    defer { file.remove() }
                    guard try file.isUntouchedAsAnEntry() else { throw CheckFailure("Nobody has touched it.") }
                    file.removeEntry()
                    try TemporaryFile.write("another", to: file.path)
                    guard try !file.isUntouchedAsAnEntry() else { throw CheckFailure("It is not the same file.") }
                }
            }
        ])
        #expect(run.report.results.map(\.outcome.state) == [.passed], "\(run.report.results.map(\.outcome))")
    }
}
