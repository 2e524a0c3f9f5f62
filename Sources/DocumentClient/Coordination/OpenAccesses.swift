import DocumentModel
import DocumentTransport
import DocumentWire
import Synchronization

/// What a client keeps of its accesses beside those that run: the ends that it has not told yet, and what it was granted
/// last, so that a document that is read again and again is not decoded each time.
final class OpenAccesses: LoopFlushing {
    private typealias Granted = (fields: ArraySlice<UInt8>, item: AccessedItem)

    /// A kilobyte each, or less.
    private static let most = 256

    private let connection: Connection
    private let loop: EventLoop
    /// Reads that have ended, which the host does not know yet.
    private let ended = Mutex<[UInt64]>([])
    private let granted = Mutex<[Location: Granted]>([:])

    init(_ connection: Connection, _ loop: EventLoop) {
        self.connection = connection
        self.loop = loop
    }

    /// A read has ended. The host is told at the end of the loop's turn: whatever the tool reads next is asked for before,
    /// and need not wait for it.
    func readHasEnded(_ access: UInt64) {
        let isFirst = ended.withLock { ended in
            ended.append(access)
            return ended.count == 1
        }
        if isFirst { loop.flushLater(self) }
    }

    /// Says which reads have ended, and does not wait for the answers: the host takes up what is asked later after it.
    func tellEnded() {
        // With the lock held: nobody else's request slips in between.
        ended.withLock { ended in
            for access in ended {
                connection.post(ServiceCall.endAccess(access).serialized(), priority: .ending)
            }
            ended.removeAll(keepingCapacity: true)
        }
    }

    func flush() { tellEnded() }

    /// What the host answers to a request for an access.
    ///
    /// - Throws: as ``ServiceReply``.
    func read(_ answer: [UInt8], to request: AccessRequest) throws(DocumentError) -> ServiceReply {
        guard let now = GrantedAccess(answer) else { return try ServiceReply(serialized: answer) }
        let known = granted.withLock { $0[request.location] }
        if let known, known.fields == now.fields {
            return .beginAccess(access: now.access, path: known.item.path, item: known.item.item)
        }
        let reply = try ServiceReply(serialized: answer)
        if case .beginAccess(_, let path, let item, let also) = reply, also.isEmpty {
            granted.withLock { granted in
                if granted.count >= Self.most { granted = [:] }
                granted[request.location] = (now.fields, AccessedItem(path: path, item: item))
            }
        }
        return reply
    }
}

/// Answers the host as ``PresenterDesk`` does, and keeps the order: what ended while a presenter answered, has ended before
/// its answer.
struct ClientHandler: RequestHandler {
    let desk: PresenterDesk
    let accesses: OpenAccesses

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        defer { accesses.tellEnded() }
        return try await desk.answer(body, request)
    }

    func received(notification body: [UInt8]) async { await desk.received(notification: body) }
}
