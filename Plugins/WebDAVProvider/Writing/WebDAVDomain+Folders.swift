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
            // Repeated by itself, it would find its own folder and take it for somebody else's.
            let answer = try await link.makeFolder(path, isRepeatable: false)
            if answer.isSuccess, let made = try await link.lookIfThere(path)?.properties { return .made(path, made) }
            // Somebody else was faster.
            if answer.code == 405 { throw Self.collision(path) }
            guard attempt + 1 < Self.attempts, answer.isSuccess || answer.code == nil || answer.code == 423 else {
                throw answer.failure
            }
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
            if attempt == 0 { try await waitUntilMovable(source) }
            try ledger.noteBegun(operation)
            let answer = try await link.move(source, to: target, asFolder: true)
            if answer.isSuccess, let made = try await link.lookIfThere(target)?.properties {
                return done(source, target, made)
            }
            guard attempt + 1 < Self.attempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        throw ServerFailure.interrupted("it does not move a folder")
    }

    func done(_ source: RemotePath, _ target: RemotePath, _ found: Properties) -> WriteLedger.Outcome {
        forget(source)
        knowMoved(source, to: target)
        return .made(target, found)
    }

    /// The folder is moved out of sight first: what somebody puts into it in that moment goes with it, and is seen there.
    func removeFolder(_ path: RemotePath, _ deletion: ItemDeletion) async throws -> WriteLedger.Outcome {
        let rest = try rest(of: path, deletion)
        if deletion.recursive { try await requireRemovable(path) } else { try await requireEmpty(path, path) }
        try ledger.noteBegun(deletion.operation)
        // What is out of sight is ended, also when nobody waits for it any more.
        return try await Task(executorPreference: link.timing.executor) { [self] in
            for attempt in 0..<Self.attempts {
                let answer = try await link.move(path, to: rest, asFolder: true)
                if try await link.lookIfThere(rest) != nil { break }
                guard attempt + 1 < Self.attempts else { throw answer.failure }
                try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
            }
            return try await endRemoval(of: path, at: rest, deletion)
        }.value
    }

    /// An earlier run of the same operation may have moved the folder out of sight, and have ended before it was removed.
    ///
    /// - Returns: nil when there is nothing of that.
    func resumedRemoval(of path: RemotePath, _ deletion: ItemDeletion) async throws -> WriteLedger.Outcome? {
        guard ledger.wasBegun(deletion.operation) else { return nil }
        let rest = try rest(of: path, deletion)
        guard try await link.lookIfThere(rest) != nil else { return nil }
        return try await Task(executorPreference: link.timing.executor) { [self] in
            try await endRemoval(of: path, at: rest, deletion)
        }.value
    }

    /// Where the folder lies out of sight: the same in every run of an operation.
    private func rest(of path: RemotePath, _ deletion: ItemDeletion) throws(DocumentError) -> RemotePath {
        guard let folder = path.parent else {
            throw DocumentError(.invalidArgument, "The domain's top folder cannot be changed.")
        }
        return folder.appending(try OwnNames.rest(try OwnNames.key(of: deletion.operation, or: link.timing.mark())))
    }

    private func endRemoval(
        of path: RemotePath, at rest: RemotePath, _ deletion: ItemDeletion
    ) async throws -> WriteLedger.Outcome {
        do {
            if deletion.recursive {
                try await requireRemovable(rest, once: path)
            } else {
                try await requireEmpty(rest, path)
            }
        } catch let error as DocumentError {
            // Where it cannot be put back, the next run finds it: it is not said to be as it was.
            try await link.restore(rest, to: path, asFolder: true, logger)
            throw error
        } catch {
            _ = try? await link.move(rest, to: path, asFolder: true)
            throw error
        }
        for attempt in 0..<Self.attempts {
            let answer = try await link.remove(rest, asFolder: true)
            if answer.isSuccess || answer.code == 404 { break }
            guard attempt + 1 < Self.attempts else {
                // What the server clearly does not remove is not out of sight for good.
                if answer.code != nil { try await link.restore(rest, to: path, asFolder: true, logger) }
                throw answer.failure
            }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        forget(path)
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
