import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A supervised provider is stopped", .timeLimit(.minutes(1)))
struct ProviderStopTests {
    @Test("Rules 54, 57: an unused provider is stopped, and started again by the next use")
    func anUnusedProviderIsStoppedAndStartedAgainByTheNextUse() async throws {
        try await ScriptedProvider().supervised(idleAfter: .milliseconds(100)) { supervisor, _, folder in
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
        try await provider.supervised(ladder: ladder) { supervisor, _, _ in
            _ = try await supervisor.withProvider { $0.processID }
            begin = .now
        }
        #expect(ContinuousClock.now - begin < .seconds(4), "the usual ladder is longer")
    }

    @Test func callsThatWaitForAStartFailWhenTheHostEnds() async throws {
        var provider = ScriptedProvider()
        provider.script = "while next; do :; done"
        try await provider.supervised { supervisor, session, folder in
            async let error = session.failureOfItem()
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
        try await provider.supervised { _, session, folder in
            let call = Task { await session.failureOfItem() }
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
        try await provider.supervised { supervisor, _, folder in
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

    @Test("Rule 57: a fleet stops all its providers side by side")
    func aFleetStopsAllItsProvidersSideBySide() async throws {
        let fixtures = try (0..<4).map { _ in try LaunchFixture() }
        var context = fixtures[0].context
        context.ladder = ShutdownLadder(terminateAfter: .milliseconds(300), killAfter: .seconds(3))
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
            #expect(ContinuousClock.now - begin < .seconds(12), "one after the other they take longer")
        }
        for fixture in fixtures { for pid in fixture.folder.starts { #expect(!isAlive(pid)) } }
    }
}
