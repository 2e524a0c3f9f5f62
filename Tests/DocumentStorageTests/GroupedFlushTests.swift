import Foundation
import Synchronization
import Testing

@testable import DocumentStorage

/// One flush for many who want it at once.
struct GroupedFlushTests {
    @Test("Who asks while a flush is under way is served by the next one, together with all others; never by that one")
    func grouped() {
        let flush = GroupedFlush()
        let flushes = Mutex(0)
        let (begun, goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        let queue = DispatchQueue(label: "flushes", attributes: .concurrent)
        queue.async(group: done) {
            flush.run {
                flushes.withLock { $0 += 1 }
                begun.signal()
                goOn.wait()
            }
        }
        begun.wait()
        for _ in 0..<5 {
            queue.async(group: done) { flush.run { flushes.withLock { $0 += 1 } } }
        }
        while flush.count < 6 { usleep(1_000) }
        goOn.signal()
        done.wait()
        #expect(flushes.withLock { $0 } == 2)
    }

    @Test("A flush that fails serves nobody")
    func failing() throws {
        struct Failure: Error {}
        let flush = GroupedFlush()
        #expect(throws: Failure.self) { try flush.run { throw Failure() } }
        var isRun = false
        flush.run { isRun = true }
        #expect(isRun)
    }
}
