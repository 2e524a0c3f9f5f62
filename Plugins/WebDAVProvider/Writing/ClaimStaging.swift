internal import DocumentModel
internal import Logging
internal import NIOHTTP1

/// Puts what is new of one change into a folder that is to become its claim, and makes sure that it is there as it was
/// sent (RS-4).
///
/// A connection that ended may have left anything, also something of the right length, and its server may go on with it
/// later. So what is sent once more gets a folder that nothing had before, and is read back as a whole.
struct ClaimStaging {
    let write: ClaimedWrite
    let change: ClaimedWrite.Change
    let names: ClaimNames
    /// What becomes the claim.
    private(set) var folder: RemotePath
    /// What is new lies there.
    private(set) var isDone = false
    /// All that was made, and may be there.
    private var begun: [RemotePath] = []

    init(write: ClaimedWrite, change: ClaimedWrite.Change, names: ClaimNames) {
        self.write = write
        self.change = change
        self.names = names
        folder = names.stage
    }

    private var link: ServerLink { write.link }

    /// - Returns: false when the folder that it is to be in is not there.
    mutating func stage() async throws -> Bool {
        var plan = RetryPlan(link.timing.retrying)
        let began = link.timing.now()
        while true {
            // What comes late, of an attempt or of its move, finds nothing that it was not meant for.
            if !begun.isEmpty {
                folder = names.folder.appending(try OwnNames.stage(try OwnNames.key(of: "", or: link.timing.mark())))
            }
            let failure: ServerFailure
            do {
                isDone = try await attempt(isFirst: begun.isEmpty)
                if isDone { await remove(butLast: true) }
                return isDone
            } catch let caught as ServerFailure {
                failure = caught
            }
            write.logger.info("New contents are sent once more.", metadata: ["failure": "\(failure)"])
            let pause = plan.pause(after: failure, elapsed: link.timing.now() - began, chance: link.timing.chance())
            guard let pause else { throw failure }
            write.isWaiting()
            try await link.timing.pause(pause)
        }
    }

    /// It may have become a claim, or have gone where another claim was in that moment.
    mutating func lookAgain() async throws {
        guard isDone else { return }
        isDone = try await link.entries(of: folder.appending(names.key)) != nil
    }

    /// Nothing of it is wanted any more.
    mutating func clear() async {
        await remove(butLast: false)
        isDone = false
    }

    private mutating func remove(butLast: Bool) async {
        for path in butLast ? begun.dropLast() : begun[...] {
            // Once only: nobody is to wait for a server that is gone.
            _ = try? await link.change(
                ServerRequest(method: .DELETE, path: path, asFolder: true), isRepeatable: false)
        }
        begun = butLast ? begun.suffix(1) : []
    }

    private mutating func attempt(isFirst: Bool) async throws -> Bool {
        let own = folder.appending(names.key)
        var isSuspect = !isFirst
        begun.append(folder)
        let place = names.reservation == nil ? nil : own.appending(ClaimNames.place)
        for path in [folder, own] + [place].compactMap(\.self) {
            let answer = try await link.makeFolder(path)
            switch answer.code {
            case 404, 409, 410: return false
            // It is there from an earlier run.
            case 405: isSuspect = true
            case nil: break
            default: guard answer.isSuccess else { throw answer.failure }
            }
        }
        let note = ClaimNote(kind: change.kind, source: change.source).text(link.address)
        let noted = try await send(.bytes(Array(note.utf8)), Int64(note.utf8.count), to: own.appending(ClaimNames.note))
        guard noted.isSuccess else { throw noted.failure }
        if let place {
            // Who finds it where it reserves a name is led to the claim.
            let leading = ServerRequest(method: .PUT, path: place.appending(names.key), body: .bytes(Array(note.utf8)))
            let answer = try await link.change(leading, isRepeatable: false)
            guard answer.isSuccess else { throw answer.failure }
        }
        guard let contents = change.contents else { return true }
        let new = own.appending(ClaimNames.new)
        let answer = try await send(.file(contents), contents.length, to: new)
        let isClean = answer.isSuccess && !isSuspect
        guard try await link.keeps(contents, at: new, isClean: isClean, isWaiting: write.isWaiting) else {
            throw answer.isSuccess ? ServerFailure.damaged : answer.failure
        }
        return true
    }

    /// - Returns: the answer; something of the right length is there also when it is not known.
    private func send(
        _ body: ServerRequest.Body, _ length: Int64, to path: RemotePath
    ) async throws -> ServerLink.Answer {
        var request = ServerRequest(method: .PUT, path: path, body: body)
        if case .file = body { request.timeout = nil }
        let answer = try await link.change(request, isRepeatable: false)
        guard answer.isSuccess || answer.code == nil else { throw answer.failure }
        guard let there = try await link.lookIfThere(path)?.properties, there.length ?? length == length else {
            throw answer.isSuccess ? ServerFailure.interrupted("not all of it has arrived") : answer.failure
        }
        return answer
    }
}
