internal import AsyncHTTPClient
internal import DocumentModel
internal import DocumentProvider
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import SystemPackage

extension WebDAVDomain {
    private static let attempts = 4

    /// Brings a part of a document to its place in the staging file, as it comes. The version is asked for before the first
    /// part and after each: bytes of two versions never get into one file (INV-9).
    func provide(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        _ transfer: Transfer
    ) async throws -> Item {
        let path = try path(of: id)
        let what = "\(path.quoted) cannot be read"
        // Progress never falls, also when the part comes once more.
        var furthest = range.lowerBound
        return try await patiently(path, what) {
            for _ in 0..<Self.attempts {
                let before = try await known(path, contentVersion, transfer)
                guard before.hasValidator, let length = before.length, givesParts else {
                    throw Self.wholeOnly(path, "the server gives no parts of it")
                }
                guard range.upperBound <= length else {
                    throw DocumentError(
                        .invalidArgument,
                        "\(path.quoted) has \(length) bytes, and none from \(range.lowerBound) to \(range.upperBound).",
                        itemID: id)
                }
                let file = try StagingFile(stagingFile)
                let isComplete = try await download(range, of: path, before, to: file, &furthest, transfer)
                let after = try await lookInTheMiddle(path, transfer)
                guard after.contentVersion == before.contentVersion, after.length == length else {
                    looks.withLock { $0[path] = nil }
                    continue
                }
                guard isComplete else {
                    // It says so of its parts only: the tags that it sends with them are others than those that it lists.
                    throw Self.wholeOnly(path, "what the server says of its parts is not so")
                }
                return try item(at: path, after, length)
            }
            throw DocumentError(
                .busy, "\(path.quoted) is being changed on the server; open it again when that is done.", itemID: id)
        }
    }

    /// What the server said of a version before parts of it were asked for: as it says the same afterwards, it need not be asked
    /// before each part.
    private func known(
        _ path: RemotePath, _ contentVersion: [UInt8], _ transfer: Transfer
    ) async throws -> Properties {
        if let known = looks.withLock({ $0[path] }), known.contentVersion == contentVersion { return known }
        let found = try await askPatiently(isInTheMiddle: false, transfer) {
            try await settled(path, contentVersion, transfer, retrying: Self.once)
        }
        looks.withLock { looks in
            if looks.count >= Self.mostLooks { looks = [:] }
            looks[path] = found
        }
        return found
    }

    private var givesParts: Bool {
        withoutParts.withLock { $0.map { link.timing.now() - $0 >= link.timing.wholeOnly } ?? true }
    }

    private static let mostLooks = 64

    /// What is there now that a part has come.
    private func lookInTheMiddle(_ path: RemotePath, _ transfer: Transfer) async throws -> Properties {
        try await askPatiently(isInTheMiddle: true, transfer) {
            try await link.look(at: path, retrying: Self.once).properties
        }
    }

    /// Who is patient counts the attempts, and tells the host that it goes on between them.
    private static let once = RetryPlan.Limits(attempts: 1)

    /// Asks something about a document of which parts come, again where that may help: once more, too, where the server has not
    /// answered in time, as what comes meanwhile would be lost with the answer.
    ///
    /// - Parameter isInTheMiddle: whether a part has come, so that a server that is just started anew is waited for.
    private func askPatiently<Answer: Sendable>(
        isInTheMiddle: Bool, _ transfer: Transfer, _ ask: () async throws -> Answer
    ) async throws -> Answer {
        var resumption = Resumption(link.timing.retrying)
        let began = link.timing.now()
        while true {
            do {
                return try await ask()
            } catch let failure as ServerFailure {
                let pause = resumption.pause(
                    after: failure, at: 0, keepsWhatCame: isInTheMiddle, elapsed: link.timing.now() - began,
                    chance: link.timing.chance())
                guard let pause else {
                    // One that does not answer even that is as good as away: it is looked for until it does.
                    let isSilent = failure == .interrupted(ServerFailure.silence)
                    throw isSilent ? ServerFailure.unreachable(ServerFailure.silence) : failure
                }
                transfer.heartbeat()
                try await link.timing.pause(pause)
            }
        }
    }

    private static func wholeOnly(_ path: RemotePath, _ reason: String) -> DocumentError {
        DocumentError(.unimplemented, "\(path.quoted) comes as a whole only: \(reason).")
    }

    /// - Returns: false when the document has changed.
    private func download(
        _ range: Range<Int64>, of path: RemotePath, _ known: Properties, to file: StagingFile, _ furthest: inout Int64,
        _ transfer: Transfer
    ) async throws -> Bool {
        let began = link.timing.now()
        let last = lastPart.withLock { $0 }
        var plan = PartPlan(
            range, of: known, limits: link.timing.retrying,
            isInTheMiddle: last.map { began - $0 < link.timing.retrying.outage } ?? false)
        while true {
            do {
                return try await receive(path, &plan, range, file, &furthest, transfer)
            } catch ServerFailure.unusable(let reason) {
                // It may well be able to give the whole.
                if reason == PartPlan.noParts { withoutParts.withLock { $0 = link.timing.now() } }
                throw Self.wholeOnly(path, "asked for a part, the server does otherwise: \(reason)")
            } catch let failure as ServerFailure {
                let pause = plan.pause(
                    after: failure, elapsed: link.timing.now() - began, chance: link.timing.chance())
                guard let pause else { throw failure }
                logger.info(
                    "A part of \(path.quoted) goes on at \(plan.offset) bytes after a failure.",
                    metadata: ["failure": "\(failure)"])
                transfer.heartbeat()
                try await link.timing.pause(pause)
            }
        }
    }

    private func receive(
        _ path: RemotePath, _ plan: inout PartPlan, _ range: Range<Int64>, _ file: StagingFile,
        _ furthest: inout Int64, _ transfer: Transfer
    ) async throws -> Bool {
        let request = ServerRequest(method: .GET, path: path, headers: plan.headers, timeout: nil)
        return try await link.ask(request, accepting: [200, 206, 416], retrying: .init(attempts: 1)) { answer in
            switch plan.receive(DownloadPlan.Head(answer)) {
            case .changed: return false
            case .refuse(let failure): throw failure
            case .write: break
            }
            for try await bytes in answer.body {
                try transfer.checkCancellation()
                let offset = plan.offset
                guard plan.advance(by: bytes.readableBytes) else {
                    throw ServerFailure.unusable("it sends more than was asked for")
                }
                try bytes.withUnsafeReadableBytes { try file.write($0, at: offset) }
                furthest = max(furthest, plan.offset)
                transfer.report(
                    UInt64(furthest - range.lowerBound), of: UInt64(range.upperBound - range.lowerBound))
            }
            lastPart.withLock { $0 = link.timing.now() }
            guard plan.isComplete else { throw ServerFailure.interrupted("it sent less than there is") }
            return true
        }
    }
}
