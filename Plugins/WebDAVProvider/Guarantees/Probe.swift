internal import AsyncHTTPClient
internal import DocumentModel
internal import NIOCore
internal import NIOHTTP1

/// Finds out what a server really guarantees, by racing it (RS-1), in a folder of its own that is removed afterwards.
struct Probe: Sendable {
    /// What its folders are called; they are never listed.
    static let prefix = ".docent-probe-"

    /// So old, by the server's clock, is only what nobody works in any more.
    private static let abandoned = Duration.seconds(86_400)

    /// How many take part in a race.
    static let racers = 16
    /// How often a refused change has to be seen.
    private static let overtakings = 3
    /// How many changes follow one another to see their tags.
    private static let rewrites = 8

    let link: ServerLink
    /// Of each kind of race (RS-1); one that has gone wrong is not run again.
    var rounds = 200
    /// Told how far it is, in percent.
    var isGettingOn: @Sendable (Int) -> Void = { _ in }
    /// Told when nothing of its folder is on the server any more, for sure.
    var isGone: @Sendable () -> Void = {}
    /// How long a server may take to notice what was begun.
    var moment: Duration = .milliseconds(500)

    /// - Parameter name: the last part of the folder's name, which nobody else has.
    /// - Throws: `notPermitted` when nothing can be made there, `ServerFailure`, or `CancellationError`.
    func run(name: String) async throws -> ProbeFindings {
        let folder = try Self.folder(named: name)
        let made = try await status(.MKCOL, folder, asFolder: true)
        guard made == 201 else {
            // Where nothing was answered, it may be there.
            if made != nil { isGone() }
            throw DocumentError(
                .notPermitted, "The server cannot be tried: it does not let a folder be made (status \(made ?? 0)).")
        }
        do {
            let findings = try await findings(in: folder)
            if await Self.clear(folder, on: link) { isGone() }
            await sweep()
            return findings
        } catch {
            if await Self.clear(folder, on: link) { isGone() }
            throw error
        }
    }

    /// A folder of its own, to try something in, that nobody else has.
    static func newFolder(on link: ServerLink) throws(DocumentError) -> RemotePath {
        try folder(named: String(link.timing.mark(), radix: 36))
    }

    static func folder(named name: String) throws(DocumentError) -> RemotePath {
        RemotePath.root.appending(try RemoteName(prefix + name))
    }

    /// Removes what was made to try a server, also when nobody waits for it any more.
    ///
    /// - Returns: whether nothing of it is there any more, for sure.
    @discardableResult
    static func clear(_ folder: RemotePath, on link: ServerLink) async -> Bool {
        await Task(executorPreference: link.timing.executor) {
            for _ in 0..<3 {
                let answer = try? await link.remove(folder, asFolder: true)
                if answer?.isSuccess ?? false || answer?.code == 404 { return true }
                try? await link.timing.pause(link.timing.gap)
            }
            return false
        }.value
    }

    /// Removes what others, who were cut off long ago, have left.
    private func sweep() async {
        for entry in (try? await link.entries(of: .root)) ?? [] where entry.name.rawValue.hasPrefix(Self.prefix) {
            let path = RemotePath.root.appending(entry.name)
            guard let look = try? await link.look(at: path), look.isSettled(after: Self.abandoned) ?? false else {
                continue
            }
            _ = try? await link.remove(path, asFolder: true)
        }
    }

    private func findings(in folder: RemotePath) async throws -> ProbeFindings {
        var findings = ProbeFindings()
        let file = folder.appending(try RemoteName("one"))
        findings.hasExactTags = try await areTagsExact(folder.appending(try RemoteName("rewritten")))
        try await tryConditions(file, &findings)
        for attempt in 0..<Self.overtakings where attempt == 0 || findings.refusesOvertakenChange {
            findings.refusesOvertakenChange = try await isOvertakenChangeRefused(file, findings)
        }
        try await tryAborting(file, &findings)
        // What keeps no conditions by itself keeps none in a race either.
        let isConditional = findings.keepsConditions
        let percent: @Sendable (Int, Int) -> Int = { [rounds] race, round in
            (race * rounds + round) * 100 / ((isConditional ? 3 : 1) * rounds)
        }
        findings.folderMoves = try await raceFolderMoves(folder) { isGettingOn(percent(0, $0)) }
        if isConditional {
            findings.creations = try await raceCreations(folder) { isGettingOn(percent(1, $0)) }
            if findings.creations.isExclusive {
                findings.changes = try await raceChanges(folder, findings) { isGettingOn(percent(2, $0)) }
            }
        }
        return findings
    }

    // MARK: One at a time

    private func tryConditions(_ file: RemotePath, _ findings: inout ProbeFindings) async throws {
        _ = try await put("first", to: file, .absent)
        let second = try await put("second", to: file, .absent)
        let kept = try await contents(of: file)
        findings.refusesSecondCreate = second == 412 && kept == "first"
        let tag = try await settledTag(file, findings)
        findings.hasStrongTags = tag != nil
        if let tag {
            let current = try await put("third change", to: file, .match(tag))
            let changed = try await contents(of: file)
            findings.acceptsCurrentChange = isSuccess(current) && changed == "third change"
        } else {
            _ = try await put("third change", to: file, .none)
        }
        let stale = try await put("stale", to: file, .match(tag ?? "\"docent-stale\""))
        let left = try await contents(of: file)
        findings.refusesStaleChange = stale == 412 && left == "third change"
    }

    /// A slow change and a fast one begin from the same version, and the fast one ends first.
    ///
    /// Where the slow one arrives so late that it is not overtaken at all, it is refused by servers that would else lose
    /// the fast one: so it takes more than one try to believe a refusal.
    private func isOvertakenChangeRefused(_ file: RemotePath, _ findings: ProbeFindings) async throws -> Bool {
        let condition = try await settledTag(file, findings).map(Condition.match) ?? .none
        let slow = String(repeating: "slow ", count: 20_000)
        let (parts, send) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
        async let slowStatus = put(.init(parts: parts, length: slow.utf8.count), to: file, condition)
        send.yield(ByteBuffer(string: String(slow.prefix(50_000))))
        try await link.timing.pause(moment)
        let fast = try await put("fast", to: file, condition)
        send.yield(ByteBuffer(string: String(slow.dropFirst(50_000))))
        send.finish()
        let late = try await slowStatus
        let left = try await contents(of: file)
        return isSuccess(fast) != isSuccess(late) && left == (isSuccess(fast) ? "fast" : slow)
    }

    private func tryAborting(_ file: RemotePath, _ findings: inout ProbeFindings) async throws {
        _ = try await put("whole", to: file, .none)
        let (parts, send) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
        async let aborted = put(.init(parts: parts, length: 100_000), to: file, .none)
        send.yield(ByteBuffer(repeating: 0x78, count: 50_000))
        try await link.timing.pause(moment)
        send.finish(throwing: CutOff())
        _ = try await aborted
        try await link.timing.pause(moment)
        findings.survivesAbortedChange = try await contents(of: file) == "whole"
    }

    /// Whether a tag names one version only, however quickly the next one follows (RS-2).
    private func areTagsExact(_ file: RemotePath) async throws -> Bool {
        var tags: Set<String> = []
        for number in 0..<Self.rewrites {
            guard isSuccess(try await put("rewritten \(10 + number)", to: file, .none)),
                let tag = try await link.look(at: file).properties.tag?.condition
            else { return false }
            tags.insert(tag)
        }
        return tags.count == Self.rewrites
    }

    // MARK: Races

    private func raceCreations(
        _ folder: RemotePath, begins: (Int) -> Void
    ) async throws -> ProbeFindings.Races {
        var races = ProbeFindings.Races()
        for round in 0..<rounds where !races.hasFailed {
            begins(round)
            let file = folder.appending(try RemoteName("new-\(round)"))
            races.add(winners: try await race(for: file) { try await race("racer \($0)", to: file, .absent) })
        }
        return races
    }

    private func raceChanges(
        _ folder: RemotePath, _ findings: ProbeFindings, begins: (Int) -> Void
    ) async throws -> ProbeFindings.Races {
        var races = ProbeFindings.Races()
        let files = try (0..<rounds).map { folder.appending(try RemoteName("changed-\($0)")) }
        for file in files { _ = try await put("before", to: file, .none) }
        for (round, file) in files.enumerated() where !races.hasFailed {
            begins(round)
            // The first one waits, the others are old enough then.
            guard let tag = try await settledTag(file, findings) else { continue }
            races.add(winners: try await race(for: file) { try await race("racer \($0)", to: file, .match(tag)) })
        }
        return races
    }

    /// - Returns: how many won; none when what is there is not what the winner wrote.
    private func race(
        for file: RemotePath, _ change: @escaping @Sendable (Int) async throws -> Int?
    ) async throws -> Int {
        let (winners, wasHeldUp) = try await winners(change)
        if winners.isEmpty, wasHeldUp { throw Self.heldUp }
        guard winners.count == 1, let winner = winners.first else { return winners.count }
        return try await contents(of: file) == "racer \(winner)" ? 1 : 0
    }

    private func raceFolderMoves(
        _ folder: RemotePath, begins: (Int) -> Void
    ) async throws -> ProbeFindings.Races {
        var races = ProbeFindings.Races()
        func source(_ number: Int) throws(DocumentError) -> RemotePath {
            folder.appending(try RemoteName("from-\(number)"))
        }
        var sources = try (0..<Self.racers).map { try source($0) }
        for path in sources { try await stage(path) }
        for round in 0..<rounds where !races.hasFailed {
            begins(round)
            let target = folder.appending(try RemoteName("to-\(round)"))
            let taking = sources
            let (winners, wasHeldUp) = try await winners { racer in
                try await answer(
                    .MOVE, taking[racer], asFolder: true,
                    headers: [("Destination", link.address.url(of: target, asFolder: true)), ("Overwrite", "F")])
            }
            if winners.isEmpty, wasHeldUp { throw Self.heldUp }
            races.add(winners: winners.count)
            for winner in winners {
                sources[winner] = try source(Self.racers * (round + 1) + winner)
                try await stage(sources[winner])
            }
        }
        return races
    }

    /// A folder with something in it: an empty one is replaced by others on many systems, whoever looked before.
    private func stage(_ path: RemotePath) async throws {
        let folder = try await link.makeFolder(path)
        guard folder.isSuccess || folder.code == 405 else { throw folder.failure }
        let file = path.appending(try RemoteName("content"))
        let contents = try await link.change(
            ServerRequest(method: .PUT, path: file, body: .bytes(Array("staged".utf8))))
        guard contents.isSuccess else { throw contents.failure }
    }

    /// Who of all that begin at the same moment is told of success; and whether any of the others was held up, or not
    /// answered at all, so that no winner says nothing.
    private func winners(
        _ change: @escaping @Sendable (Int) async throws -> Int?
    ) async throws -> (winners: [Int], wasHeldUp: Bool) {
        try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
            for racer in 0..<Self.racers { group.addTask { (racer, try await change(racer)) } }
            var (winners, wasHeldUp) = ([Int](), false)
            for try await (racer, status) in group {
                if isSuccess(status) { winners.append(racer) }
                if status.map(Self.holdingUp.contains) ?? true { wasHeldUp = true }
            }
            return (winners, wasHeldUp)
        }
    }

    /// What servers answer that have too much to do, or whose way is cut: nothing that they guarantee, or do not.
    ///
    /// Not 502: servers behind a way that ends the encryption give it to every `MOVE`, as the scheme of its destination is not
    /// theirs.
    private static let holdingUp: Set<Int> = [408, 425, 429, 503, 504]
    private static let heldUp = ServerFailure.interrupted("it was too busy to be tried")

    // MARK: Requests

    private enum Condition {
        case none
        case absent
        case match(String)

        var headers: [(name: String, value: String)] {
            switch self {
            case .none: []
            case .absent: [("If-None-Match", "*")]
            case .match(let tag): [("If-Match", tag)]
            }
        }
    }

    /// So that contents end in their middle.
    private struct CutOff: Error {}

    private func put(_ text: String, to path: RemotePath, _ condition: Condition) async throws -> Int? {
        try await status(.PUT, path, headers: condition.headers, body: .bytes(Array(text.utf8)))
    }

    private func put(
        _ parts: ServerRequest.Body.Parts, to path: RemotePath, _ condition: Condition
    ) async throws -> Int? {
        try await status(.PUT, path, headers: condition.headers, body: .parts(parts))
    }

    private func race(_ text: String, to path: RemotePath, _ condition: Condition) async throws -> Int? {
        try await answer(.PUT, path, headers: condition.headers, body: .bytes(Array(text.utf8)))
    }

    /// - Returns: the status of the answer; nil when there was none.
    /// - Throws: `ServerFailure` when it says nothing of what the server guarantees.
    private func status(
        _ method: HTTPMethod, _ path: RemotePath, asFolder: Bool = false, headers: [(name: String, value: String)] = [],
        body: ServerRequest.Body = .none
    ) async throws -> Int? {
        let status = try await answer(method, path, asFolder: asFolder, headers: headers, body: body)
        if let status, Self.holdingUp.contains(status) { throw Self.heldUp }
        return status
    }

    /// - Returns: the status of the answer, whatever it is; nil when there was none.
    private func answer(
        _ method: HTTPMethod, _ path: RemotePath, asFolder: Bool = false, headers: [(name: String, value: String)] = [],
        body: ServerRequest.Body = .none
    ) async throws -> Int? {
        let request = ServerRequest(method: method, path: path, asFolder: asFolder, headers: headers, body: body)
        do {
            return try await link.ask(request, accepting: Self.everyStatus, retrying: .init(attempts: 1)) { answer in
                await answer.discard(within: link.timing.silence)
                return answer.status
            }
        } catch ServerFailure.interrupted {
            return nil
        }
    }

    private static let everyStatus = Set(200..<300).union(400..<600).subtracting([401])

    /// 207 tells of parts that failed (RS-3).
    private func isSuccess(_ status: Int?) -> Bool { status.map { (200..<300).contains($0) && $0 != 207 } ?? false }

    private func contents(of path: RemotePath) async throws -> String {
        let request = ServerRequest(method: .GET, path: path)
        return try await link.ask(request, accepting: [200], retrying: link.timing.retrying) { answer in
            var text: [UInt8] = []
            for try await part in answer.body where text.count < 1 << 20 { text += Array(buffer: part) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// The tag of a document that is old enough to have it for itself (RS-2); nil when it has no strong one then.
    private func settledTag(_ path: RemotePath, _ findings: ProbeFindings) async throws -> String? {
        while true {
            let look = try await link.look(at: path)
            if findings.hasExactTags { return look.properties.tag?.condition }
            if look.isSettled(after: link.timing.settling) ?? false { return look.properties.tag?.condition }
            try await link.timing.pause(link.timing.settling)
            guard look.date != nil, look.properties.modified != nil else { return look.properties.tag?.condition }
        }
    }
}
