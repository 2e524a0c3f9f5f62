import DocumentHost
import DocumentModel
import Testing

@Suite("How many connections one process may have") struct ConnectionQuotaTests {
    @Test("WIRE-49: a process that has as many connections as it may is refused another, and others are not")
    func bounded() throws {
        let quota = ConnectionQuota(limit: 2)
        try quota.take(process: 10)
        try quota.check(process: 10)
        try quota.take(process: 10)
        #expect(throws: DocumentError.self) { try quota.check(process: 10) }
        let error = #expect(throws: DocumentError.self) { try quota.take(process: 10) }
        #expect(error?.code == .busy)
        try quota.take(process: 11)
    }

    @Test("WIRE-49: a connection that has ended makes room for another")
    func givenBack() throws {
        let quota = ConnectionQuota(limit: 1)
        for _ in 0..<3 {
            try quota.take(process: 10)
            #expect(throws: DocumentError.self) { try quota.take(process: 10) }
            quota.giveBack(process: 10)
        }
    }
}
