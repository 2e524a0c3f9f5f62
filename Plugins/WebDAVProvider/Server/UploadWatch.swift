internal import AsyncHTTPClient
internal import NIOCore
internal import Synchronization

/// Notices that a server takes nothing more of what it is sent. The HTTP library's own limit stands still while it waits to
/// write.
struct UploadWatch: Sendable {
    /// Parts on their way, counted as they are taken.
    struct CountedParts<Parts: AsyncSequence & Sendable>: AsyncSequence, Sendable where Parts.Element == ByteBuffer {
        fileprivate let parts: Parts
        fileprivate let count: Count

        func makeAsyncIterator() -> Iterator { Iterator(parts: parts.makeAsyncIterator(), count: count) }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var parts: Parts.AsyncIterator
            fileprivate let count: Count

            mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
                count.increase()
                let part = try await parts.next(isolation: actor)
                if part == nil { count.end() }
                return part
            }

            mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }
        }
    }

    fileprivate final class Count: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func increase() { count.add(1, ordering: .relaxed) }

        private let hasEnd = Atomic(false)
        /// Whether the last part was taken.
        var hasEnded: Bool { hasEnd.load(ordering: .relaxed) }
        func end() { hasEnd.store(true, ordering: .relaxed) }
    }

    private let count = Count()
    private let timing: Timing
    /// Told from time to time while all was taken, and the answer is waited for.
    var isWaiting: @Sendable () -> Void = {}

    init(_ timing: Timing) {
        self.timing = timing
    }

    func counting<Parts: AsyncSequence & Sendable>(_ parts: Parts) -> CountedParts<Parts>
    where Parts.Element == ByteBuffer {
        CountedParts(parts: parts, count: count)
    }

    /// Makes a request, unless for too long nothing more of it is taken.
    ///
    /// - Throws: also `ServerFailure.interrupted`.
    func over(_ execute: @escaping @Sendable () async throws -> HTTPClientResponse) async throws -> HTTPClientResponse {
        try await withThrowingTaskGroup(of: HTTPClientResponse?.self) { group in
            group.addTask { try await execute() }
            group.addTask { [self] in
                while true {
                    let before = count.value
                    // What was taken last may wait in the system for a while before the answer is waited for.
                    try await pause(timing.silence * 2 + (count.hasEnded ? timing.digesting : .zero))
                    if count.value == before { return nil }
                }
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() ?? nil else {
                throw ServerFailure.interrupted("it takes nothing more of what it is sent")
            }
            return response
        }
    }

    /// Whoever waits for the request is told that it goes on: what takes long is no stall.
    private func pause(_ whole: Duration) async throws {
        var rest = whole
        while rest > .zero {
            let part = min(rest, timing.sign)
            try await timing.pause(part)
            rest -= part
            if count.hasEnded { isWaiting() }
        }
    }
}
