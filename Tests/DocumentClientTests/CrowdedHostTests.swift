import CDocentShims
import DocumentModel
import DocumentTestSupport
import DocumentTransport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentClient

/// A host that lets nobody in, as so many wait for it already that there is no room for another.
struct CrowdedHostTests {
    @Test("Who finds no room at the host leaves its loop to others, and gets in as soon as there is some")
    func room() async throws {
        let folder = try TemporaryFolder.make("crowd")
        defer { TemporaryFolder.remove(folder) }
        let path = folder.appending("s").string
        let listener = docent_unix_listen(path, 0)
        try #require(listener >= 0)
        defer { close(listener) }
        var first: [Int32] = []
        defer { for socket in first { close(socket) } }
        while first.count < 16 {
            let socket = docent_unix_connect(path)
            guard socket >= 0 else {
                #expect(socket == -EAGAIN)
                break
            }
            first.append(socket)
        }
        try #require(first.count < 16, "there is always room")
        let loop = EventLoop(name: "crowd")
        let connector = HostConnector(
            address: try HostAddress(root: folder.string, socket: path), start: .never, tool: "test", loop: loop,
            logger: Logger(label: "test"))
        let count = first.count
        let connected = await withTaskExecutorPreference(loop) {
            async let connected = Self.connect(connector)
            // On the same thread: it lets those in that came first.
            async let accepted = Self.accept(count, at: listener)
            for socket in await accepted { close(socket) }
            return await connected
        }
        await loop.end()
        #expect(connected == nil)
    }

    /// - Returns: why there is no connection; nil when there is one.
    private static func connect(_ connector: HostConnector) async -> DocumentError? {
        do throws(DocumentError) {
            guard let (socket, _) = try await connector.connectedSocketIfThere() else {
                return DocumentError(.hostUnavailable, "Nobody listens.")
            }
            close(socket.rawValue)
            return nil
        } catch {
            return error
        }
    }

    private static func accept(_ count: Int, at listener: Int32) async -> [Int32] {
        (0..<count).map { _ in docent_unix_accept(listener) }
    }
}
