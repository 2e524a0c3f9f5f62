import DocumentModel
import Testing

@testable import DocumentMount

/// Who waits for another one's change of names: folder 2 lies in 1.
@Suite(.timeLimit(.minutes(1))) struct NameChangesTests {
    private func around(_ folder: UInt64) -> [UInt64] { Array((1...folder).reversed()) }

    private let moving = NameTurns.Change(in: [1], moving: 2)
    private let inside = NameTurns.Change(in: [2])

    @Test func itIsDoneWhenTheOtherIsThrough() async throws {
        let changes = NameChanges(patience: .seconds(50))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let (deeds, done) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [moving] in
                try await changes.during(moving, around: around) {
                    begin.finish()
                    for await _ in ended {}
                    _ = done.yield("moved")
                }
            }
            for await _ in begun {}
            group.addTask { [inside] in try await changes.during(inside, around: around) { _ = done.yield("made") } }
            // Nothing waits for the second one but its turn.
            for _ in 0..<100 { await Task.yield() }
            end.finish()
            try await group.waitForAll()
        }
        done.finish()
        var order: [String] = []
        for await deed in deeds { order.append(deed) }
        #expect(order == ["moved", "made"])
        #expect(try await changes.during(moving, around: around) { true }, "nobody has a turn any more")
    }

    @Test func whoHasWaitedLongEnoughDoesNothing() async throws {
        let changes = NameChanges(patience: .milliseconds(20))
        try await changes.during(moving, around: around) {
            let error = await #expect(throws: DocumentError.self) {
                try await changes.during(inside, around: around) { Issue.record("It was not its turn.") }
            }
            #expect(error?.code == .busy && error?.message.contains("Nothing was done; try again.") == true)
        }
        #expect(try await changes.during(inside, around: around) { true }, "whoever gave up is in nobody's way")
    }

    @Test func whoIsCancelledWaitsNoLonger() async throws {
        let changes = NameChanges(patience: .seconds(50))
        try await changes.during(moving, around: around) {
            let waiting = Task { [inside] in
                try await changes.during(inside, around: around) { Issue.record("It was not its turn.") }
            }
            for _ in 0..<100 { await Task.yield() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }
}
