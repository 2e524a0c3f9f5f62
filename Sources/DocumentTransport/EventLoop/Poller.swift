import CDocentShims
import Glibc
import Synchronization
import SystemPackage

/// epoll, and an eventfd to be woken by.
final class Poller: Sendable {
    struct Interest: OptionSet, Sendable {
        let rawValue: UInt32

        static let reading = Interest(rawValue: UInt32(DOCENT_READABLE))
        static let writing = Interest(rawValue: UInt32(DOCENT_WRITABLE))
    }

    struct Readiness: OptionSet, Sendable {
        let rawValue: UInt32

        /// Bytes are there, or the end of the stream.
        static let readable = Readiness(rawValue: UInt32(DOCENT_READABLE))
        static let writable = Readiness(rawValue: UInt32(DOCENT_WRITABLE))
        /// The other side is gone: nobody writes any more, or nobody reads.
        static let hungUp = Readiness(rawValue: UInt32(DOCENT_HUNG_UP))
    }

    private let queue: Int32
    private let bell: Int32
    /// How often it was woken.
    let rings = Atomic<UInt64>(0)
    private static let bellKey: UInt64 = 0
    private static let capacity = 64

    /// In a process that has no descriptor left a poller is deaf: the descriptors given to it are refused, and a poll
    /// returns at once.
    init() {
        queue = docent_poller_create()
        bell = docent_bell_create()
        docent_poller_add(queue, bell, Interest.reading.rawValue, Self.bellKey)
    }

    deinit {
        close(bell)
        close(queue)
    }

    /// Ends the current or the next poll.
    func wake() {
        rings.add(1, ordering: .relaxed)
        docent_bell_ring(bell)
    }

    func add(_ descriptor: Int32, _ interest: Interest, _ key: UInt64) -> Errno? {
        let error = docent_poller_add(queue, descriptor, interest.rawValue, key)
        return error == 0 ? nil : Errno(rawValue: error)
    }

    func change(_ descriptor: Int32, _ interest: Interest, _ key: UInt64) {
        _ = docent_poller_change(queue, descriptor, interest.rawValue, key)
    }

    func remove(_ descriptor: Int32) {
        _ = docent_poller_remove(queue, descriptor)
    }

    /// Waits and hands out what is ready, without the bell.
    func poll(timeout: Int32, _ deliver: (UnsafeBufferPointer<docent_readiness>) -> Void) {
        withUnsafeTemporaryAllocation(of: docent_readiness.self, capacity: Self.capacity) { events in
            guard let start = events.baseAddress else { return }
            var count = Int(docent_poller_wait(queue, start, Int32(Self.capacity), timeout))
            if let index = (0..<count).first(where: { start[$0].key == Self.bellKey }) {
                docent_bell_silence(bell)
                start[index] = start[count - 1]
                count -= 1
            }
            deliver(UnsafeBufferPointer(start: start, count: count))
        }
    }
}
