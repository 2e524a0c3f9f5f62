import DocumentHost
import DocumentModel
import Testing

/// The life of a picker session.
@Suite struct PickerSessionStateMachineTests {
    private func domains() throws -> (DomainName, DomainName) { (try DomainName("work"), try DomainName("home")) }

    @Test("PICK-7: a provider is prepared once, chosen from once, and told the end once")
    func lifeCycle() throws {
        let (work, home) = try domains()
        var machine = PickerSessionStateMachine()
        try machine.look()
        let prepared = [machine.needsPreparing(work), machine.needsPreparing(work), machine.needsPreparing(home)]
        #expect(prepared == [true, false, true])
        try machine.choose()
        try machine.look()
        try machine.accept()
        #expect(machine.state == .transferring)
        #expect(machine.release() == [work, home])
        #expect(machine.release().isEmpty && machine.state == .released)
    }

    @Test("PICK-7: a second dismissal, and any call of a session that is over, is refused")
    func over() throws {
        let (work, _) = try domains()
        var machine = PickerSessionStateMachine()
        try machine.choose()
        #expect(throws: DocumentError.self) { try machine.choose() }
        try machine.accept()
        for call in [{ try $0.look() }, { try $0.choose() }, { try $0.accept() }]
            as [(inout PickerSessionStateMachine) throws -> Void]
        {
            #expect(throws: DocumentError.self) { try call(&machine) }
        }
        let isPrepared = machine.needsPreparing(work)
        #expect(!isPrepared)
        _ = machine.release()
        for call in [{ try $0.look() }, { try $0.choose() }, { _ = try $0.cancel() }]
            as [(inout PickerSessionStateMachine) throws -> Void]
        {
            #expect(throws: DocumentError.self) { try call(&machine) }
        }
    }

    @Test("PICK-14, PICK-15: a refused choice leaves the session open")
    func refusal() throws {
        var machine = PickerSessionStateMachine()
        try machine.choose()
        machine.refuse()
        #expect(machine.state == .browsing)
        try machine.look()
        try machine.choose()
        try machine.accept()
        machine.refuse()
        #expect(machine.state == .transferring, "what was accepted cannot be refused any more")
    }

    @Test("PICK-16: a cancelled session is released, and nothing follows, not even a choice that was being checked")
    func cancelling() throws {
        let (work, _) = try domains()
        var machine = PickerSessionStateMachine()
        _ = machine.needsPreparing(work)
        try machine.choose()
        #expect(try machine.cancel() == [work])
        #expect(throws: DocumentError.self) { try machine.accept() }
        #expect(throws: DocumentError.self) { try machine.cancel() }
    }

    @Test func aPreparationThatFailedIsTriedAgainAndNotReleased() throws {
        let (work, _) = try domains()
        var machine = PickerSessionStateMachine()
        _ = machine.needsPreparing(work)
        machine.wasNotPrepared(work)
        let isNeeded = machine.needsPreparing(work)
        #expect(isNeeded)
        machine.wasNotPrepared(work)
        #expect(machine.release().isEmpty)
    }
}
