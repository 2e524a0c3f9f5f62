import DocumentTransport

/// One request at a time, host to provider and back, between two processes.
struct RequestAndAnswer: BenchmarkRow {
    let name = "request and answer"
    let floor = "64-byte pipe ping-pong"
    let unit = "µs"
    let aim = Aim.ratioAtMost(1.3)

    func measure(rounds: Int) async throws -> [Round] {
        let floor = try PingPong()
        defer { floor.stop() }
        return try await EchoConnection.with { echo in
            var results: [Round] = []
            for round in 0..<rounds + 2 {
                let floorTime = floor.measure(5_000)
                let time = try await echo.sequential(5_000)
                // The first two rounds warm up.
                if round >= 2 { results.append(Round(figure: time, floor: floorTime)) }
            }
            return results
        }
    }
}
