import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A supervised provider starts", .timeLimit(.minutes(1)))
struct ProviderStartTests {
    private static let advice = "“docent provider show org.example.photos --last-failure” says more."

    @Test func theFirstUseStartsItAndAllUsesShareIt() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next"
        try await provider.supervised { supervisor, _, folder in
            #expect(supervisor.status.state == .stopped)
            #expect(folder.starts.isEmpty)
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await supervisor.withProvider { $0.processID } }
                }
                for try await pid in group { #expect(pid == folder.starts.first) }
            }
            #expect(folder.starts.count == 1)
            let status = supervisor.status
            guard case .running = status.state else {
                Issue.record("\(status.state)")
                return
            }
            #expect(status.processID == folder.starts.first)
            #expect(status.software == "scripted 1")
            #expect(status.leases == 0)
        }
    }

    @Test func itAnswersCalls() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Item.root()))
        try await provider.supervised { _, session, _ in
            let item = try await session.item(.root)
            #expect(item == (try Item.root()))
        }
    }

    @Test("A folder that its manifest asks for and that comes later is granted: the provider is started anew, once")
    func laterFolder() async throws {
        let place = try TemporaryFolder()
        let folder = place.path.appending("disk")
        var provider = ScriptedProvider()
        provider.tables = """
            [[settings]]
            key = "folder"
            type = "path"
            [permissions]
            read = ["{folder}"]
            execute = ["/usr/bin", "/bin"]
            [limits]
            processes = 64
            """
        provider.script = "greet; next"
        try await provider.supervised(confinement: .required, settings: ["folder": folder.string]) { supervisor, _, _ in
            let first = try await supervisor.withProvider { $0 }
            #expect(first.missing == [folder])
            #expect(try await supervisor.withProvider { $0.processID } == first.processID, "there is nothing new")
            try place.folder("disk")
            let second = try await supervisor.withProvider { $0 }
            #expect(second.processID != first.processID && second.missing.isEmpty)
            #expect(try await supervisor.withProvider { $0.processID } == second.processID)
        }
    }

    @Test("A folder that does not answer fails the start in its time, and keeps no other provider from starting")
    func hungFolder() async throws {
        let answers = Mutex(false)
        let realPath: @Sendable (FilePath) -> FilePath? = { path in
            guard path == "/gone/away" else { return SandboxPolicy.realPath(path) }
            while !answers.withLock({ $0 }) { usleep(2000) }
            return nil
        }
        defer { answers.withLock { $0 = true } }
        var hung = ScriptedProvider()
        hung.tables = """
            [[settings]]
            key = "folder"
            type = "path"
            [permissions]
            read = ["{folder}"]
            execute = ["/usr/bin", "/bin"]
            [limits]
            processes = 64
            [deadlines]
            start = 2
            """
        hung.script = "greet; next"
        let settings = ["folder": "/gone/away"]
        try await hung.supervised(confinement: .required, settings: settings, realPath: realPath) { first, one, _ in
            try await hung.supervised(confinement: .required, settings: settings, realPath: realPath) { _, two, _ in
                async let errors = [one.failureOfItem(), two.failureOfItem()]
                var other = ScriptedProvider()
                other.script = "greet; next"
                try await other.supervised { third, _, _ in
                    _ = try await third.withProvider { $0.processID }
                }
                for error in await errors {
                    #expect(error?.code == .deadlineExceeded)
                    #expect(error?.message.contains("“/gone/away” gives no answer") == true, "\(error?.message ?? "")")
                }
                #expect(first.status.lastFailure?.code == .deadlineExceeded)
                answers.withLock { $0 = true }
                _ = try await first.withProvider { $0.processID }
            }
        }
    }

    @Test func oneThatExitsBeforeTheHandshakeIsReportedWithStatusAndLastWords() async throws {
        var provider = ScriptedProvider()
        provider.script = "echo 'no config file' >&2; exit 3"
        try await provider.supervised { supervisor, session, folder in
            let error = try #require(await session.failureOfItem())
            #expect(error.code == .providerUnavailable)
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) could not be started: it exited with status 3 before the handshake was done. \(Self.advice)"
            )
            #expect(error.causes.last == "Its last words were “no config file”.")
            let program = folder.path.appending("bundle/provider")
            #expect(
                error.detail.hasPrefix(
                    "\(program), owner \(geteuid()), mode 755, a script for “/bin/sh”\nit exited with status 3"))
            #expect(error.detail.hasSuffix("standard error:\n  no config file"))
            #expect(supervisor.status.lastFailure == error)
        }
    }

    @Test("Rule 54: repeated early deaths earn a delay that callers are told of")
    func repeatedEarlyDeathsEarnADelayThatCallersAreToldOf() async throws {
        var provider = ScriptedProvider()
        provider.script = "exit 3"
        try await provider.supervised { supervisor, session, folder in
            _ = await session.failureOfItem()
            #expect(await session.failureOfItem()?.retryAfter == nil, "the first restart is at once")
            let error = try #require(await session.failureOfItem())
            #expect(error.code == .providerUnavailable)
            #expect(error.message.hasSuffix("is not started again for another 10 s; try again then."))
            #expect((error.retryAfter ?? .zero) > .seconds(8))
            #expect(error.causes.first?.contains("it exited with status 3") == true)
            #expect(folder.starts.count == 2)
            supervisor.reset()
            _ = await session.failureOfItem()
            #expect(folder.starts.count == 3)
        }
    }

    @Test("Rule 54: it is given up, visibly, and a reset helps")
    func itIsGivenUpVisiblyAndAResetHelps() async throws {
        var policy = ProviderSupervisorStateMachine.Policy()
        policy.firstDelay = .zero
        var provider = ScriptedProvider()
        provider.script = "exit 3"
        let events = Mutex<[String]>([])
        try await provider.supervised(
            policy: policy,
            observe: { event in
                if case .gaveUp(let error) = event { events.withLock { $0.append(error.message) } }
            }
        ) { supervisor, session, folder in
            for _ in 0..<5 { _ = await session.failureOfItem() }
            let error = try #require(await session.failureOfItem())
            #expect(folder.starts.count == 5)
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) died 5 times within 3 minutes and is not started again until it is installed anew, or told to: docent provider restart org.example.photos."
            )
            #expect(supervisor.status.state == .givenUp(error))
            // Who waits is answered first, then it is told.
            let deadline = ContinuousClock.now + .seconds(10)
            while events.withLock({ $0.isEmpty }), ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(events.withLock { $0 } == [error.message])
            var mended = ScriptedProvider()
            mended.frames["item"] = ScriptedProvider.answer(3, .item(try Item.root()))
            mended.script = "greet; next; send item; next"
            supervisor.reset(bundle: try mended.install(in: folder))
            _ = try await session.item(.root)
        }
    }

    @Test func strayTextBeforeThePrefaceIsShown() async throws {
        var provider = ScriptedProvider()
        provider.script = "echo 'Welcome to Photos!'; greet; while next; do :; done"
        try await provider.supervised { _, session, _ in
            let error = try #require(await session.failureOfItem())
            #expect(error.code == .providerUnavailable)
            #expect(
                error.causes.contains { $0.hasPrefix("Instead of the protocol it sent “Welcome to Photos!") },
                "\(error)")
        }
    }

    @Test func oneThatNeverSpeaksMissesItsDeadline() async throws {
        var provider = ScriptedProvider()
        provider.script = "trap '' TERM; while :; do sleep 1000; done"
        provider.tables = "[deadlines]\nstart = 1\n"
        try await provider.supervised { _, session, _ in
            let error = try #require(await session.failureOfItem())
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) could not be started: it did not get through the handshake. \(Self.advice)"
            )
            #expect(
                error.causes == [
                    "The provider Photos (org.example.photos) did not say hello within 1 s; see its messages."
                ])
        }
    }

    @Test("WIRE-15: one that waits for a debugger has all the time that it wants for the handshake")
    func waitsForDebugger() async throws {
        var provider = ScriptedProvider()
        // Longer than its deadline.
        provider.script = "sleep 1.5; greet; next"
        provider.tables = "[deadlines]\nstart = 1\n"
        let environment = ["PATH": "/usr/bin:/bin", "DOCENT_WAIT_FOR_DEBUGGER": "1"]
        try await provider.supervised(environment: environment) { supervisor, _, folder in
            _ = try await supervisor.withProvider { $0.processID }
            #expect(folder.starts.count == 1)
        }
    }

    @Test func oneThatSpeaksNoVersionOfOursIsGivenUp() async throws {
        var provider = ScriptedProvider()
        provider.version = 0
        provider.script = "next; send hello"
        try await provider.supervised { supervisor, session, _ in
            let error = try #require(await session.failureOfItem())
            #expect(error.code == .providerUnavailable)
            #expect(error.causes.contains { $0.contains("share no version of the protocol") }, "\(error)")
            #expect(error.detail.contains("Versions there: 9."), "\(error.detail)")
            guard case .givenUp = supervisor.status.state else {
                Issue.record("\(supervisor.status.state)")
                return
            }
        }
    }

    @Test("One that was given up is started anew when its manifest was changed while its last process ran")
    func changedWhileItRan() async throws {
        var provider = ScriptedProvider()
        provider.version = 0
        provider.script = "echo >> \"${0%/*}/provider.toml\"; next; send hello"
        try await provider.supervised { supervisor, session, folder in
            for count in 1...2 {
                let error = try #require(await session.failureOfItem())
                #expect(error.code == .providerUnavailable)
                guard case .givenUp = supervisor.status.state else {
                    Issue.record("\(supervisor.status.state)")
                    return
                }
                #expect(folder.starts.count == count)
            }
        }
    }

    @Test func capabilitiesThatTheManifestDoesNotDeclareAreRefusedForGood() async throws {
        var provider = ScriptedProvider()
        provider.capabilities = [.modifying]
        try await provider.supervised { supervisor, session, _ in
            let error = try #require(await session.failureOfItem())
            #expect(
                error.causes.contains(
                    "The provider Photos (org.example.photos) claims “modifying”, which its manifest does not declare. Report this to the provider's author."
                ),
                "\(error)")
            guard case .givenUp = supervisor.status.state else {
                Issue.record("\(supervisor.status.state)")
                return
            }
        }
    }

    @Test func fewerCapabilitiesThanTheManifestDeclaresAreFine() async throws {
        var provider = ScriptedProvider()
        provider.manifest["capabilities"] = "[\"modifying\", \"changes\"]"
        provider.capabilities = [.changes]
        try await provider.supervised { supervisor, session, _ in
            let capabilities = try await supervisor.withProvider { $0.capabilities }
            #expect(capabilities == [.changes])
            do throws(DocumentError) {
                try await session.delete(
                    .init(id: .root, baseVersion: .none, recursive: false, operation: "1"))
                Issue.record("the call succeeded")
            } catch {
                #expect(
                    error
                        == DocumentError(
                            .notPermitted, "The provider Photos (org.example.photos) does not allow changes."))
            }
        }
    }

    @Test func oneThatIsSomebodyElseIsRefusedForGood() async throws {
        var provider = ScriptedProvider()
        provider.identity = "org.example.music"
        try await provider.supervised { supervisor, session, _ in
            let error = try #require(await session.failureOfItem())
            #expect(
                error.causes.contains(
                    "The provider Photos (org.example.photos) says that it is “org.example.music”. Report this to the provider's author."
                ), "\(error)")
            guard case .givenUp = supervisor.status.state else {
                Issue.record("\(supervisor.status.state)")
                return
            }
        }
    }

    @Test("Rule 62: a program that was made writable for others is not started")
    func aProgramThatWasMadeWritableForOthersIsNotStarted() async throws {
        try await ScriptedProvider().supervised { _, session, folder in
            let program = folder.path.appending("bundle/provider")
            try TemporaryFolder.change(program, mode: 0o757)
            let error = try #require(await session.failureOfItem())
            #expect(error.message.contains("can be changed by other users"), "\(error)")
            #expect(folder.starts.isEmpty)
        }
    }

    @Test func aMissingInterpreterIsNamed() async throws {
        try await ScriptedProvider().supervised { _, session, folder in
            try folder.file("bundle/provider", "#!/no/such/interpreter\n", mode: 0o755)
            let error = try #require(await session.failureOfItem())
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) could not be started: cannot execute \(folder.path)/bundle/provider: No such file or directory (its interpreter or loader is missing). \(Self.advice)"
            )
        }
    }
}
