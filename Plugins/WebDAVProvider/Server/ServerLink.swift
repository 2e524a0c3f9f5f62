internal import AsyncHTTPClient
internal import DocumentModel
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import SystemPackage

/// The way to one server: a bounded number of connections that are kept, credentials for its origin only, and patience.
final class ServerLink: Sendable {
    let address: ServerAddress
    let timing: Timing
    /// Who is signed in, as far as that is no secret; empty when nobody is known by name.
    var user: String {
        if case .basic(let user, _) = credentials { user } else { "" }
    }
    private let transport: any ServerTransport
    private let isClosed = Atomic(false)
    /// Contents take long; what is asked about items does not wait for them.
    private let contents: Turnstile
    private let others: Turnstile
    private let credentials: WebDAVSettings.Credentials
    private let refused: RefusedSignIn
    /// How often a request is sent on before it goes in circles.
    private static let mostRedirects = 4

    /// - Parameter transport: nil for connections by HTTP.
    init(
        _ settings: WebDAVSettings, timing: Timing = Timing(), transport: (any ServerTransport)? = nil
    ) throws(DocumentError) {
        address = settings.address
        credentials = settings.credentials
        refused = settings.refused
        contents = Turnstile(settings.connections / 2)
        others = Turnstile(settings.connections / 2)
        self.timing = timing
        self.transport = if let transport { transport } else { try HTTPTransport(settings, timing: timing) }
    }

    /// Ends all connections. Nothing can be asked any more.
    func close() async {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        await transport.shutdown()
    }

    /// Makes a request, again when that may help, and has its answer read.
    ///
    /// - Parameters:
    ///   - accepted: the statuses that are no failure.
    ///   - read: reads the answer; run again with every new answer.
    /// - Throws: `ServerFailure`, or `CancellationError`.
    func ask<Result: Sendable>(
        _ request: ServerRequest, accepting accepted: Set<Int>, retrying limits: RetryPlan.Limits = .init(),
        read: (ServerAnswer) async throws -> Result
    ) async throws -> Result {
        var plan = RetryPlan(limits)
        let began = timing.now()
        while true {
            let failure: ServerFailure
            do {
                return try await (request.timeout == nil ? contents : others).pass {
                    try await attempt(request, accepted, read)
                }
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                // What the reader says of its own files is no failure of the server's.
                if error is DocumentError { throw error }
                failure = ServerFailure(error)
            }
            let elapsed = timing.now() - began
            guard let pause = plan.pause(after: failure, elapsed: elapsed, chance: timing.chance()) else {
                throw failure
            }
            try await timing.pause(pause)
        }
    }

    private func attempt<Result: Sendable>(
        _ request: ServerRequest, _ accepted: Set<Int>, _ read: (ServerAnswer) async throws -> Result
    ) async throws -> Result {
        let isFirst = credentials == .none ? false : try await refused.enter()
        var hasVerdict = true
        defer { if isFirst { refused.firstEnded(hasVerdict: hasVerdict) } }
        do {
            return try await send(request, accepted, read)
        } catch {
            let failure = ServerFailure(error)
            hasVerdict = failure.isVerdict
            guard case .signIn = failure, credentials != .none else { throw error }
            let question = ServerRequest.properties(of: .root, depth: 0, asFolder: true)
            await refused.makeSure(after: failure) {
                do {
                    try await timing.pause(timing.gap)
                    try await send(question, [207]) { await $0.discard(within: timing.silence) }
                    return false
                } catch {
                    return if case .signIn = ServerFailure(error) { true } else { false }
                }
            }
            throw failure
        }
    }

    private func send<Result: Sendable>(
        _ request: ServerRequest, _ accepted: Set<Int>, _ read: (ServerAnswer) async throws -> Result
    ) async throws -> Result {
        var url = address.url(of: request.path, asFolder: request.asFolder)
        let deadline = request.timeout.map { NIODeadline.now() + TimeAmount($0) } ?? .distantFuture
        for _ in 0..<Self.mostRedirects {
            let response = try await execute(request, url, deadline)
            let answer = ServerAnswer(response)
            if (200..<300).contains(answer.status) { refused.wasAccepted() }
            if accepted.contains(answer.status) { return try await read(answer) }
            // So that the connection can be used again.
            await answer.discard(within: timing.silence)
            switch answer.status {
            case 300..<400:
                let location = answer.header("Location") ?? ""
                // All others change the method, or mean something else.
                guard [301, 302, 307, 308].contains(answer.status),
                    let next = Redirect.target(of: location, from: address)
                else {
                    throw ServerFailure.redirect(ItemName.printable(location, limit: 200))
                }
                url = next
            case 401: throw ServerFailure.signIn(offers: answer.challenges)
            case 207: throw ServerFailure.unusable("it lists parts of an answer that has none")
            case 200..<300: throw ServerFailure.unusable("it answers with status \(answer.status)")
            default: throw ServerFailure.status(answer.status, retryAfter: answer.retryAfter)
            }
        }
        throw ServerFailure.unusable("it sends in circles")
    }

    private func execute(
        _ request: ServerRequest, _ url: String, _ deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        var made = try httpRequest(request, url)
        var watch = UploadWatch(timing)
        if case .file(let parts) = request.body { watch.isWaiting = parts.isWaiting }
        switch request.body {
        case .none, .bytes: return try await transport.execute(made, sendsContents: false, deadline: deadline)
        case .file(let parts): made.body = .stream(watch.counting(parts), length: .known(parts.length))
        case .parts(let body):
            made.body = .stream(watch.counting(body.parts), length: .known(Int64(body.length)))
        }
        return try await watch.over { [transport, made] in
            try await transport.execute(made, sendsContents: true, deadline: deadline)
        }
    }

    private func httpRequest(_ request: ServerRequest, _ url: String) throws(ServerFailure) -> HTTPClientRequest {
        // Of a path that is not UTF-8 the library would take the top folder: for listing, or for removing.
        guard PercentCoding.decode(Array(url.utf8)).map({ String(validating: $0, as: UTF8.self) != nil }) == true else {
            throw .unusable("“\(url)” cannot be asked for as it is written")
        }
        var made = HTTPClientRequest(url: url)
        made.method = request.method
        made.headers.add(name: "User-Agent", value: "Docent-WebDAV/\(WebDAVProvider.version)")
        // Compressed bytes could not be continued in their middle, nor counted.
        made.headers.add(name: "Accept-Encoding", value: "identity")
        for header in request.headers { made.headers.add(name: header.name, value: header.value) }
        switch credentials {
        case .none: break
        case .basic(let user, let password): made.setBasicAuth(username: user, password: password)
        case .bearer(let token): made.headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        switch request.body {
        // What is streamed is watched.
        case .none, .file, .parts: break
        case .bytes(let bytes): made.body = .bytes(bytes)
        }
        return made
    }
}
