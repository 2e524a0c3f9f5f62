import DocumentModel
import DocumentTestSupport
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import WebDAVProvider

@Suite("What a server guarantees", .serialized)
struct ProbeTests {
    private static var perfect: ProbeFindings {
        let races = ProbeFindings.Races(rounds: 20, withOneWinner: 20, mostWinners: 1)
        return ProbeFindings(
            hasStrongTags: true, refusesSecondCreate: true, refusesStaleChange: true, acceptsCurrentChange: true,
            refusesOvertakenChange: true, survivesAbortedChange: true, changes: races, creations: races,
            folderMoves: races)
    }

    @Test("RS-1: one thing that fails is enough, and is said")
    func classification() {
        #expect(Guarantee(Self.perfect) == .conditionalChanges && Self.perfect.objections.isEmpty)
        #expect(Guarantee(ProbeFindings()) == .nothing)
        let flags: [WritableKeyPath<ProbeFindings, Bool>] = [
            \.hasStrongTags, \.refusesSecondCreate, \.refusesStaleChange, \.acceptsCurrentChange,
            \.refusesOvertakenChange, \.survivesAbortedChange,
        ]
        for flag in flags {
            var findings = Self.perfect
            findings[keyPath: flag] = false
            #expect(Guarantee(findings) == .folderMoves && findings.objections.count == 1)
        }
        for race in [\ProbeFindings.changes, \.creations] {
            for bad in [
                ProbeFindings.Races(), .init(rounds: 20, withOneWinner: 19, mostWinners: 2),
                .init(rounds: 20, withOneWinner: 10, mostWinners: 1),
            ] {
                var findings = Self.perfect
                findings[keyPath: race] = bad
                #expect(Guarantee(findings) == .folderMoves && findings.objections.count == 1)
                findings.folderMoves = bad
                #expect(Guarantee(findings) == .nothing && findings.objections.count >= 2)
                findings = Self.perfect
                findings.folderMoves = bad
                #expect(Guarantee(findings) == .nothing && findings.objections.count == 1, "renames need it")
            }
        }
    }

    @Test func racesAreCounted() {
        var races = ProbeFindings.Races()
        #expect(!races.isExclusive, "nothing was seen")
        for winners in [1, 1, 1, 1, 1, 1, 1, 1, 1, 0] { races.add(winners: winners) }
        #expect(races.isExclusive, "a round may have no winner")
        races.add(winners: 2)
        #expect(!races.isExclusive && races.mostWinners == 2)
    }

    @Test("a certificate is a text, and is of one server and version only")
    func certificates() async throws {
        let address = try ServerAddress("https://example.org/dav")
        let one = Certificate(subject: Certificate.subject(address: address, software: "A/1\nB"), findings: .init())
        #expect(one.guarantee == .nothing && !one.objections.isEmpty)
        #expect(Certificate(text: one.text) == one)
        var exact = one
        exact.hasExactTags = true
        #expect(Certificate(text: exact.text) == exact && exact.text != one.text)
        for damaged in ["", "docent", String(one.text.dropLast()), one.text.replacing("nothing", with: "everything")] {
            #expect(Certificate(text: damaged) == nil)
        }
        #expect(
            Certificate.subject(address: address, software: "A/1")
                != Certificate.subject(address: address, software: "A/2"))
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        #expect(Certificate.read(in: folder) == nil)
        try one.write(in: folder)
        #expect(Certificate.read(in: folder) == one)
        try TemporaryFile.write("damaged", to: folder.appending(Certificate.fileName))
        #expect(Certificate.read(in: folder) == nil)
    }

    @Test("RS-1: a server that lets two win late, and once, is found out, and not raced on")
    func lateFailure() async throws {
        try await RealServer.with(.lighttpd) { server in
            let late = 16 * 45 + 3
            try await FaultServer.with(upstream: server.port) { request, number in
                // The others of that round are told that they have lost.
                request.method == "MOVE" && number / 16 == late / 16 && number % 2 == 1
                    ? [.bytes(FaultServer.answer("201 Created"))] : nil
            } body: { way async throws in
                try await Self.withFinder(url: way.url, rounds: 60) { finder async throws in
                    let certificate = try await finder.find()
                    #expect(certificate.guarantee == .nothing)
                    #expect(certificate.objections.contains { $0.hasPrefix("Of 46 races to move a folder") })
                    #expect(way.requests.count { $0.method == "MOVE" } == 16 * 46)
                }
            }
        }
    }

    /// Of the five, one only can be written to as it is. Why the others cannot is seen every time, whatever their races
    /// come to. Side by side, as most of it is waiting.
    @Test("RS-1, SUITE-R: every server gets the certificate that it deserves")
    func realServers() async throws {
        let certificates = try await withThrowingTaskGroup(of: (RealServer.Kind, Certificate).self) { group in
            for kind in RealServer.Kind.allCases {
                group.addTask { (kind, try await Self.certificate(of: kind)) }
            }
            var certificates: [RealServer.Kind: Certificate] = [:]
            for try await (kind, certificate) in group { certificates[kind] = certificate }
            return certificates
        }
        for (kind, certificate) in certificates {
            #expect((certificate.guarantee == .conditionalChanges) == (kind == .lighttpd), "\(kind): \(certificate)")
            #expect(certificate.objections.isEmpty == (kind == .lighttpd))
            #expect(certificate.hasExactTags == (kind == .lighttpd || kind == .rclone), "\(kind): \(certificate)")
            let objection = Self.objections[kind] ?? ""
            #expect(certificate.objections.contains(objection) == (kind != .lighttpd), "\(kind): \(certificate)")
        }
    }

    @Test("RS-1: a server that is too busy to be tried gets no verdict for that, and the right one later")
    func busyServer() async throws {
        try await RealServer.with(.lighttpd) { server in
            let isBusy = Mutex(true)
            try await FaultServer.with(upstream: server.port) { request, number in
                guard isBusy.withLock({ $0 }), request.method != "PROPFIND", number % 3 == 2 else { return nil }
                return [.bytes(FaultServer.answer("503 Service Unavailable"))]
            } body: { way async throws in
                try await Self.withFinder(url: way.url) { finder async throws in
                    await #expect(throws: ServerFailure.self) { try await finder.find() }
                    #expect(Certificate.read(in: finder.stateFolder) == nil)
                    isBusy.withLock { $0 = false }
                    #expect(try await finder.find().guarantee == .conditionalChanges)
                }
            }
        }
    }

    @Test("RS-1: who loses because the server is busy says nothing, where somebody wins")
    func busyRaces() async throws {
        try await RealServer.with(.lighttpd) { server in
            try await FaultServer.with(upstream: server.port) { request, number in
                guard request.method == "MOVE", number % 5 == 4 else { return nil }
                return [.bytes(FaultServer.answer("429 Too Many Requests"))]
            } body: { way async throws in
                try await Self.withFinder(url: way.url) { finder async throws in
                    #expect(try await finder.find().guarantee == .conditionalChanges)
                }
            }
        }
    }

    /// What does not depend on who comes first.
    private static let objections: [RealServer.Kind: String] = [
        .apache: "A slow change overwrites the one that has overtaken it.",
        .nginx: "It accepts a change that began from an older version.",
        .rclone: "It accepts a change that began from an older version.",
        .wsgidav: "It gives no strong tags (ETag).",
    ]

    private static func certificate(of kind: RealServer.Kind) async throws -> Certificate {
        try await RealServer.with(kind) { server in
            try server.write("mine", to: "data/mine.txt")
            return try await withFinder(url: server.url, rounds: nil) { finder async throws in
                #expect(finder.rounds == 200)
                let percents = Mutex<[Int]>([])
                let certificate = try await finder.find { percent in percents.withLock { $0.append(percent) } }
                let told = percents.withLock { $0 }
                #expect(told == told.sorted() && told.first == 0 && told.allSatisfy { $0 < 100 })
                if certificate.guarantee != .nothing { #expect(told.last ?? 0 > 90, "\(kind): all races were run") }
                // It is not tried again, and nothing is left of it.
                #expect(try await finder.find() == certificate)
                let left = try server.names(in: "data").filter { $0 == "mine.txt" || $0.hasPrefix(Probe.prefix) }
                #expect(left == ["mine.txt"])
                return certificate
            }
        }
    }

    @Test("a server that lets nothing be made is not tried, and that is said in the log")
    func readOnlyServer() async throws {
        try await FaultServer.with { request, _ in
            request.method == "PROPFIND"
                ? [.bytes(FaultServer.answer("207 Multi-Status", [], Self.emptyFolder))]
                : [.bytes(FaultServer.answer("403 Forbidden"))]
        } body: { server in
            try await Self.withFinder(url: server.url) { finder async throws in
                let (log, notes) = (LogLines(), LogLines())
                let gate = WriteGate(finder.settings, finder: finder, logger: log.logger) { text, isWarning in
                    notes.logger.notice("\(text)")
                    #expect(!isWarning)
                }
                #expect(gate.capabilities == .all, "before it is known, nothing is taken away")
                let error = await failure { try await gate.writing {} }
                #expect(error?.code == .notPermitted)
                #expect(gate.capabilities == .readOnly)
                #expect(log.text.contains("not known") && log.text.contains("403"))
                #expect(notes.text.contains(WriteNote.refused))
                #expect(Set(server.requests.map(\.method)) == ["PROPFIND", "MKCOL"])
            }
        }
    }

    @Test("what was left on a server when it was tried, and the provider was killed, goes with the next start")
    func leftFolder() async throws {
        try await FaultServer.with { request, _ in
            request.method == "DELETE"
                ? [.bytes(FaultServer.answer("204 No Content"))]
                : [.bytes(FaultServer.answer("207 Multi-Status", [], Self.emptyFolder))]
        } body: { server in
            try await Self.withFinder(url: server.url) { finder async throws in
                func removed() -> [String] { server.requests.filter { $0.method == "DELETE" }.map(\.target) }
                let subject = Certificate.subject(address: finder.settings.address, software: "")
                try Certificate(subject: subject, findings: Self.perfect).write(in: finder.stateFolder)
                let note = TrialNote(in: finder.stateFolder)
                try note.write(["cutoff"])
                #expect(note.names == ["cutoff"])
                #expect(try await finder.find().guarantee == .conditionalChanges)
                #expect(removed().count == 1 && removed().first?.hasPrefix("/.docent-probe-cutoff") == true)
                #expect(note.names.isEmpty)
                for damaged in ["", "\n", "cut", "../other\n"] {
                    try TemporaryFile.write(damaged, to: finder.stateFolder.appending("trial.txt"))
                    #expect(note.names.isEmpty)
                }
                _ = try await finder.find()
                #expect(removed().count == 1)
            }
        }
    }

    @Test("what was left there, and the server gives no answer for, keeps nothing else there that was left")
    func silentLeftFolder() async throws {
        try await FaultServer.with { request, _ in
            guard request.method == "DELETE" else {
                return [.bytes(FaultServer.answer("207 Multi-Status", [], Self.emptyFolder))]
            }
            let isSilent = request.target.hasPrefix("/.docent-probe-one")
            return [isSilent ? .silence : .bytes(FaultServer.answer("204 No Content"))]
        } body: { server in
            try await Self.withFinder(url: server.url) { finder async throws in
                var finder = finder
                finder.timing.silence = .seconds(2)
                finder.timing.retrying.attempts = 1
                let subject = Certificate.subject(address: finder.settings.address, software: "")
                try Certificate(subject: subject, findings: Self.perfect).write(in: finder.stateFolder)
                let note = TrialNote(in: finder.stateFolder)
                try note.write(["one", "two"])
                let certificate = try await finder.find()
                #expect(certificate.guarantee == .conditionalChanges)
                // Before the other one is asked for once more.
                let asked = server.requests.filter { $0.method == "DELETE" }.map(\.target)
                #expect(asked.prefix(2).contains { $0.hasPrefix("/.docent-probe-two") })
                #expect(note.names == ["one"])
            }
        }
    }

    @Test("the folder that a server is tried in is written down before it is made, and until it is gone")
    func notedFolder() async throws {
        let place = Mutex<FilePath?>(nil)
        let noted = Mutex<[Bool]>([])
        try await FaultServer.with { request, _ in
            guard request.method == "MKCOL" else {
                return [.bytes(FaultServer.answer("207 Multi-Status", [], Self.emptyFolder))]
            }
            let name = place.withLock { $0 }.flatMap { TrialNote(in: $0).names.first }
            let isNoted = name.map { request.target.hasPrefix("/.docent-probe-" + $0) } ?? false
            noted.withLock { $0.append(isNoted) }
            return [.bytes(FaultServer.answer("403 Forbidden"))]
        } body: { server in
            try await Self.withFinder(url: server.url) { finder async throws in
                place.withLock { $0 = finder.stateFolder }
                await #expect(throws: DocumentError.self) { try await finder.find() }
                #expect(noted.withLock { $0 } == [true])
                // It was not made.
                #expect(TrialNote(in: finder.stateFolder).names.isEmpty)
            }
        }
    }

    @Test("what was left there, and cannot be removed, is not forgotten when the server is tried anew")
    func leftFolderThatStays() async throws {
        let isRefusing = Mutex(true)
        try await FaultServer.with { request, _ in
            if request.method == "DELETE", !isRefusing.withLock({ $0 }) {
                return [.bytes(FaultServer.answer("204 No Content"))]
            }
            return request.method == "DELETE" || request.method == "MKCOL"
                ? [.bytes(FaultServer.answer("403 Forbidden"))]
                : [.bytes(FaultServer.answer("207 Multi-Status", [], Self.emptyFolder))]
        } body: { server in
            try await Self.withFinder(url: server.url) { finder async throws in
                let note = TrialNote(in: finder.stateFolder)
                try note.write(["one", "two"])
                await #expect(throws: DocumentError.self) { try await finder.find() }
                #expect(server.requests.contains { $0.method == "MKCOL" })
                #expect(note.names == ["one", "two"])
                isRefusing.withLock { $0 = false }
                await #expect(throws: DocumentError.self) { try await finder.find() }
                #expect(note.names.isEmpty)
            }
        }
    }

    @Test(
        "RS-10: where nothing is guaranteed only who says that nobody else writes may write, and every status says it")
    func choices() async throws {
        func gate(
            _ guarantee: Guarantee, _ change: (inout WebDAVSettings) -> Void = { _ in }
        ) async throws -> (way: WriteGate.Way?, ItemCapabilities, notes: String) {
            let folder = try TemporaryFolder.make()
            defer { TemporaryFolder.remove(folder) }
            return try await FaultServer.with { _, _ in
                [.bytes(FaultServer.answer("207 Multi-Status", [], Self.emptyFolder))]
            } body: { server in
                var settings = WebDAVSettings(address: try ServerAddress(server.url))
                change(&settings)
                var known = Certificate(
                    subject: Certificate.subject(address: settings.address, software: ""), findings: .init())
                known.guarantee = guarantee
                try known.write(in: folder)
                let notes = LogLines()
                let gate = WriteGate(
                    settings, finder: GuaranteeFinder(settings: settings, stateFolder: folder),
                    logger: LogLines().logger
                ) { text, isWarning in notes.logger.notice("\(isWarning ? "warning: " : "")\(text)") }
                gate.begin()
                let chosen = try? await gate.writing {}
                #expect(server.requests.allSatisfy { $0.method == "PROPFIND" }, "it is not tried again")
                return (chosen, gate.capabilities, notes.text)
            }
        }
        #expect(try await gate(.conditionalChanges).way == .conditions)
        #expect(try await gate(.folderMoves).way == .claims)
        let refused = try await gate(.nothing)
        #expect(refused.way == nil && refused.1 == .readOnly && refused.notes.contains("single-writer=true"))
        let alone = try await gate(.nothing) { $0.isSingleWriter = true }
        #expect(alone.way == .alone && alone.1 == .all && alone.notes.contains("unsafe-single-writer"))
        #expect(alone.notes.contains("warning: ") && !refused.notes.contains("warning: "))
        let reading = try await gate(.conditionalChanges) { $0.isReadOnly = true }
        #expect(reading.way == nil && reading.1 == .readOnly && reading.notes.contains("read-only"))
    }

    private static let emptyFolder =
        "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/</D:href></D:response></D:multistatus>"

    /// - Parameter rounds: nil for as many as are shipped.
    static func withFinder<Result>(
        url: String, rounds: Int? = 8, _ body: (GuaranteeFinder) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        var finder = GuaranteeFinder(
            settings: WebDAVSettings(address: try ServerAddress(url)), stateFolder: folder)
        if let rounds { finder.rounds = rounds }
        return try await body(finder)
    }
}
