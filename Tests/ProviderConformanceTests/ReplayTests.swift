import DocumentModel
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Foundation
import ProviderConformance
import SystemPackage
import Testing

@Suite("Replaying a recorded session", .timeLimit(.minutes(2)))
struct ReplayTests {
    /// A recording of a session with MemoryProvider.
    private func record(in bundle: String) async throws -> String {
        var runner = try ConformanceFixture.runner(
            .bundle(bundle),
            checks: [
                ConformanceFixture.check(1) { context in
                    try await context.withSession { session in
                        let document = try await context.sampleDocument(session)
                        _ = try await session.contents(of: document.id)
                        try await session.providePlaceholder(document.id)
                        _ = try? await session.item(try context.unknownIdentifier())
                    }
                }
            ])
        runner.keepsRecords = true
        let run = try await runner.run()
        #expect(run.report.exitStatus == 0)
        return try #require(run.records.first)
    }

    private func replay(_ record: String, _ bundle: String) async throws -> ReplayRunner.Outcome {
        try await TemporaryFile.with(contents: record) { file in
            var runner = try ReplayRunner(file: file.string)
            runner.trampoline = try BuiltProducts.executable("docent-trampoline").string
            return try await runner.replay(
                against: .bundle(bundle), configuration: ConformanceConfiguration(), configurationFolder: ".")
        }
    }

    @Test("§6.59: a recorded session goes the same way again, and a changed answer is the first difference")
    func host() async throws {
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            let text = try await record(in: bundle)
            for _ in 1...2 {
                let outcome = try await replay(text, bundle)
                #expect(outcome == .same, "\(outcome)")
            }

            // Somebody recorded it when an item was still missing.
            var record = try TrafficRecord(text: Array(text.utf8))
            let place = try #require(
                record.entries.firstIndex { entry in
                    guard entry.direction == .toHost, case .answer? = entry.frame?.kind else { return false }
                    return true
                })
            let id = try #require(record.entries[place].frame?.id)
            record.entries[place].content = .frame(
                Frame(id: id, .failure(DocumentError(.noSuchItem, "There is none."))).generalBody())
            guard case .different(let words) = try await replay(record.text, bundle) else {
                Issue.record("The difference was not found.")
                return
            }
            #expect(words.contains("entry \(place + 1)"))
            #expect(words.contains("noSuchItem"))
        }
    }

    @Test("§6.59: the order in which a provider tells its capabilities is no difference; an empty recording is refused")
    func orderOfCapabilities() async throws {
        func hello(_ order: [ProviderCapability]) -> Frame {
            var reply = Frame.HelloReply()
            reply.version = 1
            // Messages that follow each other are one message.
            reply.context = order.flatMap { SessionCapabilities(capabilities: [$0]).serialized() }
            return Frame(.helloReply(reply))
        }
        let order = ProviderCapability.allCases
        let record = TrafficRecord(
            entries: [TrafficEntry(time: .zero, direction: .toHost, content: .frame(hello(order).generalBody()))])
        for _ in 0..<20 {
            var machine = ReplayStateMachine(record, playing: .toProvider)
            #expect(try machine.next() == .wait)
            try machine.receive(hello(order.shuffled()))
            #expect(try machine.next() == .finished)
        }
        try await TemporaryFile.with(contents: TrafficRecord().text) { file in
            _ = #expect(throws: ConformanceUsageError.self) { try ReplayRunner(file: file.string) }
        }
    }

    @Test("A provider that is played from a recording is a provider, as far as the recording goes")
    func provider() async throws {
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            let text = try await record(in: bundle)
            try await TemporaryFile.with(contents: text) { file in
                let command = [
                    try BuiltProducts.executable("provider-conformance").string, "replay", file.string, "--as",
                    "provider",
                ]
                // The same session, over a replay of the replay.
                var runner = try ReplayRunner(file: file.string)
                runner.trampoline = try BuiltProducts.executable("docent-trampoline").string
                let outcome = try await runner.replay(
                    against: .command(command), configuration: ConformanceConfiguration(), configurationFolder: ".")
                #expect(outcome == .same)
            }
        }
    }

    @Test("What is no recording is wrong usage")
    func noRecording() async throws {
        try await TemporaryFile.with(contents: "nonsense") { file in
            _ = #expect(throws: ConformanceUsageError.self) { _ = try ReplayRunner(file: file.string) }
        }
        #expect(throws: ConformanceUsageError.self) { _ = try ReplayRunner(file: "/no/such/file") }
    }
}
