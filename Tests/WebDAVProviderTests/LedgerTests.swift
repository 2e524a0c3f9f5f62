import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Logging
import Testing

@testable import WebDAVProvider

@Suite("What is remembered of operations")
struct LedgerTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("of what was begun the latest is kept over restarts, whatever it is called")
    func latest() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let lines = (0..<4000).map { "begun zz-\($0)" } + (0..<4000).map { "begun aa-\($0)" } + [""]
        try TemporaryFile.write(lines.joined(separator: "\n"), to: folder.appending(WriteLedger.fileName))
        for _ in 0..<2 {
            let ledger = WriteLedger(in: folder, logger: logger)
            #expect(ledger.wasBegun("aa-0") && ledger.wasBegun("aa-3999") && ledger.wasBegun("zz-3999"))
        }
        #expect(!WriteLedger(in: folder, logger: logger).wasBegun("zz-0"))
    }

    @Test("what was refused for good is not taken for begun, also after a restart")
    func refused() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let ledger = WriteLedger(in: folder, logger: logger)
        for name in ["one", "two"] { try ledger.noteBegun(name) }
        ledger.refuse("one")
        #expect(!ledger.wasBegun("one") && ledger.wasBegun("two"))
        let later = WriteLedger(in: folder, logger: logger)
        #expect(!later.wasBegun("one") && later.wasBegun("two"))
    }

    @Test("a folder of somebody else's that was in the way is not taken for one's own when it is asked for again")
    func refusedFolder() async throws {
        try await RealServer.with(.apache) { server in
            let isTheirs = Flag(false)
            try await FaultServer.with(upstream: server.port) { request, _ in
                // Somebody else is faster by a moment.
                if request.method == "MKCOL", !isTheirs.value {
                    isTheirs.set(true)
                    try? server.makeFolder("data/F")
                }
                return nil
            } body: { way in
                try await WritingFixture.with(.apache, url: way.url) { fixture async throws in
                    let creation = try folder("F")
                    for _ in 0..<2 {
                        let error = await failure { try await fixture.domain.create(creation, .init()) }
                        #expect(error?.code == .nameCollision)
                    }
                }
            }
        }
    }

    private func folder(_ name: String) throws -> ItemCreation {
        ItemCreation(
            parentID: .root, name: try ItemName(name), kind: .folder, contents: nil, modified: nil, operation: "make")
    }
}
