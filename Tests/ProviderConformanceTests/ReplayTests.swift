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
        return try #require(run.records.first).text
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

    @Test(
        "§6.59: of a run that changes documents, what can be replayed goes the same way each time; the rest says why not"
    )
    func mutatingRun() async throws {
        try await ConformanceFixture.withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            var runner = try ConformanceFixture.runner(.bundle(bundle), mutating: true)
            runner.keepsRecords = true
            runner.selection.patterns = [
                "PC-ITEM-001", "PC-FETCH-001", "PC-CREATE-00*", "PC-MODIFY-001", "PC-DELETE-00*", "PC-ANCHOR-00*",
                "PC-CANCEL-001", "PC-STAGING-001", "PC-GONE-00*", "PC-END-00*", "PC-HELLO-00*",
            ]
            let run = try await runner.run()
            let reasons = try run.records.map {
                try TrafficRecord(text: Array($0.text.utf8)).note("not-replayable")
            }
            let cancels = zip(run.records, reasons).first { $0.0.name.contains("PC-CANCEL-001") }
            #expect(cancels?.1?.contains("cancels") == true)
            let staging = zip(run.records, reasons).first { $0.0.name.contains("PC-STAGING-001") }
            #expect(staging?.1?.contains("takes files away") == true)
            #expect(reasons.count { $0 == nil } >= 5)
            for (record, reason) in zip(run.records, reasons) {
                guard reason == nil else {
                    await #expect(throws: ConformanceUsageError.self) { _ = try await replay(record.text, bundle) }
                    continue
                }
                for _ in 1...2 {
                    let outcome = try await replay(record.text, bundle)
                    #expect(outcome == .same, "\(record.name): \(outcome)")
                }
            }
            // Who reads a report finds the file, and who has a file the check.
            let hello = try #require(run.report.results.first { $0.check.id == "PC-HELLO-002" })
            let name = try #require(hello.recordings.first)
            #expect(name.hasSuffix("-PC-HELLO-002.docent-traffic"))
            #expect(run.records.first { $0.name == name }?.text.contains("\nchecks PC-HELLO-002\n") == true)
            for format in [ReportFormat.json, .html] { #expect(try format.text(run.report).contains(name)) }
        }
    }

    @Test("§6.59: of two answers that differ, only the fields that differ are shown, as the protos name them")
    func shownFields() throws {
        func answer(_ name: String) throws -> Frame {
            let item = Item(
                id: try ItemIdentifier("a"), parentID: .root, name: try ItemName(name), kind: .document, size: 7,
                version: try ItemVersion(content: [1], metadata: [2]))
            return Frame(id: 1, .answer(body: ProviderReply.item(item).serialized()))
        }
        let question = Frame(
            id: 1, .request(body: ProviderCall.item(try ItemIdentifier("a")).serialized(), deadline: 0, label: nil))
        let record = TrafficRecord(entries: [
            TrafficEntry(time: .zero, direction: .toProvider, content: .frame(question.generalBody())),
            TrafficEntry(time: .zero, direction: .toHost, content: .frame(try answer("old.txt").generalBody())),
        ])
        var machine = ReplayStateMachine(record, playing: .toProvider)
        #expect(try machine.next() == .send(question))
        #expect(try machine.next() == .wait)
        let difference = #expect(throws: ReplayStateMachine.Difference.self) {
            try machine.receive(try answer("new.txt"))
        }
        let recorded = try #require(difference?.recorded)
        #expect(recorded.hasSuffix("name: \"old.txt\"") && !recorded.contains("\n"))
        #expect(difference?.found.hasSuffix("name: \"new.txt\"") == true, "\(String(describing: difference))")
    }

    @Test("§6.59: a digest of contents that are zeros in a replay is no difference")
    func zeroedContents() throws {
        let item = Item(
            id: try ItemIdentifier("a"), parentID: .root, name: try ItemName("a.txt"), kind: .document, size: 7,
            version: try ItemVersion(content: [1], metadata: [2]))
        func provided(_ digest: UInt8) -> Frame {
            let contents = ProvidedContents(item, sha256: [UInt8](repeating: digest, count: 32))
            return Frame(id: 3, .answer(body: ProviderReply.startProviding(contents).serialized()))
        }
        let create = ProviderCall.create(
            ProviderCall.CreateCall(
                parentID: .root, name: try ItemName("a.txt"), kind: .document, contentsPath: "/f", modified: nil,
                operation: "1"))
        let read = ProviderCall.startProviding(item.id, stagingPath: "/g", contentVersion: [])
        let made = Frame(id: 1, .answer(body: ProviderReply.create(item).serialized()))
        func outcome(isMade: Bool) throws -> ReplayStateMachine.Step {
            var entries: [TrafficEntry] = []
            func add(_ direction: FrameRedaction.Direction, _ frame: Frame) {
                entries.append(TrafficEntry(time: .zero, direction: direction, content: .frame(frame.generalBody())))
            }
            if isMade {
                add(.toProvider, Frame(id: 1, .request(body: create.serialized(), deadline: 0, label: nil)))
                add(.toHost, made)
            }
            add(.toProvider, Frame(id: 3, .request(body: read.serialized(), deadline: 0, label: nil)))
            add(.toHost, provided(1))
            var machine = ReplayStateMachine(TrafficRecord(entries: entries), playing: .toProvider)
            while case .send(let frame) = try machine.next() {
                if frame.id == 1 { try machine.receive(made) } else { try machine.receive(provided(2)) }
            }
            return try machine.next()
        }
        #expect(try outcome(isMade: true) == .finished)
        #expect(throws: ReplayStateMachine.Difference.self) { try outcome(isMade: false) }
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
