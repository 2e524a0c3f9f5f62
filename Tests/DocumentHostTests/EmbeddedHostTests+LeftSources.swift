import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentHost

/// What was moved in, and is still in its old place, too, when the host is started (CONT-7).
extension EmbeddedHostTests {
    @Test(
        "CONT-7: the old place of what was moved in is emptied after a start, which does not wait for that; what only that has comes first",
        arguments: [JournalStep.arriveRecorded, .moveRecorded])
    func sourceGoesAfterStart(step: JournalStep) async throws {
        let storage = try StorageFixture(observer: DyingHost(at: step))
        let source = storage.folder.appending("local.txt")
        try storage.write("mine", to: source)
        let name = try ItemName("new.txt")
        if step.action == .arrive {
            let arrival = try storage.store.beginArrival(of: source, to: .root, name: name, in: storage.domain)
            #expect(throws: (any Error).self) { try storage.store.finish(arrival) }
        } else {
            let export = try storage.store.beginExport(
                of: source, to: .root, name: name, kind: .document, in: storage.domain, removingSource: true)
            let answer = try storage.item("n", "new.txt", contents: "mine")
            #expect(throws: (any Error).self) { try storage.store.finish(export, as: answer) }
            // The machine has died, and with it what was copied to be sent.
            let copy = try #require(export.contents)
            try #require(unlink(copy.path.string) == 0)
        }
        try storage.root.close()

        let configuration = DocumentHost.Configuration(
            root: storage.rootPath, providerFolders: [],
            trampoline: try BuiltProducts.executable("docent-trampoline"), software: "tests")
        let host = try DocumentHost(
            configuration, loop: EventLoop(name: "embedded"),
            logger: Logger(label: "embedded") { _ in SwiftLogNoOpLogHandler() })
        // It may be on a network that gives no answer.
        #expect(access(source.string, F_OK) == 0)
        let running = Task { await host.run() }
        for _ in 0..<1_000 where access(source.string, F_OK) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(access(source.string, F_OK) != 0)
        let contents = try TemporaryFile.read(host.root.tree.path(of: storage.location("new.txt")))
        #expect(contents == "mine")
        running.cancel()
        await running.value
        // Its folder goes with it.
        withExtendedLifetime(storage) {}
    }
}

/// The host dies when it has come to a step.
private struct DyingHost: StepObserver {
    let step: JournalStep

    init(at step: JournalStep) { self.step = step }

    func reached(_ step: JournalStep) throws {
        if step == self.step { throw CancellationError() }
    }
}
