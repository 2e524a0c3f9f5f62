import DocumentClient
import DocumentModel
import DocumentWire
import Synchronization
import Testing

/// What presenters are told when the host does not keep to one message at a time.
@Suite struct PresenterTurnsTests {
    /// Notes what it is told, and answers only when it may.
    private final class SlowPresenter: SavingFilePresenter, FolderPresenter {
        struct Failure: Error {}

        let heard = Mutex<[String]>([])
        let mostAtOnce = Mutex(0)
        private let answering = Mutex(0)
        private let place: Mutex<Location?>
        private let gate: AsyncStream<Void>
        /// Lets one message be answered.
        let mayAnswer: AsyncStream<Void>.Continuation

        init(_ location: Location?) {
            place = Mutex(location)
            (gate, mayAnswer) = AsyncStream.makeStream(of: Void.self)
        }

        var presentedItemLocation: Location? { place.withLock { $0 } }
        func present(_ location: Location) { place.withLock { $0 = location } }

        func savePresentedItemChanges() async throws {
            await hear("save")
            throw Failure()
        }
        func presentedItemDidChange() async { await hear("change") }
        func presentedSubitemDidAppear(at location: Location) async { await hear(location.relativePath) }

        private func hear(_ what: String) async {
            let count = answering.withLock { count in
                count += 1
                return count
            }
            mostAtOnce.withLock { $0 = max($0, count) }
            heard.withLock { $0.append(what) }
            for await _ in gate { break }
            answering.withLock { $0 -= 1 }
        }
    }

    private func serving(_ body: (FakeHost, DocumentClient) async throws -> Void) async throws {
        try await FakeHost.serving { call in
            guard case .beginAccess = call else { return .done }
            return .beginAccess(access: 3, path: "/dev/null", item: try someItem("work:/new"))
        } _: { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                try await body(host, client)
            }
        }
    }

    private func wait(until condition: () -> Bool) async throws {
        for _ in 0..<2_000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
        try #require(condition())
    }

    private func number(of index: Int, _ host: FakeHost) throws -> UInt64 {
        let numbers = host.calls.compactMap { call -> UInt64? in
            if case .addPresenter(let registration) = call { registration.number } else { nil }
        }
        return try #require(numbers.indices.contains(index) ? numbers[index] : nil)
    }

    @Test("COORD-29: messages of one presenter arrive one at a time, also when the host sends all at once")
    func oneAtATime() async throws {
        try await serving { host, client in
            let presenter = SlowPresenter(try Location("work:/folder"))
            try await client.addPresenter(presenter)
            let number = try number(of: 0, host)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 1...20 {
                    let item = try Location("work:/folder/\(index)")
                    group.addTask {
                        try await host.tellPresenter(number, message: UInt64(index), .subitemDidAppear(item))
                    }
                }
                try await wait { presenter.heard.withLock { $0.count } == 1 }
                // Long enough for a second one to come, if it did.
                try await Task.sleep(for: .milliseconds(100))
                #expect(presenter.heard.withLock { $0.count } == 1)
                for _ in 1...20 { presenter.mayAnswer.yield() }
                try await group.waitForAll()
            }
            #expect(presenter.mostAtOnce.withLock { $0 } == 1)
            #expect(Set(presenter.heard.withLock { $0 }) == Set((1...20).map { "folder/\($0)" }))
        }
    }

    @Test("COORD-29: a presenter that takes its time keeps no other waiting, and an error goes to its own message")
    func others() async throws {
        try await serving { host, client in
            let (slow, quick) = (SlowPresenter(try Location("work:/a")), SlowPresenter(try Location("work:/b")))
            try await client.addPresenter(slow)
            try await client.addPresenter(quick)
            let (first, second) = (try number(of: 0, host), try number(of: 1, host))
            async let save: Void = host.tellPresenter(first, message: 1, .saveChanges)
            try await wait { slow.heard.withLock { $0 } == ["save"] }
            async let change: Void = host.tellPresenter(first, message: 2, .didChange)
            quick.mayAnswer.yield()
            try await host.tellPresenter(second, message: 3, .didChange)
            #expect(quick.heard.withLock { $0 } == ["change"] && slow.heard.withLock { $0 } == ["save"])
            slow.mayAnswer.yield()
            slow.mayAnswer.yield()
            do {
                try await save
                Issue.record("The presenter's error is lost")
            } catch {}
            try await change
            #expect(slow.heard.withLock { $0 } == ["save", "change"])
        }
    }

    @Test("COORD-29: what waits for its turn is not told to a presenter that was removed meanwhile")
    func removed() async throws {
        try await serving { host, client in
            let presenter = SlowPresenter(try Location("work:/a"))
            try await client.addPresenter(presenter)
            let number = try number(of: 0, host)
            async let first: Void = host.tellPresenter(number, message: 1, .didChange)
            try await wait { presenter.heard.withLock { $0.count } == 1 }
            async let second: Void = host.tellPresenter(number, message: 2, .didChange)
            try await client.removePresenter(presenter)
            presenter.mayAnswer.yield()
            try await first
            try await second
            #expect(presenter.heard.withLock { $0 } == ["change"])
        }
    }

    @Test("COORD-29: what waits for its turn ends with the connection")
    func ending() async throws {
        let presenter = SlowPresenter(try Location("work:/a"))
        try await serving { host, client in
            try await client.addPresenter(presenter)
            let number = try number(of: 0, host)
            async let first: Void = host.tellPresenter(number, message: 1, .didChange)
            try await wait { presenter.heard.withLock { $0.count } == 1 }
            async let second: Void = host.tellPresenter(number, message: 2, .didChange)
            try await Task.sleep(for: .milliseconds(50))
            host.die()
            do {
                try await first
                try await second
                Issue.record("A message was answered after the end")
            } catch {}
        }
        // The client has ended, although nobody let the first message be answered: its task was cancelled.
        #expect(presenter.heard.withLock { $0 } == ["change"])
    }

    @Test("COORD-29: a nil location means not created yet, and is read again after the presenter's own write only")
    func createdLater() async throws {
        try await serving { host, client in
            let (author, other) = (SlowPresenter(nil), SlowPresenter(nil))
            try await client.addPresenter(author)
            try await client.addPresenter(other)
            let number = try number(of: 0, host)
            let place = try Location("work:/new")
            try await FileCoordinator(client, presenter: author).coordinate(readingItemAt: place) { _, _ in }
            #expect(!host.calls.contains { if case .endWrite = $0 { true } else { false } })
            try await FileCoordinator(client, presenter: author).coordinate(writingItemAt: place) { _, _ in
                author.present(place)
                other.present(place)
            }
            // With the end of the write, so that nobody's change slips in between.
            let ends = host.calls.compactMap { call in
                if case .endWrite(_, let presenter, let location) = call { (presenter, location) } else { nil }
            }
            #expect(ends.count == 1 && ends[0] == (number, place))
            #expect(!host.calls.contains { if case .setPresentedItem = $0 { true } else { false } })
        }
    }
}
