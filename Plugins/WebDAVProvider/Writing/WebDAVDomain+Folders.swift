internal import DocumentModel
internal import DocumentProvider
internal import Logging

/// Changes of folders. A folder with something in it is moved as a whole, and to a name that is free: servers do that one
/// at a time.
extension WebDAVDomain {
    private static let attempts = 5

    func makeFolder(_ path: RemotePath, _ operation: String) async throws -> WriteLedger.Outcome {
        let wasBegun = ledger.wasBegun(operation)
        for attempt in 0..<Self.attempts {
            // Some servers say that they have made what was there.
            if let there = try await link.lookIfThere(path)?.properties {
                guard there.isFolder, wasBegun || attempt > 0 else { throw Self.collision(path) }
                return .made(path, there)
            }
            try ledger.noteBegun(operation)
            let answer = try await link.makeFolder(path)
            if answer.isSuccess { return .made(path, try await link.look(at: path).properties) }
            // Somebody else was faster.
            if answer.code == 405 { throw Self.collision(path) }
            guard attempt + 1 < Self.attempts, answer.code == nil || answer.code == 423 else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        throw ServerFailure.interrupted("it does not make a folder")
    }

    func moveFolder(
        _ source: RemotePath, to target: RemotePath, _ operation: String
    ) async throws -> WriteLedger.Outcome {
        for attempt in 0..<Self.attempts {
            let isThere = try await link.lookIfThere(source) != nil
            let taken = try await link.lookIfThere(target)?.properties
            if !isThere, attempt > 0, let taken, taken.isFolder { return done(source, target, taken) }
            guard taken == nil else { throw Self.collision(target) }
            try ledger.noteBegun(operation)
            let answer = try await link.move(source, to: target, asFolder: true)
            if answer.isSuccess { return done(source, target, try await link.look(at: target).properties) }
            guard attempt + 1 < Self.attempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        throw ServerFailure.interrupted("it does not move a folder")
    }

    private func done(_ source: RemotePath, _ target: RemotePath, _ found: Properties) -> WriteLedger.Outcome {
        forget(source)
        return .made(target, found)
    }

    /// The folder is moved out of sight first: what somebody puts into it in that moment goes with it, and is seen there.
    func removeFolder(_ path: RemotePath, _ deletion: ItemDeletion) async throws -> WriteLedger.Outcome {
        let mark = link.timing.mark()
        guard let folder = path.parent else {
            throw DocumentError(.invalidArgument, "The domain's top folder cannot be changed.")
        }
        let rest = try ClaimNames.rest(in: folder, mark)
        if !deletion.recursive { try await requireEmpty(path, path) }
        for attempt in 0..<Self.attempts {
            let answer = try await link.move(path, to: rest, asFolder: true)
            if try await link.lookIfThere(rest) != nil { break }
            guard attempt + 1 < Self.attempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        do {
            if !deletion.recursive { try await requireEmpty(rest, path) }
        } catch {
            let answer = try await link.move(rest, to: path, asFolder: true)
            if !answer.isSuccess {
                logger.error("A folder that is not empty could not be put back.", metadata: ["place": "\(rest.quoted)"])
            }
            throw error
        }
        forget(path)
        for attempt in 0..<Self.attempts {
            let answer = try await link.remove(rest, asFolder: true)
            if answer.isSuccess || answer.code == 404 { break }
            guard attempt + 1 < Self.attempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        return .removed
    }

    /// Claims count as something: somebody is making a document there; and so does a document that the end of a claim has
    /// left. What else Docent has left does not.
    private func requireEmpty(_ place: RemotePath, _ path: RemotePath) async throws {
        guard let entries = try await link.entries(of: place) else { return }
        var isEmpty = entries.allSatisfy { OwnNames.isOwn($0.name) && !OwnNames.isClaim($0.name) }
        for entry in entries where isEmpty && OwnNames.isRest(entry.name) {
            let rest = ClaimTakeOver(
                link: link, watch: claims, logger: logger, claim: place.appending(entry.name), isRest: true)
            isEmpty = try await !rest.holdsDocuments()
        }
        // Some servers do not list claims.
        for known in known(below: path) where isEmpty && known.parent == path {
            guard hasGaps, let name = known.name else { break }
            isEmpty = try await link.lookIfThere(place.appending(try OwnNames.claim(on: name))) == nil
        }
        guard isEmpty else {
            throw DocumentError(
                .directoryNotEmpty, "The folder \(path.quoted) is not empty; remove what is in it first.")
        }
    }
}
