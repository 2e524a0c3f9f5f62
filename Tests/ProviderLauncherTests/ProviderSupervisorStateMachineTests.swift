import DocumentModel
import ProviderLauncher
import Testing

@Suite("When a provider is started, left alone and given up")
struct ProviderSupervisorStateMachineTests {
    private typealias Machine = ProviderSupervisorStateMachine
    private let begin = ContinuousClock.now
    private let death = DocumentError(.providerDied, "It exited with status 3.", detail: "D", causes: ["Because."])

    private func at(_ seconds: Double) -> ContinuousClock.Instant { begin + .seconds(seconds) }

    private func machine(_ policy: Machine.Policy = .init()) -> Machine {
        Machine(name: "Photos (org.example.photos)", identifier: "org.example.photos", policy: policy)
    }

    private func running(since seconds: Double = 0) -> Machine {
        var machine = machine()
        _ = machine.wanted(now: at(seconds))
        _ = machine.handshakeDone(now: at(seconds))
        return machine
    }

    /// Starts it and lets it die after a life, and returns what the death led to.
    private func life(_ machine: inout Machine, from: Double, lasting: Double) -> [Machine.Action] {
        let (answer, actions) = machine.wanted(now: at(from))
        #expect(answer == .wait)
        #expect(actions == [.launch])
        #expect(machine.handshakeDone(now: at(from)) == [.serveWaiters])
        return machine.exited(death, now: at(from + lasting))
    }

    @Test func theFirstUseStartsItAndTheNextJoins() {
        var machine = machine()
        #expect(machine.state == .stopped)
        #expect(machine.wanted(now: at(0)) == (.wait, [.launch]))
        #expect(machine.state == .starting)
        #expect(machine.wanted(now: at(1)) == (.wait, []))
        #expect(machine.handshakeDone(now: at(2)) == [.serveWaiters])
        #expect(machine.state == .running(since: at(2)))
        #expect(machine.wanted(now: at(3)) == (.use, []))
    }

    @Test func aFailedStartFailsThoseWhoWaitWithItsCauseAndTheNextUseTriesAtOnce() {
        var machine = machine()
        _ = machine.wanted(now: at(0))
        #expect(machine.startFailed(death, isPermanent: false, now: at(1)) == [.failWaiters(death)])
        #expect(machine.state == .stopped)
        #expect(machine.wanted(now: at(1)) == (.wait, [.launch]))
    }

    @Test("Rule 54: the second early death earns a delay, and further ones longer ones")
    func theSecondEarlyDeathEarnsADelayAndFurtherOnesLongerOnes() {
        var machine = machine()
        #expect(life(&machine, from: 0, lasting: 5) == [])
        #expect(machine.state == .stopped)
        #expect(life(&machine, from: 5, lasting: 5) == [.wait(.seconds(10))])
        #expect(machine.state == .backingOff(until: at(20), death))
        #expect(life(&machine, from: 20, lasting: 5) == [.wait(.seconds(20))])
        #expect(life(&machine, from: 45, lasting: 5) == [.wait(.seconds(40))])
    }

    @Test func whileBackingOffCallersAreToldWhyAndWhenToComeBack() {
        var machine = machine()
        _ = life(&machine, from: 0, lasting: 1)
        _ = life(&machine, from: 1, lasting: 1)
        let expected = DocumentError(
            .providerUnavailable,
            "The provider Photos (org.example.photos) died and is not started again for another 8 s; try again then.",
            detail: "D", retryAfter: .seconds(7.5), causes: ["It exited with status 3.", "Because."])
        #expect(machine.wanted(now: at(4.5)) == (.refuse(expected), []))
        #expect(machine.wanted(now: at(12)) == (.wait, [.launch]), "the delay is over, with or without the timer")
    }

    @Test func theTimerEndsTheDelayWithoutStartingAnything() {
        var machine = machine()
        _ = life(&machine, from: 0, lasting: 1)
        _ = life(&machine, from: 1, lasting: 1)
        #expect(machine.timer(now: at(5)) == [.wait(.seconds(7))], "a timer that is early is set again")
        #expect(machine.timer(now: at(12)) == [])
        #expect(machine.state == .stopped)
        #expect(machine.timer(now: at(13)) == [])
    }

    @Test func aLongLifeForgivesTheEarlyDeathsBeforeIt() {
        var machine = machine()
        _ = life(&machine, from: 0, lasting: 1)
        #expect(life(&machine, from: 1, lasting: 30) == [])
        #expect(life(&machine, from: 31, lasting: 29.9) == [], "the first early death again")
        #expect(life(&machine, from: 61, lasting: 29.9) == [.wait(.seconds(10))])
    }

    @Test("Rule 54: five deaths in three minutes are enough")
    func fiveDeathsInThreeMinutesAreEnough() {
        var machine = machine()
        var now = 0.0
        for _ in 1...4 {
            _ = life(&machine, from: now, lasting: 31)
            now += 31
        }
        let error = DocumentError(
            .providerUnavailable,
            "The provider Photos (org.example.photos) died 5 times within 3 minutes and is not started again until it is installed anew, or told to: docent provider restart org.example.photos.",
            detail: "D", causes: ["It exited with status 3.", "Because."])
        #expect(life(&machine, from: now, lasting: 31) == [.giveUp(error)])
        #expect(machine.state == .givenUp(error))
        #expect(machine.wanted(now: at(100_000)) == (.refuse(error), []), "waiting does not help")
        #expect(machine.timer(now: at(100_000)) == [])
    }

    @Test func deathsThatLieFurtherApartAreNotAddedUp() {
        var machine = machine()
        for index in 0..<20 {
            #expect(life(&machine, from: Double(index) * 60, lasting: 45) == [])
        }
    }

    @Test func theDelayIsBounded() {
        var policy = Machine.Policy()
        policy.deathsToGiveUp = 100
        policy.longestDelay = .seconds(60)
        var machine = machine(policy)
        var now = 0.0
        var delays: [Machine.Action] = []
        for _ in 1...7 {
            delays += life(&machine, from: now, lasting: 0)
            now += 100
        }
        #expect(delays == [10, 20, 40, 60, 60, 60].map { .wait(.seconds($0)) })
    }

    @Test func whatCannotWorkAsItIsInstalledIsGivenUpAtOnce() {
        var machine = machine()
        _ = machine.wanted(now: at(0))
        let error = DocumentError(
            .providerUnavailable,
            "The provider Photos (org.example.photos) cannot work as it is installed and is not started again until it is installed anew, or told to: docent provider restart org.example.photos.",
            detail: "D", causes: ["It exited with status 3.", "Because."])
        #expect(
            machine.startFailed(death, isPermanent: true, now: at(1)) == [.failWaiters(death), .giveUp(error)])
        #expect(machine.state == .givenUp(error))
    }

    @Test func aDeathBeforeTheHandshakeIsAFailedStart() {
        var machine = machine()
        _ = machine.wanted(now: at(0))
        #expect(machine.exited(death, now: at(1)) == [.failWaiters(death)])
    }

    @Test func anIdleProviderIsStoppedAndTheNextUseStartsItWithoutDelay() {
        var machine = running()
        #expect(machine.idle() == [.shutDown])
        #expect(machine.state == .stopping(restart: false))
        #expect(machine.exited(death, now: at(1)) == [], "that is no death")
        #expect(machine.state == .stopped)
        #expect(machine.wanted(now: at(1)) == (.wait, [.launch]))
    }

    @Test func onlyARunningProviderCanBeIdle() {
        var machine = machine()
        #expect(machine.idle() == [])
        _ = machine.wanted(now: at(0))
        #expect(machine.idle() == [])
        #expect(machine.state == .starting)
    }

    @Test func whoWantsItWhileItStopsGetsTheNextOne() {
        var machine = running()
        _ = machine.idle()
        #expect(machine.wanted(now: at(1)) == (.wait, []))
        #expect(machine.wanted(now: at(1)) == (.wait, []))
        #expect(machine.exited(death, now: at(2)) == [.launch])
        #expect(machine.state == .starting)
        #expect(machine.handshakeDone(now: at(3)) == [.serveWaiters])
    }

    @Test func aResetForgetsWhatWas() {
        var machine = machine()
        for index in 0..<5 {
            let now = Double(index) * 31
            _ = life(&machine, from: now, lasting: 31)
        }
        #expect(machine.reset() == [])
        #expect(machine.state == .stopped)
        #expect(life(&machine, from: 160, lasting: 1) == [], "the count begins anew")

        var waiting = self.machine()
        _ = life(&waiting, from: 0, lasting: 1)
        _ = life(&waiting, from: 1, lasting: 1)
        #expect(waiting.reset() == [])
        #expect(waiting.wanted(now: at(2)) == (.wait, [.launch]))
    }

    @Test func aResetReplacesTheProcessThatHasTheOldSettings() {
        var machine = running()
        #expect(machine.reset() == [.shutDown])
        #expect(machine.exited(death, now: at(1)) == [])
        #expect(machine.state == .stopped)

        var starting = self.machine()
        _ = starting.wanted(now: at(0))
        #expect(starting.reset() == [.shutDown])
        #expect(starting.startFailed(death, isPermanent: true, now: at(1)) == [.launch], "those who wait go on waiting")
        #expect(starting.state == .starting)
    }

    @Test func afterTheEndNothingIsStarted() {
        var machine = running()
        #expect(machine.end() == [.shutDown])
        #expect(machine.exited(death, now: at(1)) == [])
        let refusal = DocumentError(
            .providerUnavailable, "The host is ending; try again when it has been started anew.")
        #expect(machine.wanted(now: at(2)) == (.refuse(refusal), []))

        var starting = self.machine()
        _ = starting.wanted(now: at(0))
        #expect(starting.end() == [.failWaiters(refusal), .shutDown])
        #expect(starting.handshakeDone(now: at(1)) == [])
        #expect(starting.startFailed(death, isPermanent: false, now: at(2)) == [])
        #expect(starting.state == .ended)

        var stopping = running()
        _ = stopping.idle()
        _ = stopping.wanted(now: at(1))
        #expect(stopping.end() == [.failWaiters(refusal), .shutDown])
        #expect(stopping.exited(death, now: at(2)) == [])

        for var idle in [self.machine()] {
            #expect(idle.end() == [])
            #expect(idle.reset() == [] && idle.idle() == [])
            #expect(idle.state == .ended)
        }
    }

    @Test func lateNewsOfAProcessThatIsGoneChangesNothing() {
        var machine = machine()
        #expect(machine.exited(death, now: at(0)) == [])
        #expect(machine.startFailed(death, isPermanent: true, now: at(0)) == [])
        #expect(machine.handshakeDone(now: at(0)) == [])
        #expect(machine.state == .stopped)
        var running = running()
        #expect(running.startFailed(death, isPermanent: true, now: at(1)) == [])
        #expect(running.state == .running(since: at(0)))
    }
}

/// Tuples have no `==` that `#expect` takes apart.
private func == (
    one: (ProviderSupervisorStateMachine.Answer, [ProviderSupervisorStateMachine.Action]),
    other: (ProviderSupervisorStateMachine.Answer, [ProviderSupervisorStateMachine.Action])
) -> Bool {
    one.0 == other.0 && one.1 == other.1
}
