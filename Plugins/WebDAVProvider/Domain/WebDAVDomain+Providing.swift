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

    /// Brings a document into its staging file, as it comes.
    ///
    /// Its version is known before the contents come, and asked for after them, and has to be the same: so the version that
    /// is returned is the one that was written (PROV-8). A server that was seen to tell it with the contents is not asked
    /// before.
    func provide(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], _ transfer: Transfer
    ) async throws -> Item {
        let path = try path(of: id)
        let what = "\(path.quoted) cannot be read"
        // Progress never falls, also when the contents come once more.
        var furthest: Int64 = 0
        return try await patiently(path, what) {
            if tellsVersions.load(ordering: .relaxed),
                let item = try await provideAtOnce(path, at: stagingFile, contentVersion, &furthest, transfer)
            {
                return item
            }
            for _ in 0..<Self.attempts {
                let before = try await settled(path, contentVersion, transfer)
                guard before.hasValidator else {
                    throw DocumentError(
                        .cannotSynchronize,
                        "\(what): the server gives it neither a date nor a tag, so nobody could tell its versions apart."
                    )
                }
                let file = try StagingFile(stagingFile)
                var reception = Reception(of: before, telling: telling)
                guard let size = try await download(path, &reception, to: file, &furthest, transfer) else { continue }
                let after = try await link.look(at: path).properties
                guard after.contentVersion == before.contentVersion, after.length == nil || after.length == size
                else { continue }
                let tells = reception.told.map { after.agrees(with: $0) } ?? false
                tellsVersions.store(tells, ordering: .relaxed)
                return try item(at: path, after, size)
            }
            throw DocumentError(
                .busy, "\(path.quoted) is being changed on the server; open it again when that is done.", itemID: id)
        }
    }

    /// The same with one request less, by what the answer with the contents says of their version.
    ///
    /// - Returns: nil when that is not enough to be sure of it, or when they are not what is wanted.
    private func provideAtOnce(
        _ path: RemotePath, at stagingFile: FilePath, _ wanted: [UInt8], _ furthest: inout Int64, _ transfer: Transfer
    ) async throws -> Item? {
        let telling = telling
        var reception = Reception { head in
            telling(head).flatMap { told in
                // What lists documents may know no tags.
                var tagless = told
                tagless.tag = nil
                return wanted.isEmpty || [told.contentVersion, tagless.contentVersion].contains(wanted) ? told : nil
            }
        }
        do {
            let file = try StagingFile(stagingFile)
            guard let size = try await download(path, &reception, to: file, &furthest, transfer),
                let told = reception.told
            else { return nil }
            let after = try await link.look(at: path).properties
            guard !after.isFolder, after.hasValidator, after.agrees(with: told),
                wanted.isEmpty || wanted == after.contentVersion
            else { return nil }
            return try item(at: path, after, size)
        } catch ServerFailure.status(let status, _) where status < 500 && status != 429 {
            // What it is, and whether it is there, is found out by asking.
            return nil
        } catch ServerFailure.unusable, ServerFailure.redirect {
            return nil
        }
    }

    /// What the beginning of an answer tells of the version of its contents.
    private var telling: (DownloadPlan.Head) -> Properties? {
        let (settling, hasExactTags) = (link.timing.settling, gate?.hasExactTags ?? false)
        return { $0.properties(settledAfter: settling, hasExactTags: hasExactTags) }
    }

    func item(at path: RemotePath, _ properties: Properties, _ size: Int64) throws -> Item {
        var item = try properties.item(at: path, capabilities)
        item.size = size
        return item
    }

    /// The properties of a document that has its version for itself. While it is younger than the server's clock can
    /// tell, a second change would look like the first (RS-2), and what is read now could pass for what comes then.
    ///
    /// - Parameter limits: of each look at it; nil for those of all requests.
    func settled(
        _ path: RemotePath, _ wanted: [UInt8], _ transfer: Transfer, retrying limits: RetryPlan.Limits? = nil
    ) async throws -> Properties {
        var last: Properties?
        while true {
            let look = try await link.look(at: path, retrying: limits)
            guard !look.properties.isFolder else {
                throw DocumentError(.invalidArgument, "\(path.quoted) is a folder, and has no contents of its own.")
            }
            guard wanted.isEmpty || wanted == look.properties.contentVersion else {
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "\(path.quoted) has changed, and the version asked for is gone: open it again.",
                    itemID: try path.identifier)
            }
            if gate?.hasExactTags ?? false, look.properties.tag?.condition != nil { return look.properties }
            if look.isSettled(after: link.timing.settling) ?? (last == look.properties) { return look.properties }
            last = look.properties
            try transfer.checkCancellation()
            transfer.heartbeat()
            try await link.timing.pause(link.timing.settling)
        }
    }

    /// - Returns: how many bytes it has; nil when it has changed meanwhile.
    private func download(
        _ path: RemotePath, _ reception: inout Reception, to file: StagingFile, _ furthest: inout Int64,
        _ transfer: Transfer
    ) async throws -> Int64? {
        var plan = DownloadPlan(expected: reception.expected, limits: link.timing.retrying)
        let began = link.timing.now()
        while true {
            do {
                return try await receive(path, &plan, &reception, file, &furthest, transfer)
            } catch let failure as ServerFailure {
                let pause = plan.pause(
                    after: failure, elapsed: link.timing.now() - began, chance: link.timing.chance())
                guard let pause else { throw failure }
                logger.info(
                    "\(path.quoted) goes on at \(plan.offset) bytes after a failure.",
                    metadata: ["failure": "\(failure)"])
                transfer.heartbeat()
                try await link.timing.pause(pause)
            }
        }
    }

    /// One request of a download.
    private func receive(
        _ path: RemotePath, _ plan: inout DownloadPlan, _ reception: inout Reception, _ file: StagingFile,
        _ furthest: inout Int64, _ transfer: Transfer
    ) async throws -> Int64? {
        let request = ServerRequest(method: .GET, path: path, headers: plan.headers, timeout: nil)
        return try await link.ask(request, accepting: [200, 206, 416], retrying: .init(attempts: 1)) { answer in
            let head = DownloadPlan.Head(answer)
            switch plan.receive(head) {
            case .changed: return nil
            case .refuse(let failure): throw failure
            case .write(let offset):
                guard offset > 0 || reception.begins(with: head) else { return nil }
                try file.shorten(to: offset)
            }
            for try await part in answer.body {
                try transfer.checkCancellation()
                let offset = plan.offset
                guard plan.advance(by: part.readableBytes) else { return nil }
                try part.withUnsafeReadableBytes { try file.write($0, at: offset) }
                furthest = max(furthest, plan.offset)
                transfer.report(UInt64(furthest), of: plan.total.map { UInt64(max($0, furthest)) })
            }
            guard plan.end() else { throw ServerFailure.interrupted("it sent less than there is") }
            return plan.offset
        }
    }
}

/// Contents on their way, and what is known of their version.
private struct Reception {
    /// What the answer itself tells.
    private(set) var told: Properties?
    /// In bytes; nil while not known.
    let expected: Int64?
    private let isKnown: Bool
    private let telling: (DownloadPlan.Head) -> Properties?

    /// Of contents the version of which was asked for.
    init(of known: Properties, telling: @escaping (DownloadPlan.Head) -> Properties?) {
        (expected, isKnown, self.telling) = (known.length, true, telling)
    }

    /// Of contents that have to tell their version.
    init(_ telling: @escaping (DownloadPlan.Head) -> Properties?) {
        (expected, isKnown, self.telling) = (nil, false, telling)
    }

    /// The contents come from their beginning.
    ///
    /// - Returns: whether their version is known.
    mutating func begins(with head: DownloadPlan.Head) -> Bool {
        told = telling(head)
        return isKnown || told != nil
    }
}

extension ServerLink.Look {
    /// Whether a change from now on would have another date; nil when the server does not say enough.
    func isSettled(after settling: Duration) -> Bool? {
        guard let date, let modified = properties.modified else { return nil }
        return Properties.isSettled(modified, at: date, after: settling)
    }
}
