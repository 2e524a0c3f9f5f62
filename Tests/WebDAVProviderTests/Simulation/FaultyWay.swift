import AsyncHTTPClient
import DocumentSimulator
import NIOCore
import NIOHTTP1

@testable import WebDAVProvider

/// The way of one provider program to the server: requests and answers that are lost, come late, or come twice.
final class FaultyWay: ServerTransport, @unchecked Sendable {
    private let server: SimulatedServer
    private let address: ServerAddress
    private let clock: SimulatedClock
    private let faults: Scenario.Faults
    private let life: ProgramLife
    private let draw: (Int) -> Int

    init(
        to server: SimulatedServer, at address: ServerAddress, clock: SimulatedClock, faults: Scenario.Faults,
        life: ProgramLife, draw: @escaping (Int) -> Int
    ) {
        (self.server, self.address, self.clock, self.faults) = (server, address, clock, faults)
        (self.life, self.draw) = (life, draw)
    }

    func execute(
        _ request: HTTPClientRequest, sendsContents: Bool, deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        let request = try await SimulatedServer.Request(request, at: address)
        return try await life.wait { (end: @escaping (Result<HTTPClientResponse, any Error>) -> Void) in
            let lost = Result<HTTPClientResponse, any Error>.failure(HTTPClientError.remoteConnectionClosed)
            if happens(faults.lostRequest) {
                if server.manner.writesInPlace, draw(2) == 0 { server.breakOff(request) }
                return clock.after(latency()) { end(lost) }
            }
            let isLost = happens(faults.lostReply)
            if happens(faults.doubled) {
                // It was on its way for long, and nobody waits for it any more.
                clock.after(latency() + draw(8000)) { [self] in perform(request) { _ in } }
            }
            // The connection ends, and what was sent goes on to the server all the same.
            let isLeftAlone = isLost && draw(2) == 0
            if isLeftAlone { clock.after(latency()) { end(lost) } }
            let delay = isLeftAlone ? draw(8000) : happens(faults.slow) ? draw(6000) : 0
            clock.after(latency() + delay) { [self] in
                if happens(faults.transient) {
                    let answer = server.busy()
                    return clock.after(latency()) { end(.success(answer)) }
                }
                perform(request) { [self] answer in
                    clock.after(latency()) { end(isLost ? lost : .success(answer)) }
                }
            }
        }
    }

    func shutdown() async {}

    /// It takes a while: others are served meanwhile.
    private func perform(_ request: SimulatedServer.Request, _ end: @escaping (HTTPClientResponse) -> Void) {
        if let refusal = server.arrive(request) { return end(refusal) }
        clock.after(1 + draw(request.method == .PUT ? 300 : 5)) { [server] in end(server.finish(request)) }
    }

    private func happens(_ once: Int) -> Bool { once > 0 && clock.isFaulty() && draw(once * 3) == 0 }

    private func latency() -> Int { 1 + draw(20) }
}
