import DocumentTransport

/// As many requests in flight as the protocol allows, between two processes.
struct PipelinedRequests: BenchmarkRow {
    let name = "pipelined requests"
    let floor = "64-byte pipe ping-pongs"
    let unit = "/s"
    let aim = Aim.figureAtLeast(300_000)

    func measure(rounds: Int) async throws -> [Round] {
        let floor = try PingPong()
        defer { floor.stop() }
        return try await EchoConnection.with { echo in
            var results: [Round] = []
            for round in 0..<rounds + 2 {
                let floorRate = 1e6 / floor.measure(5_000)
                let rate = try await echo.pipelined(100_000, tasks: 64)
                if round >= 2 { results.append(Round(figure: rate, floor: floorRate)) }
            }
            return results
        }
    }
}
