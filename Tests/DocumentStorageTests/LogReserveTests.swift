import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

struct LogReserveTests {
    @Test("The log is given a quarter of what is free, again and again, and never more than all of its reserve")
    func shares() {
        var reserve = LogReserve()
        #expect(reserve.next(available: 0) == nil)
        #expect(reserve.next(available: -1) == nil)
        #expect(reserve.next(available: 8 << 20) == 2 << 20)
        reserve.given(2 << 20)
        #expect(reserve.next(available: 8 << 20) == 4 << 20)
        #expect(reserve.next(available: 1 << 40) == LogReserve.most)
        reserve.given(LogReserve.most)
        #expect(reserve.next(available: 1 << 40) == nil)
        reserve.lost()
        #expect(reserve.next(available: 1 << 40) == LogReserve.most)
    }

    @Test("What could not be set aside is tried again now and then, and not at all once it is there")
    func patience() {
        var reserve = LogReserve()
        let due = (1...2 * LogReserve.patience).filter { _ in reserve.wrote() }
        #expect(due == [LogReserve.patience, 2 * LogReserve.patience])
        reserve.impossible()
        let isDue = (0..<200).contains { _ in reserve.wrote() }
        #expect(!isDue)
    }

    /// Of what a file has on the disk, whatever its size is.
    private func allocated(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : -1
    }

    @Test("The index's log has its room from the start, and again when deleted things were erased")
    func onDisk() throws {
        let storage = try StorageFixture()
        let log = storage.rootPath.appending(".docent/index.sqlite-wal").string
        #expect(allocated(log) >= LogReserve.most)
        try storage.tell(storage.item("a", "a.txt"))
        try storage.index.eraseDeleted()
        #expect(allocated(log) >= LogReserve.most)
    }
}
