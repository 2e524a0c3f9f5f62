public import DocumentModel
package import DocumentTransport
internal import DocumentWire

/// A host tool's connection to the host: list, open, edit, import, export and move documents that live elsewhere.
///
/// Made by ``withDocumentClient(tool:address:start:logger:_:)``, and valid until its closure returns. All calls may be
/// made from any task, side by side. They throw ``DocumentError``; a cancelled task gets the code `cancelled`.
public struct DocumentClient: Sendable {
    /// Where the host's storage root and its socket are.
    public let address: HostAddress

    let connection: Connection
    /// Where the connection is served.
    package let loop: EventLoop
    let desk: PresenterDesk
    let accesses: OpenAccesses
    /// The host's process, as the kernel told when the connection was made.
    let hostProcess: Int32
    /// Finds the next host, for what goes on when this one has ended.
    let successors: Successors

    /// How long the host may take for what it knows itself.
    static let patience = Deadline.total(.seconds(30))

    /// Asks the host. Most calls have no deadline of their own: the host watches its providers, and says why it waits.
    func ask(
        _ call: ServiceCall, deadline: Deadline = .none, progress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ServiceReply {
        // A read meets no other read: it need not come after the ends of those before it, as everything else does.
        if !call.isRead { accesses.tellEnded() }
        let answer = try await connection.request(
            call.serialized(nestedIn: enclosing.map(\.access)), deadline: deadline, priority: priority(of: call),
            onProgress: { report in
                if let report { progress?(report) }
            })
        if case .beginAccess(let request) = call { return try accesses.read(answer, to: request) }
        return try ServiceReply(serialized: answer)
    }

    /// Asks for something that is answered without a value.
    func tell(
        _ call: ServiceCall, deadline: Deadline = .none, progress: ProgressHandler? = nil
    ) async throws(DocumentError) {
        guard case .done = try await ask(call, deadline: deadline, progress: progress) else {
            throw Self.unexpectedAnswer
        }
    }

    /// Says something whose answer nobody needs, and does not wait for it: the host takes up what is asked later after it.
    func post(_ call: ServiceCall) {
        accesses.tellEnded()
        connection.post(call.serialized(), priority: priority(of: call))
    }

    /// What others wait for is not to stand behind them.
    func priority(of call: ServiceCall) -> RequestPriority {
        if call.isEnding { return .ending }
        return enclosing.isEmpty && AnsweredMessage.current == nil ? .ordinary : .nested
    }

    /// Says something to its end, also when the task is cancelled: a task of its own does not inherit that.
    func tellToItsEnd(_ call: ServiceCall) async throws(DocumentError) {
        let client = self
        let outcome = await Task(executorPreference: loop) {
            do throws(DocumentError) {
                try await client.tell(call)
                return DocumentError?.none
            } catch {
                return error
            }
        }.value
        if let outcome { throw outcome }
    }

    /// Gets how far a transfer is. Called in order, on a thread of the client's; must not block.
    public typealias ProgressHandler = @Sendable (TransferProgress) -> Void

    static let unexpectedAnswer = DocumentError(
        .protocolViolation,
        "The host answered something else than what was asked: it is of another release than this tool. Run “docent host stop” and try again."
    )
}

extension ServiceCall {
    /// Whether it asks for nothing but to read.
    fileprivate var isRead: Bool {
        guard case .beginAccess(let request) = self, !request.isPreparation else { return false }
        return request.intent == .reading && request.also.allSatisfy { $0.intent == .reading }
    }
}
