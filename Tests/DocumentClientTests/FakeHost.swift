import CDocentShims
import DocumentClient
import DocumentModel
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Glibc
import Logging
import Synchronization
import SystemPackage
import Testing

/// A host that answers from a closure, on a real socket in a temporary folder.
final class FakeHost: Sendable {
    typealias Answer = @Sendable (ServiceCall) async throws -> ServiceReply

    let address: HostAddress
    let folder: FilePath
    private let listener: FileDescriptor
    private let log = Mutex<[ServiceCall]>([])
    private let names = Mutex<[String]>([])
    private let connections = Mutex<[Connection]>([])

    /// - Parameter address: of a host that has gone away; nil: one of its own.
    init(at address: HostAddress? = nil) throws {
        let folder = try TemporaryFolder.make("fake")
        self.folder = folder
        let address = try address ?? HostAddress(root: folder.string, socket: folder.appending("s").string)
        self.address = address
        let result = docent_unix_listen(address.socket, 8)
        try #require(result >= 0)
        listener = FileDescriptor(rawValue: result)
    }

    /// What was asked so far.
    var calls: [ServiceCall] { log.withLock { $0 } }
    /// Who asked.
    var tools: [String] { names.withLock { $0 } }

    /// Serves any number of connections while the closure runs.
    static func serving(
        at address: HostAddress? = nil, _ answer: @escaping Answer, _ body: (FakeHost) async throws -> Void
    ) async throws {
        let host = try FakeHost(at: address)
        let loop = EventLoop(name: "fake-host")
        let pool = BlockingPool(threads: 1, name: "fake-accept")
        let listener = host.listener
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { tools in
                    while let socket = try? await pool.run({ try host.accept() }) {
                        tools.addTask { await host.serve(socket, loop, answer) }
                    }
                }
            }
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(host))
            } catch {
                outcome = .failure(error)
            }
            // Wakes whoever waits in accept.
            Glibc.shutdown(listener.rawValue, Int32(SHUT_RDWR))
            host.die()
            try await group.waitForAll()
            try outcome.get()
        }
        pool.shutdown()
        let last = BlockingPool(threads: 1, name: "fake-end")
        try? await last.run { loop.shutdown() }
        last.shutdown()
        try? listener.close()
        unlink(host.address.socket)
        unlink(host.folder.appending("file").string)
        rmdir(host.folder.string)
    }

    /// Every connection ends without a goodbye.
    func die() {
        for connection in connections.withLock({ $0 }) { connection.close(nil) }
    }

    /// The same, and nobody is there any more.
    func goAway() {
        Glibc.shutdown(listener.rawValue, Int32(SHUT_RDWR))
        unlink(address.socket)
        die()
    }

    /// Sends a message to a presenter of the tool that connected last, and waits for the answer.
    func tellPresenter(_ presenter: UInt64, message: UInt64, _ what: PresenterMessage) async throws {
        let connection = try #require(connections.withLock { $0.last })
        let call = ToolCall.tellPresenter(presenter, message: message, what)
        _ = try await connection.request(call.serialized(), deadline: .total(.seconds(30)))
    }

    private func accept() throws -> FileDescriptor {
        let result = docent_unix_accept(listener.rawValue)
        guard result >= 0 else { throw Errno(rawValue: -result) }
        return FileDescriptor(rawValue: result)
    }

    private func serve(_ socket: FileDescriptor, _ loop: EventLoop, _ answer: @escaping Answer) async {
        let connection = Connection(
            end: PipeEnd(socket: socket, loop: loop), loop: loop,
            configuration: Connection.Configuration(role: .responder), logger: Logger(label: "fake-host"))
        connections.withLock { $0.append(connection) }
        let opened = try? await connection.open { hello in
            let tool = try ToolIdentity(serialized: hello.context)
            self.names.withLock { $0.append(tool.name) }
            return []
        }
        guard opened != nil else { return }
        _ = await connection.run(Handler(host: self, answer: answer))
    }

    private struct Handler: RequestHandler {
        let host: FakeHost
        let answer: Answer

        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
            let call = try ServiceCall(serialized: body)
            host.log.withLock { $0.append(call) }
            return try await answer(call).serialized()
        }
    }
}

func someItem(_ location: String) throws -> ItemStatus {
    let location = try Location(location)
    return ItemStatus(
        item: Item(
            id: try ItemIdentifier("id-\(location.relativePath)"), parentID: .root, name: location.name,
            kind: .document, size: 1, version: try ItemVersion(content: [1])),
        location: location, state: .materialised, path: "/root/documents/\(location.relativePath)")
}
