import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A provider under supervision", .timeLimit(.minutes(1)))
struct ProviderSupervisorTests {
    private struct NoRequests: RequestHandler {
        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
            throw DocumentError(.unimplemented, "Not in this test.")
        }
    }

    private static let itemID: ItemIdentifier = .root

    private static func item() throws -> Item {
        Item(id: .root, parentID: nil, name: nil, kind: .folder, version: try ItemVersion(content: [], metadata: [1]))
    }

    /// Runs a supervisor for a scripted provider for as long as the body runs, and ends it.
    private func supervise(
        _ provider: ScriptedProvider, policy: ProviderSupervisorStateMachine.Policy = .init(),
        idleAfter: Duration? = nil, ladder: ShutdownLadder = ShutdownLadder(),
        observe: @escaping @Sendable (ProviderSupervisor.Event) -> Void = { _ in },
        _ body: (ProviderSupervisor, ProviderSession, TemporaryFolder) async throws -> Void
    ) async throws {
        let fixture = try LaunchFixture()
        var context = fixture.context
        context.ladder = ladder
        let bundle = try provider.install(in: fixture.folder)
        let state = try fixture.folder.folder("state")
        var configuration = ProviderSupervisor.Configuration(
            bundle: bundle,
            settings: SessionSettings(
                providerID: bundle.manifest.identifier, domain: try DomainName("work"), settings: [:],
                stateFolder: state.string, storageRoot: "/nowhere", stagingFolder: "/nowhere"))
        configuration.policy = policy
        configuration.idleAfter = idleAfter
        let supervisor = ProviderSupervisor(configuration, in: context, handler: NoRequests(), observe: observe)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await supervisor.run() }
            defer { group.cancelAll() }
            try await body(supervisor, ProviderSession(supervisor), fixture.folder)
            supervisor.end()
            try await group.waitForAll()
        }
        #expect(supervisor.status.state == .ended)
        for pid in fixture.folder.starts { #expect(!isAlive(pid)) }
    }

    private func failure(_ session: ProviderSession) async -> DocumentError? {
        do {
            _ = try await session.item(Self.itemID)
            Issue.record("the call succeeded")
            return nil
        } catch {
            return error
        }
    }

    // MARK: Starting

    @Test func theFirstUseStartsItAndAllUsesShareIt() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next"
        try await supervise(provider) { supervisor, _, folder in
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
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Self.item()))
        try await supervise(provider) { _, session, _ in
            let item = try await session.item(Self.itemID)
            #expect(item == (try Self.item()))
        }
    }

    @Test func oneThatExitsBeforeTheHandshakeIsReportedWithStatusAndLastWords() async throws {
        var provider = ScriptedProvider()
        provider.script = "echo 'no config file' >&2; exit 3"
        try await supervise(provider) { supervisor, session, folder in
            let error = try #require(await failure(session))
            #expect(error.code == .providerUnavailable)
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) could not be started: it exited with status 3 before the handshake was done."
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

    @Test func repeatedEarlyDeathsEarnADelayThatCallersAreToldOf() async throws {
        var provider = ScriptedProvider()
        provider.script = "exit 3"
        try await supervise(provider) { supervisor, session, folder in
            _ = await failure(session)
            #expect(await failure(session)?.retryAfter == nil, "the first restart is at once")
            let error = try #require(await failure(session))
            #expect(error.code == .providerUnavailable)
            #expect(error.message.hasSuffix("is not started again for another 10 s; try again then."))
            #expect((error.retryAfter ?? .zero) > .seconds(8))
            #expect(error.causes.first?.contains("it exited with status 3") == true)
            #expect(folder.starts.count == 2)
            supervisor.reset()
            _ = await failure(session)
            #expect(folder.starts.count == 3)
        }
    }

    @Test func itIsGivenUpVisiblyAndAResetHelps() async throws {
        var policy = ProviderSupervisorStateMachine.Policy()
        policy.firstDelay = .zero
        var provider = ScriptedProvider()
        provider.script = "exit 3"
        let events = Mutex<[String]>([])
        try await supervise(
            provider, policy: policy,
            observe: { event in
                if case .gaveUp(let error) = event { events.withLock { $0.append(error.message) } }
            }
        ) { supervisor, session, folder in
            for _ in 0..<5 { _ = await failure(session) }
            let error = try #require(await failure(session))
            #expect(folder.starts.count == 5)
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) died 5 times within 3 minutes and is not started again until it is reset or installed anew."
            )
            #expect(supervisor.status.state == .givenUp(error))
            // Who waits is answered first, then it is told.
            let deadline = ContinuousClock.now + .seconds(10)
            while events.withLock({ $0.isEmpty }), ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(events.withLock { $0 } == [error.message])
            var mended = ScriptedProvider()
            mended.frames["item"] = ScriptedProvider.answer(3, .item(try Self.item()))
            mended.script = "greet; next; send item; next"
            supervisor.reset(bundle: try mended.install(in: folder))
            _ = try await session.item(Self.itemID)
        }
    }

    @Test func strayTextBeforeThePrefaceIsShown() async throws {
        var provider = ScriptedProvider()
        provider.script = "echo 'Welcome to Photos!'; greet; while next; do :; done"
        try await supervise(provider) { _, session, _ in
            let error = try #require(await failure(session))
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
        try await supervise(provider) { _, session, _ in
            let error = try #require(await failure(session))
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) could not be started: it did not get through the handshake."
            )
            #expect(
                error.causes == [
                    "The provider Photos (org.example.photos) did not say hello within 1 s; see its messages."
                ])
        }
    }

    @Test func oneThatSpeaksNoVersionOfOursIsGivenUp() async throws {
        var provider = ScriptedProvider()
        provider.version = 0
        provider.script = "next; send hello"
        try await supervise(provider) { supervisor, session, _ in
            let error = try #require(await failure(session))
            #expect(error.code == .providerUnavailable)
            #expect(error.causes.contains { $0.contains("share no version of the protocol") }, "\(error)")
            #expect(error.detail.contains("Versions there: 9."), "\(error.detail)")
            guard case .givenUp = supervisor.status.state else {
                Issue.record("\(supervisor.status.state)")
                return
            }
        }
    }

    @Test func capabilitiesThatTheManifestDoesNotDeclareAreRefusedForGood() async throws {
        var provider = ScriptedProvider()
        provider.capabilities = [.modifying]
        try await supervise(provider) { supervisor, session, _ in
            let error = try #require(await failure(session))
            #expect(
                error.causes.contains(
                    "The provider Photos (org.example.photos) claims “modifying”, which its manifest does not declare."),
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
        try await supervise(provider) { supervisor, session, _ in
            let capabilities = try await supervisor.withProvider { $0.capabilities }
            #expect(capabilities == [.changes])
            do throws(DocumentError) {
                try await session.delete(
                    .init(id: Self.itemID, baseVersion: .none, recursive: false, operation: "1"))
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
        try await supervise(provider) { supervisor, session, _ in
            let error = try #require(await failure(session))
            #expect(
                error.causes.contains(
                    "The provider Photos (org.example.photos) says that it is “org.example.music”."), "\(error)")
            guard case .givenUp = supervisor.status.state else {
                Issue.record("\(supervisor.status.state)")
                return
            }
        }
    }

    @Test func aProgramThatWasMadeWritableForOthersIsNotStarted() async throws {
        try await supervise(ScriptedProvider()) { _, session, folder in
            let program = folder.path.appending("bundle/provider")
            try TemporaryFolder.change(program, mode: 0o757)
            let error = try #require(await failure(session))
            #expect(error.message.contains("can be changed by other users"), "\(error)")
            #expect(folder.starts.isEmpty)
        }
    }

    @Test func aMissingInterpreterIsNamed() async throws {
        try await supervise(ScriptedProvider()) { _, session, folder in
            try folder.file("bundle/provider", "#!/no/such/interpreter\n", mode: 0o755)
            let error = try #require(await failure(session))
            #expect(
                error.message
                    == "The provider Photos (org.example.photos) could not be started: cannot execute \(folder.path)/bundle/provider: No such file or directory (its interpreter or loader is missing)."
            )
        }
    }

    // MARK: Dying

    @Test func aCallThatMayBeRepeatedIsAskedAgainWhenTheProviderDiesOverIt() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; test $(count) -eq 1 && exit 7; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Self.item()))
        let events = Mutex<[String]>([])
        try await supervise(
            provider,
            observe: { event in
                events.withLock { events in
                    switch event {
                    case .started: events.append("started")
                    case .died(let error): events.append(error.message)
                    case .gaveUp: events.append("gave up")
                    case .stopped: events.append("stopped")
                    }
                }
            }
        ) { _, session, folder in
            let item = try await session.item(Self.itemID)
            #expect(item == (try Self.item()))
            #expect(folder.starts.count == 2)
        }
        #expect(
            events.withLock { $0 } == [
                "started",
                "The provider Photos (org.example.photos) of the domain “work” ended unexpectedly: it exited with status 7.",
                "started", "stopped",
            ])
    }

    @Test func aCallThatMayNotBeRepeatedFailsWithProviderDied() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; kill -KILL $$"
        try await supervise(provider) { _, session, folder in
            do throws(DocumentError) {
                _ = try await session.startProviding(Self.itemID, stagingPath: "/nowhere/x")
                Issue.record("the call succeeded")
            } catch {
                #expect(error.code == .providerDied)
                #expect(error.message.contains("Photos (org.example.photos)"), "\(error)")
            }
            #expect(folder.starts.count == 1)
        }
    }

    @Test func oneThatClosesItsOutputAndLivesOnIsEnded() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; test $(count) -eq 1 && { exec >&-; sleep 1000; }; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Self.item()))
        try await supervise(provider) { _, session, folder in
            let item = try await session.item(Self.itemID)
            #expect(item == (try Self.item()))
            #expect(folder.starts.count == 2)
            #expect(folder.starts.first.map(isAlive) == false)
        }
    }

    @Test func theDeathOfOneWhoseChildHoldsThePipesIsNoticed() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; test $(count) -eq 1 && { sleep 1000 & exit 7; }; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Self.item()))
        try await supervise(provider) { _, session, _ in
            let begin = ContinuousClock.now
            let item = try await session.item(Self.itemID)
            #expect(item == (try Self.item()))
            #expect(ContinuousClock.now - begin < .seconds(20))
        }
    }

    @Test func anAnswerOfTheWrongKindIsAViolation() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; send wrong; next"
        provider.frames["wrong"] = ScriptedProvider.answer(3, .itemChanged)
        try await supervise(provider) { _, session, _ in
            #expect(await failure(session)?.code == .protocolViolation)
        }
    }

    // MARK: Stopping

    @Test func anUnusedProviderIsStoppedAndStartedAgainByTheNextUse() async throws {
        try await supervise(ScriptedProvider(), idleAfter: .milliseconds(100)) { supervisor, _, folder in
            let first = try await supervisor.withProvider { live in
                try? await Task.sleep(for: .milliseconds(400))
                #expect(isAlive(live.processID), "it is in use")
                return live.processID
            }
            #expect(await holdsSoon { !isAlive(first) })
            #expect(await holdsSoon { supervisor.status.state == .stopped })
            let second = try await supervisor.withProvider { $0.processID }
            #expect(second != first)
        }
    }

    @Test func oneThatIgnoresEverythingIsKilledAtTheEnd() async throws {
        var provider = ScriptedProvider()
        provider.script = "trap '' TERM; greet; while :; do sleep 1000; done"
        let ladder = ShutdownLadder(terminateAfter: .milliseconds(200), killAfter: .milliseconds(500))
        var begin = ContinuousClock.now
        try await supervise(provider, ladder: ladder) { supervisor, _, _ in
            _ = try await supervisor.withProvider { $0.processID }
            begin = .now
        }
        #expect(ContinuousClock.now - begin < .seconds(4), "the usual ladder is longer")
    }

    @Test func callsThatWaitForAStartFailWhenTheHostEnds() async throws {
        var provider = ScriptedProvider()
        provider.script = "while next; do :; done"
        try await supervise(provider) { supervisor, session, folder in
            async let error = failure(session)
            #expect(await holdsSoon { !folder.starts.isEmpty })
            supervisor.end()
            #expect(
                await error
                    == DocumentError(
                        .providerUnavailable, "The host is ending; try again when it has been started anew."))
        }
    }

    @Test func aCancelledCallStopsWaitingForTheStart() async throws {
        var provider = ScriptedProvider()
        provider.script = "while next; do :; done"
        try await supervise(provider) { _, session, folder in
            let call = Task { await failure(session) }
            #expect(await holdsSoon { !folder.starts.isEmpty })
            call.cancel()
            #expect(await call.value?.code == .cancelled)
        }
    }

    @Test func cancellingTheSupervisorKillsItsProcess() async throws {
        let fixture = try LaunchFixture()
        var provider = ScriptedProvider()
        provider.script = "trap '' TERM; greet; while :; do sleep 1000; done"
        let bundle = try provider.install(in: fixture.folder)
        let supervisor = ProviderSupervisor(
            .init(
                bundle: bundle,
                settings: SessionSettings(
                    providerID: bundle.manifest.identifier, domain: try DomainName("work"), settings: [:],
                    stateFolder: fixture.folder.path.string, storageRoot: "/nowhere", stagingFolder: "/nowhere")),
            in: fixture.context, handler: NoRequests())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await supervisor.run() }
            defer { group.cancelAll() }
            let pid = try await supervisor.withProvider { $0.processID }
            #expect(isAlive(pid))
        }
        for pid in fixture.folder.starts { #expect(!isAlive(pid)) }
        await #expect(throws: DocumentError.self) { try await supervisor.withProvider { $0.processID } }
        await supervisor.waitUntilEnded()
    }

    @Test func aResetStartsItWithItsNewSettings() async throws {
        var provider = ScriptedProvider()
        provider.script = """
            dd bs=65536 count=1 of="$here/received$(count)" 2>/dev/null
            send hello && next && send identity && next
            """
        try await supervise(provider) { supervisor, _, folder in
            _ = try await supervisor.withProvider { $0.processID }
            #expect(folder.text("bundle/received1")?.contains("docent-launcher") == true, "the state folder")
            supervisor.reset(
                settings: SessionSettings(
                    providerID: try ProviderIdentifier("org.example.photos"), domain: try DomainName("work"),
                    settings: ["album": "Été 1987"], stateFolder: folder.path.string, storageRoot: "/nowhere",
                    stagingFolder: "/nowhere"))
            _ = try await supervisor.withProvider { $0.processID }
            #expect(folder.starts.count == 2)
            #expect(folder.text("bundle/received1")?.contains("Été 1987") == false)
            #expect(folder.text("bundle/received2")?.contains("Été 1987") == true)
        }
    }

    @Test func aFleetStopsAllItsProvidersSideBySide() async throws {
        let fixtures = try (0..<4).map { _ in try LaunchFixture() }
        var context = fixtures[0].context
        context.ladder = ShutdownLadder(terminateAfter: .milliseconds(300), killAfter: .milliseconds(1500))
        let fleet = ProviderFleet(in: context)
        var provider = ScriptedProvider()
        provider.script = "trap '' TERM; greet; while :; do sleep 1000; done"
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fleet.run() }
            defer { group.cancelAll() }
            for (index, fixture) in fixtures.enumerated() {
                let bundle = try provider.install(in: fixture.folder)
                let supervisor = try fleet.add(
                    .init(
                        bundle: bundle,
                        settings: SessionSettings(
                            providerID: bundle.manifest.identifier, domain: try DomainName("d\(index)"), settings: [:],
                            stateFolder: fixture.folder.path.string, storageRoot: "/nowhere", stagingFolder: "/nowhere")
                    ),
                    handler: NoRequests())
                _ = try await supervisor.withProvider { $0.processID }
            }
            #expect(fleet.status.map(\.domain.rawValue) == ["d0", "d1", "d2", "d3"])
            let begin = ContinuousClock.now
            fleet.stopAll()
            try await group.waitForAll()
            #expect(ContinuousClock.now - begin < .seconds(6), "one after the other they take longer")
        }
        for fixture in fixtures { for pid in fixture.folder.starts { #expect(!isAlive(pid)) } }
    }
}
