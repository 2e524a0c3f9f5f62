import AsyncHTTPClient
import NIOCore
import Synchronization

@testable import WebDAVProvider

/// The way of one host to a simulated server. Each request is carried out at once, until the host dies: what it asks from then on
/// comes nowhere.
final class MortalWay: ServerTransport {
    /// Runs before each request, with the number of those that were made before; what it throws becomes of the request.
    typealias Before = @Sendable (MortalWay, SimulatedServer.Request, Int) async throws -> Void

    private let scene: ClaimScene
    private let address: ServerAddress
    private let before: Before
    private let made = Mutex(0)
    /// So many requests are made in all.
    private let lifetime: Mutex<Int>

    init(in scene: ClaimScene, at address: ServerAddress, lifetime: Int, before: @escaping Before) {
        (self.scene, self.address, self.before) = (scene, address, before)
        self.lifetime = Mutex(lifetime)
    }

    /// Whether it has asked for something that it did not live to see.
    var isDead: Bool { made.withLock { $0 } > lifetime.withLock { $0 } }

    /// It dies after so many requests from now on.
    func live(for count: Int) {
        let now = made.withLock { $0 }
        lifetime.withLock { $0 = now + count }
    }

    func die() { live(for: -1) }

    func execute(
        _ request: HTTPClientRequest, sendsContents: Bool, deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        let request = try await SimulatedServer.Request(request, at: address)
        let number = made.withLock { made in
            made += 1
            return made - 1
        }
        if !isDead { try await before(self, request, number) }
        guard !isDead else { throw HTTPClientError.remoteConnectionClosed }
        return scene.answer(request)
    }

    func shutdown() async {}
}
