import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("A supervised provider dies", .timeLimit(.minutes(1)))
struct ProviderDeathTests {
    @Test(
        "Rules 55, 56: a call that may be repeated is asked once more, of a new process that upper layers are told of")
    func aCallThatMayBeRepeatedIsAskedAgainWhenTheProviderDiesOverIt() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; test $(count) -eq 1 && exit 7; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Item.root()))
        let events = Mutex<[String]>([])
        try await provider.supervised(observe: { event in
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
            let item = try await session.item(.root)
            #expect(item == (try Item.root()))
            #expect(folder.starts.count == 2)
        }
        #expect(
            events.withLock { $0 } == [
                "started",
                "The provider Photos (org.example.photos) of the domain “work” ended unexpectedly: it exited with status 7.",
                "started", "stopped",
            ])
    }

    @Test("Rule 56: a call that may not be repeated fails with providerDied")
    func aCallThatMayNotBeRepeatedFailsWithProviderDied() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; kill -KILL $$"
        try await provider.supervised { _, session, folder in
            do throws(DocumentError) {
                _ = try await session.startProviding(.root, stagingPath: "/nowhere/x")
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
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Item.root()))
        try await provider.supervised { _, session, folder in
            let item = try await session.item(.root)
            #expect(item == (try Item.root()))
            #expect(folder.starts.count == 2)
            #expect(folder.starts.first.map(isAlive) == false)
        }
    }

    @Test("Rule 46: the end of the output right behind the identity is noticed, whichever of the two is heard first")
    func oneThatClosesItsOutputAsSoonAsItIsKnownIsEnded() async throws {
        var provider = ScriptedProvider()
        provider.script =
            "n=$(count); greet; test $n -eq 1 && { exec >&- <&-; sleep 1000; }; next; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Item.root()))
        let closer = provider
        // Side by side, so that the two meet in more than one order.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await closer.supervised { _, session, folder in
                        let item = try await session.item(.root)
                        #expect(item == (try Item.root()))
                        #expect(folder.starts.count == 2)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Rule 46: the death of one whose child holds the pipes is noticed")
    func theDeathOfOneWhoseChildHoldsThePipesIsNoticed() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; test $(count) -eq 1 && { sleep 1000 & exit 7; }; send item; next"
        provider.frames["item"] = ScriptedProvider.answer(3, .item(try Item.root()))
        try await provider.supervised { _, session, _ in
            let begin = ContinuousClock.now
            let item = try await session.item(.root)
            #expect(item == (try Item.root()))
            #expect(ContinuousClock.now - begin < .seconds(20))
        }
    }

    @Test func anAnswerOfTheWrongKindIsAViolation() async throws {
        var provider = ScriptedProvider()
        provider.script = "greet; next; send wrong; next"
        provider.frames["wrong"] = ScriptedProvider.answer(3, .itemChanged)
        try await provider.supervised { _, session, _ in
            #expect(await session.failureOfItem()?.code == .protocolViolation)
        }
    }
}
