import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("Rule 58: one record a failure", .timeLimit(.minutes(2)))
struct PostMortemTests {
    private struct Machine: Sendable {
        let supervisor: ProviderSupervisor
        let session: ProviderSession
        let store: PostMortemStore
        let folder: TemporaryFolder
        let domain: DomainName

        /// Open requests fail with the connection; the record is there when the process was reaped.
        func record() async throws -> PostMortem {
            #expect(await holdsSoon { store.last(of: domain) != nil })
            let (text, path) = try #require(store.last(of: domain))
            var status = stat()
            #expect(lstat(path.string, &status) == 0 && status.st_mode & 0o777 == 0o600)
            return try PostMortem(json: text)
        }

        /// Asks for an item, which is to fail, and returns what was kept of it.
        func failure() async throws -> PostMortem {
            await #expect(throws: DocumentError.self) {
                try await session.startProviding(.root, stagingPath: "/nowhere")
            }
            return try await record()
        }
    }

    /// Runs a supervisor for a scripted provider for as long as the body runs, and ends it.
    private func supervise(
        _ script: String, frames: [String: [UInt8]] = [:], settings: [String: String] = [:], tables: String = "",
        manifest: [String: String] = [:], recorded: Bool = false, frameTimeout: Duration = .seconds(30),
        _ body: (Machine) async throws -> Void
    ) async throws {
        let fixture = try LaunchFixture()
        var context = fixture.context
        context.frameTimeout = frameTimeout
        let bundle = try ScriptedProvider(script: script, frames: frames, manifest: manifest, tables: tables).install(
            in: fixture.folder)
        let domain = try DomainName("work")
        let state = try fixture.folder.folder("state")
        var configuration = ProviderSupervisor.Configuration(
            bundle: bundle,
            settings: SessionSettings(
                providerID: bundle.manifest.identifier, domain: domain, settings: settings,
                stateFolder: state.string, storageRoot: "/nowhere", stagingFolder: "/nowhere"))
        configuration.policy.firstDelay = .zero
        configuration.postMortems = PostMortemStore(folder: fixture.folder.path.appending("failures"))
        if recorded {
            configuration.recordings = try fixture.folder.folder("recordings").appending("work")
        }
        let supervisor = ProviderSupervisor(configuration, in: context, handler: NoRequests())
        let store = try #require(configuration.postMortems)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await supervisor.run() }
            defer { group.cancelAll() }
            try await body(
                Machine(
                    supervisor: supervisor, session: ProviderSession(supervisor), store: store, folder: fixture.folder,
                    domain: domain))
            supervisor.end()
            try await group.waitForAll()
        }
        for pid in fixture.folder.starts { #expect(await holdsSoon { !isAlive(pid) }) }
    }

    @Test("How it ended: its signal, its process, how long it lived, and what was open and for how long")
    func signal() async throws {
        try await supervise("greet; next; sleep 0.3; kill -SEGV $$") { machine in
            let record = try await machine.failure()
            #expect(record.schema == 1 && record.provider == "org.example.photos" && record.domain == "work")
            #expect(record.stage == .serving)
            let process = try #require(record.process)
            #expect(process.signal == SIGSEGV && process.signalName == "SIGSEGV" && process.exitStatus == nil)
            #expect(!process.wasForced)
            #expect(machine.folder.starts.contains(process.id))
            #expect(process.lived >= 0.3 && process.lived < 60)
            #expect(record.openRequests.map(\.id) == [3])
            #expect(record.openRequests.first?.call == "startProviding")
            #expect(record.openRequests.first?.state == "sent")
            #expect(record.openRequests.first.map { $0.age >= 0.2 && $0.age < 60 } == true)
            #expect(record.activity.hasPrefix("answering 1 request, the oldest (startProviding) for "))
            #expect(record.code == "providerDied")
            #expect(record.software == "scripted 1")
        }
    }

    @Test("The last frames both ways: kinds, calls, ids and sizes, and no bodies")
    func frames() async throws {
        try await supervise("greet; next; exit 3") { machine in
            let record = try await machine.failure()
            #expect(record.framesSent.map(\.kind) == ["hello", "request", "request"])
            #expect(record.framesSent.map(\.call) == ["", "identity", "startProviding"])
            #expect(record.framesSent.map(\.id) == [0, 1, 3])
            #expect(record.framesSent.allSatisfy { $0.bytes > 0 && $0.before >= 0 })
            #expect(record.framesReceived.map(\.kind) == ["helloReply", "answer"])
            #expect(record.framesReceived.map(\.call) == ["", "identity"])
            #expect(record.framesSentInAll == 3 && record.framesReceivedInAll == 2)
            #expect(record.process?.exitStatus == 3 && record.process?.signal == nil)
            #expect(!record.json.contains("/nowhere"), "what a request carried is in no record")
        }
    }

    @Test("The first bad byte, with its offset, as hex and as text")
    func badBytes() async throws {
        try await supervise("greet; next; yes 'now I print' | head -20; sleep 1000") { machine in
            let record = try await machine.failure()
            let bad = try #require(record.badBytes)
            let hello = try #require(machine.folder.size("bundle/hello"))
            let identity = try #require(machine.folder.size("bundle/identity"))
            #expect(bad.offset == UInt64(hello + identity))
            #expect(bad.hex.hasPrefix("6E 6F 77 20 49"))
            #expect(bad.text.hasPrefix("now I print\\nnow I print"))
            #expect(bad.looksLikeText == true)
            #expect(record.summary.contains("printed text to standard output, which carries the protocol"))
            #expect(record.process?.wasForced == true)
            #expect(record.code == "protocolViolation")
        }
    }

    @Test("An answer of the wrong kind is on record, though the provider goes on and answers the next question")
    func wrongKind() async throws {
        let frames = [
            "wrong": ScriptedProvider.answer(3, .stopProviding),
            "right": ScriptedProvider.answer(5, .item(try .root())),
        ]
        let script = "greet; next; echo 'so it goes' >&2; send wrong; next; send right; cat >/dev/null"
        try await supervise(script, frames: frames) { machine in
            let error = try #require(await machine.session.failureOfItem())
            #expect(error.code == .protocolViolation)
            await machine.supervisor.waitWhileDying(atMost: .seconds(60))
            let record = try await machine.record()
            #expect(record.code == "protocolViolation" && record.summary == error.message)
            #expect(record.stage == .serving && record.software == "scripted 1")
            let process = try #require(record.process)
            #expect(process.exitStatus == nil && process.signal == nil && machine.folder.starts == [process.id])
            #expect(record.framesReceived.map(\.kind) == ["helloReply", "answer", "answer"])
            #expect(record.standardError == ["so it goes"])
            #expect(try await machine.session.item(.root).id == .root)
        }
    }

    @Test("What breaks the contract is on record; again and again the same is there once, and something else beside it")
    func brokenContract() async throws {
        try await supervise("greet; next; cat >/dev/null") { machine in
            try await machine.supervisor.withProvider { _ throws(DocumentError) in }
            for _ in 0..<20 { _ = machine.session.broken("put “a.txt” somewhere else") }
            await machine.supervisor.waitWhileDying(atMost: .seconds(60))
            let record = try await machine.record()
            #expect(record.code == "contractBroken")
            #expect(record.summary.contains("put “a.txt” somewhere else"))
            #expect(machine.folder.names("failures/work").count == 1)
            _ = machine.session.blamed(for: DocumentError(.contractBroken, "There is a hole in it."))
            await machine.supervisor.waitWhileDying(atMost: .seconds(60))
            #expect(try await machine.record().summary.contains("There is a hole in it."))
            #expect(machine.folder.names("failures/work").count == 2)
        }
    }

    @Test("Rule 21: what is wrong when nobody waits any more is told as it is, and not as an end that nobody expected")
    func lateViolation() async throws {
        // It ends in order when its input does, as it should.
        try await supervise("greet; next; send identity; cat >/dev/null") { machine in
            let record = try await machine.failure()
            #expect(record.code == "protocolViolation")
            #expect(
                record.summary
                    == "The provider Photos (org.example.photos) of the domain “work” broke the protocol and was ended: "
                    + "tell its author. “docent provider show org.example.photos --last-failure” says more.")
            #expect(record.causes.contains { $0.contains("It answered request 1 a second time.") }, "\(record.causes)")
            #expect(record.process?.exitStatus == 0)
        }
    }

    /// Begins a frame of 100 bytes after the identity.
    @Test(
        "A frame that is never finished: where it began, and what came of it, at once (HA-FRAME-009) or in drops (HA-FRAME-010)",
        arguments: [
            "printf '\\144\\010\\001\\052'; sleep 1000",
            "printf '\\144'; while sleep 0.05; do printf '\\001'; done",
        ])
    func unfinishedFrame(script: String) async throws {
        try await supervise("greet; next; \(script)", frameTimeout: .milliseconds(400)) { machine in
            let record = try await machine.failure()
            let bad = try #require(record.badBytes)
            let hello = try #require(machine.folder.size("bundle/hello"))
            let identity = try #require(machine.folder.size("bundle/identity"))
            #expect(bad.offset == UInt64(hello + identity))
            #expect(bad.hex.hasPrefix(script.contains("while") ? "64" : "64 08 01 2A"))
            #expect(bad.problem.hasPrefix("It did not finish a frame within 400 ms: it stopped within a frame, after "))
            #expect(bad.problem.hasSuffix(" of its 100 bytes."))
            #expect(bad.looksLikeText == false)
            #expect(
                record.causes.contains { $0.hasPrefix("From byte \(bad.offset) on it sent 64") }, "\(record.causes)")
        }
    }

    @Test("A preface that stops midway is what is wrong with a provider that never says hello")
    func unfinishedPreface() async throws {
        try await supervise("printf '\\211DOC'; sleep 1000", manifest: ["deadlines": "{ start = 1 }"]) { machine in
            let bad = try #require(try await machine.failure().badBytes)
            #expect(bad.offset == 0 && bad.hex == "89 44 4F 43")
        }
    }

    @Test("Standard error's tail; a setting's text is blanked out wherever it stands")
    func secrets() async throws {
        try await supervise(
            "greet; next; echo 'the password is hunter2-and-more' >&2; echo 'hunter2-and-more'; exit 4",
            settings: ["token": "hunter2-and-more"],
            tables: "[[settings]]\nkey = \"token\"\ntype = \"string\"\n"
        ) { machine in
            let record = try await machine.failure()
            #expect(record.standardError.last == "the password is ****************")
            #expect(record.badBytes?.text.hasPrefix("****************") == true)
            #expect(!record.json.contains("hunter2"))
            #expect(!record.json.contains("68 75 6E 74 65 72"), "nor as hex")
        }
    }

    @Test("What the manifest marks as secret is blanked out however short it is, and other short settings are not")
    func shortSecrets() async throws {
        try await supervise(
            "greet; next; echo 'the pin is Q7z of ann' >&2; echo 'Q7z'; exit 4",
            settings: ["pin": "Q7z", "user": "ann"],
            tables: """
                [[settings]]
                key = "pin"
                type = "string"
                secret = true
                [[settings]]
                key = "user"
                type = "string"
                """, recorded: true
        ) { machine in
            let record = try await machine.failure()
            #expect(record.standardError.last == "the pin is *** of ann")
            #expect(!record.json.contains("Q7z"))
            #expect(!record.json.contains("51 37 7A"), "nor as hex")
            let name = try #require(machine.folder.names("recordings/work").first)
            #expect(machine.folder.text("recordings/work/\(name)")?.contains("51377A") == false)
        }
    }

    @Test("What it used: time and memory, its children's included")
    func usage() async throws {
        try await supervise(
            "greet; next; sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; exit 5"
        ) { machine in
            let usage = try #require(try await machine.failure().process?.usage)
            #expect(usage.userTime + usage.systemTime > 0.02)
            #expect(usage.peakMemory > 200_000 && usage.peakMemory < 1_000_000_000)
        }
    }

    @Test("A provider that never says hello: the stage says so")
    func neverSpeaks() async throws {
        try await supervise("sleep 1000", manifest: ["deadlines": "{ start = 1 }"]) { machine in
            let record = try await machine.failure()
            #expect(record.stage == .handshake)
            #expect(record.activity == "saying hello, or telling who it is")
            #expect(record.process?.wasForced == true)
            #expect(record.framesReceivedInAll == 0)
        }
    }

    @Test("A program that is not there leaves a record without a process")
    func neverStarted() async throws {
        try await supervise("exit 0") { machine in
            unlink(machine.folder.path.appending("bundle/provider").string)
            let record = try await machine.failure()
            #expect(record.stage == .launching && record.process == nil)
        }
    }

    @Test("Whoever has met the failure can wait for its record, which is there when the process has been ended")
    func waiting() async throws {
        try await supervise("trap '' TERM; greet; next; echo 'now I print'; while :; do sleep 0.1; done") { machine in
            await #expect(throws: DocumentError.self) {
                try await machine.session.startProviding(.root, stagingPath: "/nowhere")
            }
            await machine.supervisor.waitWhileDying(atMost: .seconds(60))
            let (text, _) = try #require(machine.store.last(of: machine.domain))
            #expect(try PostMortem(json: text).badBytes?.text.hasPrefix("now I print") == true)
            // Nothing is ending any more.
            await machine.supervisor.waitWhileDying(atMost: .seconds(60))
        }
    }

    @Test("Rule 54: what was given up is tried again when its manifest or its program changes")
    func changedBundle() async throws {
        let item = Item(
            id: .root, parentID: nil, name: nil, kind: .folder, version: try ItemVersion(content: [], metadata: [1]))
        try await supervise("exit 3") { machine in
            for _ in 0..<5 { _ = await (try? machine.session.item(.root)) }
            guard case .givenUp = machine.supervisor.status.state else {
                Issue.record("it was not given up: \(machine.supervisor.status.state)")
                return
            }
            await #expect(throws: DocumentError.self) { try await machine.session.item(.root) }
            #expect(machine.folder.starts.count == 5)
            _ = try ScriptedProvider(
                script: "greet; next; send item; next", frames: ["item": ScriptedProvider.answer(3, .item(item))]
            ).install(in: machine.folder)
            #expect(try await machine.session.item(.root) == item)
        }
    }

    @Test("Rule 59: recorded traffic is whole, can be read back, and has no settings in it")
    func recording() async throws {
        try await supervise(
            "greet; next; exit 0", settings: ["token": "hunter2-and-more"],
            tables: "[[settings]]\nkey = \"token\"\ntype = \"string\"\n", recorded: true
        ) { machine in
            _ = try await machine.failure()
            let name = try #require(machine.folder.names("recordings/work").first)
            let text = try #require(machine.folder.text("recordings/work/\(name)"))
            #expect(!text.contains("68756E74657232"))
            let record = try TrafficRecord(text: Array(text.utf8))
            #expect(record.text == text)
            #expect(record.note("provider") == "org.example.photos")
            let kinds = record.entries.map { entry in
                (entry.direction == .toProvider ? ">" : "<")
                    + (entry.frame.map { "\($0.kind.name)" } ?? "\(entry.content)")
            }
            #expect(kinds.prefix(6) == [">hello", "<preface", "<helloReply", ">request", "<answer", ">request"])
            #expect(kinds.contains("<end"))
        }
    }
}
