internal import AsyncHTTPClient
internal import DocumentModel
internal import DocumentProvider
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import SystemPackage

extension WebDAVDomain {
    private static let attempts = 4

    /// Brings a document into its staging file, as it comes.
    ///
    /// The properties are asked for before and after, and have to be the same: so the version that is returned is the
    /// one that was written (PROV-8).
    func provide(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], _ transfer: Transfer
    ) async throws -> Item {
        let path = try path(of: id)
        let what = "\(path.quoted) cannot be read"
        // Progress never falls, also when the contents come once more.
        var furthest: Int64 = 0
        return try await patiently(path, what) {
            for _ in 0..<Self.attempts {
                let before = try await settled(path, contentVersion, transfer)
                guard before.hasValidator else {
                    throw DocumentError(
                        .cannotSynchronize,
                        "\(what): the server gives it neither a date nor a tag, so nobody could tell its versions apart."
                    )
                }
                let file = try StagingFile(stagingFile)
                guard let size = try await download(path, before, to: file, &furthest, transfer) else { continue }
                let after = try await link.look(at: path).properties
                if after.contentVersion == before.contentVersion, after.length == nil || after.length == size {
                    var item = try after.item(at: path, capabilities)
                    item.size = size
                    return item
                }
            }
            throw DocumentError(
                .busy, "\(path.quoted) is being changed on the server; open it again when that is done.", itemID: id)
        }
    }

    /// The properties of a document that has its version for itself. While it is younger than the server's clock can
    /// tell, a second change would look like the first (RS-2), and what is read now could pass for what comes then.
    private func settled(_ path: RemotePath, _ wanted: [UInt8], _ transfer: Transfer) async throws -> Properties {
        var last: Properties?
        while true {
            let look = try await link.look(at: path)
            guard !look.properties.isFolder else {
                throw DocumentError(.invalidArgument, "\(path.quoted) is a folder, and has no contents of its own.")
            }
            guard wanted.isEmpty || wanted == look.properties.contentVersion else {
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "\(path.quoted) has changed, and the version asked for is gone; take the current one.",
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
        _ path: RemotePath, _ properties: Properties, to file: StagingFile, _ furthest: inout Int64,
        _ transfer: Transfer
    ) async throws -> Int64? {
        var plan = DownloadPlan(expected: properties.length, limits: link.timing.retrying)
        let began = ContinuousClock.now
        while true {
            do {
                return try await receive(path, &plan, file, &furthest, transfer)
            } catch let failure as ServerFailure {
                let pause = plan.pause(
                    after: failure, elapsed: ContinuousClock.now - began, chance: link.timing.chance())
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
        _ path: RemotePath, _ plan: inout DownloadPlan, _ file: StagingFile, _ furthest: inout Int64,
        _ transfer: Transfer
    ) async throws -> Int64? {
        let request = ServerRequest(method: .GET, path: path, headers: plan.headers, timeout: nil)
        return try await link.ask(request, accepting: [200, 206, 416], retrying: .init(attempts: 1)) { answer in
            switch plan.receive(DownloadPlan.Head(answer)) {
            case .changed: return nil
            case .refuse(let failure): throw failure
            case .write(let offset): try file.shorten(to: offset)
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

extension ServerLink.Look {
    /// Whether a change from now on would have another date; nil when the server does not say enough.
    func isSettled(after settling: Duration) -> Bool? {
        guard let date, let modified = properties.modified else { return nil }
        // A date in the future is not one that a change would get now.
        return !(-2..<settling.components.seconds).contains(date - modified)
    }
}
