import DocumentModel
import DocumentWire

/// The capability “quota”: numbers that can be, each time.
enum QuotaChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-QUOTA-001", .must, "GetQuota is answered with numbers that can be, or with none",
            rule: .provider("GetQuotaAnswer"), needs: [.quota]
        ) { context in
            try await context.withSession { session in
                for _ in 0..<3 { _ = try await session.quota() }
            }
        },
        ConformanceCheck(
            "PC-QUOTA-002", .should, "What a remote tells of its room it tells each time",
            rule: .provider("GetQuota"), needs: [.quota]
        ) { context in
            try await context.withSession { session in
                let first = try await session.quota()
                let second = try await session.quota()
                let told = [first, second].map { [$0.total, $0.used, $0.available].map { $0 != nil } }
                try expect(
                    told[0] == told[1], "Of two answers, one tells what the other leaves out.",
                    detail: "\(first); \(second)")
            }
        },
        ConformanceCheck(
            "PC-QUOTA-003", .must, "A cancelled request for the room gets its one final frame",
            rule: .frame("Cancel"), needs: [.quota]
        ) { context in
            try await context.withRawSession { raw in
                for round in 0..<5 as Range<UInt64> {
                    let id = round * 2 + 1
                    try await raw.ask(id, .quota)
                    try await raw.send(Frame(id: id, .cancel))
                    try CancelChecks.expectFinal(try await raw.finalFrame(of: id))
                }
                try await CancelChecks.expectSilence(raw)
            }
        },
    ]
}
