/// An end in memory: what one end of a pair writes, the other one reads. Behaves as a pipe does: a bounded buffer,
/// partial writes, an end of stream.
package final class MemoryEnd: TransportEnd {
    private init() {}

    package static func pair(loop: EventLoop) -> (MemoryEnd, MemoryEnd) {
        (MemoryEnd(), MemoryEnd())
    }

    package func close() {}
}
