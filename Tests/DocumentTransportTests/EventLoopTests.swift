import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentTransport

@Suite(.timeLimit(.minutes(1)))
struct EventLoopTests {
    /// A loop for as long as the body runs.
    private func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async rethrows -> Result {
        let loop = EventLoop(name: "test loop")
        defer { loop.shutdown() }
        return try await body(loop)
    }

    @Test func tasksRunOnTheThreadOfTheLoop() async {
        await withLoop { loop in
            let threads = await withTaskExecutorPreference(loop) {
                var threads: Set<UInt> = []
                for _ in 0..<100 {
                    threads.insert(UInt(pthread_self()))
                    await Task.yield()
                }
                return threads
            }
            #expect(threads.count == 1)
            #expect(!threads.contains(UInt(pthread_self())))
        }
    }

    @Test func jobsThatTheLoopGivesItselfWakeNobody() async {
        await withLoop { loop in
            let before = loop.poller.rings.load(ordering: .relaxed)
            await withTaskExecutorPreference(loop) {
                for _ in 0..<1000 { await Task.yield() }
            }
            let after = loop.poller.rings.load(ordering: .relaxed)
            // One to get there; a hand-over on a busy machine may cost another one.
            #expect(after - before < 10)
        }
    }

    @Test func timersGoOffInOrderAndNotBeforeTheirTime() async {
        await withLoop { loop in
            let order = Numbers()
            let start = MonotonicTime.now()
            await withTaskGroup { group in
                for delay in [30, 10, 20] {
                    group.addTask { @Sendable in
                        await loop.sleep(until: start + .milliseconds(delay))
                        #expect(MonotonicTime.now() >= start + .milliseconds(delay))
                        order.append(delay)
                    }
                }
                await group.waitForAll()
            }
            #expect(order.sorted == [10, 20, 30])
        }
    }

    @Test func cancelledTimerDoesNotGoOff() async {
        await withLoop { loop in
            let wentOff = Mutex(false)
            let key = loop.schedule(at: .now() + .milliseconds(20)) { wentOff.withLock { $0 = true } }
            loop.cancel(key)
            await loop.sleep(until: .now() + .milliseconds(40))
            #expect(!wentOff.withLock { $0 })
        }
    }

    /// The loop is handed to another thread, so that a job that blocks stops nobody but itself.
    @Test func jobsThatBlockDoNotStopTheLoop() async throws {
        try await withLoop { loop in
            let isBlocked = Mutex(true)
            let done = Mutex(0)
            for _ in 0..<5 {
                loop.execute {
                    while isBlocked.withLock({ $0 }) { usleep(500) }
                    done.withLock { $0 += 1 }
                }
            }
            for _ in 0..<20 {
                await withUnsafeContinuation { continuation in loop.execute { continuation.resume() } }
            }
            #expect(done.withLock { $0 } == 0)
            // Timers and descriptors are served as well.
            await loop.sleep(until: .now() + .milliseconds(1))
            isBlocked.withLock { $0 = false }
            try await eventually("the blocked jobs") { done.withLock { $0 } == 5 }
        }
    }

    @Test func everyJobRunsExactlyOnceThoughTheLoopIsHandedOn() async throws {
        try await withLoop { loop in
            let counts = Mutex([Int](repeating: 0, count: 400))
            for index in 0..<400 {
                loop.execute {
                    if index % 40 == 0 { usleep(8_000) }
                    counts.withLock { $0[index] += 1 }
                }
            }
            try await eventually("400 jobs") { counts.withLock { $0.reduce(0, +) } >= 400 }
            #expect(counts.withLock { $0.allSatisfy { $0 == 1 } })
        }
    }

    /// While jobs follow one another without end, the loop looked only at the descriptor that was busy last: a provider whose
    /// handler yields for ever did not see that its host had gone, and no deadline passed.
    @Test func timersAndDescriptorsAreServedThoughThereIsAlwaysAnotherJob() async throws {
        let (busy, other) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
        let (first, second) = (ReadingHandler(busy.readEnd), ReadingHandler(other.readEnd))
        try await withLoop { loop in
            let key = try loop.register(busy.readEnd.rawValue, .reading, first).get()
            let otherKey = try loop.register(other.readEnd.rawValue, .reading, second).get()
            let isOver = Mutex(false)
            let spinning = Task(executorPreference: loop) {
                while !isOver.withLock({ $0 }) { await Task.yield() }
            }
            defer { isOver.withLock { $0 = true } }
            _ = try busy.writeEnd.writeAll([1])
            try await eventually("the descriptor that is then the one that was busy last") { first.count == 1 }
            let hasRung = Mutex(false)
            loop.wake(at: .now() + .milliseconds(1)) { hasRung.withLock { $0 = true } }
            _ = try other.writeEnd.writeAll([1])
            try await eventually("the other descriptor") { second.count == 1 }
            try await eventually("the timer") { hasRung.withLock { $0 } }
            isOver.withLock { $0 = true }
            await spinning.value
            loop.unregister(busy.readEnd.rawValue, key)
            loop.unregister(other.readEnd.rawValue, otherKey)
        }
        for end in [busy.readEnd, busy.writeEnd, other.readEnd, other.writeEnd] { try end.close() }
    }

    @Test func shutdownRunsWhatIsQueuedAndEndsEveryThread() async throws {
        let name = "ending loop"
        let ran = Mutex(0)
        let loop = EventLoop(name: name)
        for index in 0..<50 {
            loop.execute {
                // Some spare threads come to be.
                if index < 3 { usleep(8_000) }
                ran.withLock { $0 += 1 }
            }
        }
        loop.shutdown()
        #expect(ran.withLock { $0 } == 50)
        #expect(threadCount(named: name) == 0)
        // A task that still prefers it runs elsewhere.
        let late = await withTaskExecutorPreference(loop) {
            await Task.yield()
            return 7
        }
        #expect(late == 7)
        loop.shutdown()
    }

    @Test func taskThatRunsOnALoopCanEndItAndGoesOnElsewhere() async {
        let name = "left loop"
        let loop = EventLoop(name: name)
        let count = await Task(executorPreference: loop) {
            await loop.end()
            return threadCount(named: name)
        }.value
        #expect(count == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func whoeverIsToBeWokenIsWokenAlsoWhenTheLoopHasEnded() async {
        let loop = EventLoop(name: "waking loop")
        let (woken, wakes) = AsyncStream.makeStream(of: Int.self)
        loop.wake(at: MonotonicTime.now() + Duration.milliseconds(300)) { wakes.yield(1) }
        loop.shutdown()
        loop.wake(at: MonotonicTime.now() + Duration.milliseconds(10)) { wakes.yield(2) }
        await loop.sleep(until: MonotonicTime.now() + Duration.milliseconds(10))
        var seen: Set<Int> = []
        for await number in woken {
            seen.insert(number)
            if seen.count == 2 { break }
        }
        #expect(seen == [1, 2])
        loop.shutdown()
    }

    @Test(arguments: [true, false])
    func whoeverPausesGoesOnAlsoWhenTheLoopHasEnded(endsWhenCancelled: Bool) async {
        let loop = EventLoop(name: "pausing loop")
        let isOver = Mutex(false)
        let paused = Task {
            await pause(loop, .milliseconds(500), endsWhenCancelled)
            isOver.withLock { $0 = true }
        }
        while loop.state.withLock({ $0.timers.isEmpty }), !isOver.withLock({ $0 }) { await Task.yield() }
        loop.shutdown()
        await paused.value
        let begin = MonotonicTime.now()
        await pause(loop, .milliseconds(20), endsWhenCancelled)
        // It is a pause still, not the end of all pauses.
        #expect(MonotonicTime.now().since(begin) >= .milliseconds(10))
    }

    private func pause(_ loop: EventLoop, _ duration: Duration, _ endsWhenCancelled: Bool) async {
        if endsWhenCancelled { await loop.pauseUnlessCancelled(duration) } else { await loop.pause(duration) }
    }

    private func threadCount(named name: String) -> Int {
        guard let folder = opendir("/proc/self/task") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let id = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let file = try? FileDescriptor.open(FilePath("/proc/self/task/\(id)/comm"), .readOnly)
            guard let file else { continue }
            defer { try? file.close() }
            var bytes = [UInt8](repeating: 0, count: 32)
            let read = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
            if String(decoding: bytes.prefix(max(read - 1, 0)), as: UTF8.self) == name { count += 1 }
        }
        return count
    }
}

/// Counts the bytes that come.
private final class ReadingHandler: LoopEventHandler {
    private let descriptor: FileDescriptor
    private let read = Mutex(0)

    init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        _ = fcntl(descriptor.rawValue, F_SETFL, O_NONBLOCK)
    }

    var count: Int { read.withLock { $0 } }

    func ready(_ readiness: Poller.Readiness) {
        _ = readAhead()
    }

    func readAhead() -> Bool {
        var byte: UInt8 = 0
        guard Glibc.read(descriptor.rawValue, &byte, 1) == 1 else { return false }
        read.withLock { $0 += 1 }
        return true
    }
}

@Suite(.timeLimit(.minutes(1)))
struct BlockingPoolTests {
    @Test func workOfOneThreadRunsInOrderAndNotOnTheCallersThread() async throws {
        let pool = BlockingPool(threads: 1, name: "pool")
        let order = Numbers()
        let isHeld = Mutex(true)
        async let first: Void = pool.run { while isHeld.withLock({ $0 }) { usleep(500) } }
        let threads = try await withThrowingTaskGroup(of: UInt.self) { group in
            for index in 0..<20 {
                group.addTask { @Sendable in
                    try await pool.run {
                        order.append(index)
                        return UInt(pthread_self())
                    }
                }
            }
            isHeld.withLock { $0 = false }
            return try await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        try await first
        #expect(threads.count == 1)
        #expect(order.sorted == Array(0..<20))
        pool.shutdown()
    }

    @Test func severalThreadsBlockSideBySide() async throws {
        let pool = BlockingPool(threads: 3, name: "pool")
        let meeting = Numbers()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { @Sendable in
                    try await pool.run {
                        meeting.append(1)
                        while meeting.sorted.count < 3 { usleep(500) }
                    }
                }
            }
            try await group.waitForAll()
        }
        pool.shutdown()
    }

    private struct Odd: Error {}

    @Test func errorsComeBack() async {
        let pool = BlockingPool(threads: 1, name: "pool")
        await #expect(throws: Odd.self) { try await pool.run { throw Odd() } }
        pool.shutdown()
        await #expect(throws: CancellationError.self) { try await pool.run {} }
    }
}

/// Numbers that several tasks gather.
private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])

    func append(_ number: Int) {
        numbers.withLock { $0.append(number) }
    }

    var sorted: [Int] { numbers.withLock { $0.sorted() } }
}

struct RequestTableTests {
    /// Whatever is done to it, it holds what a dictionary would.
    @Test func tableBehavesLikeADictionary() {
        var random = SeededGenerator(seed: 31)
        var table = RequestTable<Int>()
        var dictionary: [UInt64: Int] = [:]
        for step in 0..<50_000 {
            let id = UInt64.random(in: 1...120, using: &random) * (step % 3 == 0 ? 64 : 1)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                table[id] = step
                dictionary[id] = step
            case 1:
                #expect(table.removeValue(forKey: id) == dictionary.removeValue(forKey: id))
            default:
                #expect(table[id] == dictionary[id])
            }
            #expect(table.count == dictionary.count)
        }
        #expect(table.entries.map(\.id).sorted() == dictionary.keys.sorted())
    }
}
