import DocumentModel
import DocumentTransport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test(arguments: EndKind.allCases)
    func requestIsAnswered(over kind: EndKind) async throws {
        try await ConnectionPair.with(kind, provider: Answering { body, _ in body.reversed() }) { pair, _ in
            let answer = try await pair.host.request([1, 2, 3], deadline: .none)
            #expect(answer == [3, 2, 1])
        }
    }

    @Test(arguments: EndKind.allCases)
    func manyRequestsAreAnsweredAtOnce(over kind: EndKind) async throws {
        try await ConnectionPair.with(
            kind,
            provider: Answering { body, _ in
                if body.first == 0 { await Task.yield() }
                return body
            }
        ) { pair, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let body = [UInt8(number % 3), UInt8(number & 0xFF), UInt8(number >> 8)]
                        let answer = try await pair.host.request(body, deadline: .total(.seconds(30)))
                        #expect(answer == body)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
