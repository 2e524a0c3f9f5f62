import DocumentModel
import FileCoordination
import Testing

@testable import DocumentHost

@Suite("What one process may have in use") struct AccessQuotaTests {
    private let one = ClaimOwner(id: 1, name: "one")
    private let two = ClaimOwner(id: 2, name: "two")

    @Test("Connections of one process share its quota, and others have their own")
    func sharedByProcess() throws {
        let quota = AccessQuota(limit: 3)
        let other = ClaimOwner(id: 3, name: "other")
        for tool in [one, two] { quota.connected(tool, process: 10) }
        quota.connected(other, process: 11)
        let share = try quota.take(2, for: one)
        #expect(throws: DocumentError.self) { try quota.take(2, for: two) }
        _ = try quota.take(3, for: other)
        quota.giveBack(share)
        _ = try quota.take(3, for: two)
    }

    @Test("What is given back after the connection has ended is its process's, too")
    func afterTheEnd() throws {
        let quota = AccessQuota(limit: 3)
        for tool in [one, two] { quota.connected(tool, process: 10) }
        let share = try quota.take(3, for: one)
        quota.disconnected(one)
        #expect(throws: DocumentError.self) { try quota.take(1, for: two) }
        quota.giveBack(share)
        _ = try quota.take(3, for: two)
    }
}
