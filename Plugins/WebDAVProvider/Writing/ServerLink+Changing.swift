internal import AsyncHTTPClient
internal import DocumentModel
internal import NIOCore
internal import NIOHTTP1

extension ServerLink {
    /// What came of a request that changes something.
    enum Answer: Hashable, Sendable {
        case status(Int, tag: EntityTag?)
        /// Nobody knows whether it was carried out (RS-5).
        case unknown(ServerFailure)

        /// 207 tells of parts that failed (RS-3).
        var isSuccess: Bool {
            if case .status(let code, _) = self { (200..<300).contains(code) && code != 207 } else { false }
        }

        var code: Int? {
            if case .status(let code, _) = self { code } else { nil }
        }

        /// What it comes to when it keeps failing.
        var failure: ServerFailure {
            switch self {
            // As a portal does that wants a sign-in, with a page for it.
            case .status where isSuccess: .interrupted("it says that it has done what it has not")
            case .status(let code, _): .status(code, retryAfter: nil)
            case .unknown(let failure): failure
            }
        }
    }

    /// What says that things are not as they were thought to be: a look at the server tells how they are.
    private static let telling = Set(200..<300).union([403, 404, 405, 409, 410, 412, 423])

    /// Makes a request that changes something.
    ///
    /// - Parameter isRepeatable: whether it may be made again at once when its answer is lost.
    /// - Throws: `ServerFailure` for what looking does not help with, or `CancellationError`.
    func change(_ request: ServerRequest, isRepeatable: Bool = true) async throws -> Answer {
        do {
            let limits = isRepeatable ? timing.retrying : RetryPlan.Limits(attempts: 1)
            return try await ask(request, accepting: Self.telling, retrying: limits) { answer in
                await answer.discard(within: timing.silence)
                return .status(answer.status, tag: answer.tag)
            }
        } catch let failure as ServerFailure {
            switch failure {
            case .status(507, _): throw failure
            case .interrupted, .status(500...599, _): return .unknown(failure)
            default: throw failure
            }
        }
    }

    /// Waits before a step that has not worked is tried again; longer, when the server asks for that.
    ///
    /// - Throws: why it has not worked, when the server asks for more patience than there is.
    func pause(after answer: Answer, atLeast usual: Duration) async throws {
        var pause = usual
        if case .unknown(.status(_, let asked?)) = answer {
            guard asked <= timing.retrying.budget else { throw answer.failure }
            pause = max(pause, asked)
        }
        try await timing.pause(pause)
    }

    func move(_ from: RemotePath, to: RemotePath, asFolder: Bool) async throws -> Answer {
        try await change(
            ServerRequest(
                method: .MOVE, path: from, asFolder: asFolder,
                headers: [("Destination", address.url(of: to, asFolder: asFolder)), ("Overwrite", "F")]))
    }

    func makeFolder(_ path: RemotePath, isRepeatable: Bool = true) async throws -> Answer {
        try await change(ServerRequest(method: .MKCOL, path: path, asFolder: true), isRepeatable: isRepeatable)
    }

    func remove(_ path: RemotePath, asFolder: Bool) async throws -> Answer {
        try await change(ServerRequest(method: .DELETE, path: path, asFolder: asFolder))
    }

    /// Nil when nothing is there.
    func lookIfThere(_ path: RemotePath) async throws -> Look? {
        do {
            return try await look(at: path)
        } catch ServerFailure.status(404, _), ServerFailure.status(410, _), ServerFailure.status(409, _) {
            return nil
        }
    }

    /// What is in a folder, by name; nil when it is not there.
    func entries(of path: RemotePath) async throws -> [Listings.Entry]? {
        do {
            return try await list(path, hidingOwn: false).entries
        } catch ServerFailure.status(404, _), ServerFailure.status(410, _), ServerFailure.status(409, _) {
            return nil
        }
    }
}
