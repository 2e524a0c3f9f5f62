package import SystemPackage

/// One end of a two-way stream of bytes that a ``Connection`` runs over. Nothing of it blocks.
package protocol TransportEnd: Sendable {
    /// Begins to tell the observer what the end is ready for, for as long as there is interest in it. The interest is
    /// in reading, to begin with.
    func start(_ observer: any TransportObserver) throws(Errno)

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome

    /// Takes as many of the bytes as there is room for.
    func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome

    /// The same, with a descriptor that comes to the other side with the first of the bytes. It stays this side's, too.
    func write(_ bytes: UnsafeRawBufferPointer, passing descriptor: PassedDescriptor) -> TransportOutcome

    /// Takes out the descriptors that came with what was read so far, in their order.
    func takeDescriptors() -> [PassedDescriptor]

    /// What to be told of. Once the other side has hung up, and once a stream has ended, nobody is told of it again.
    func setInterest(reading: Bool, writing: Bool)

    /// Closes both directions. May be called from anywhere, and more than once.
    func close()
}

extension TransportEnd {
    // Only sockets can pass descriptors, and what behaves as they do.

    package func write(_ bytes: UnsafeRawBufferPointer, passing descriptor: PassedDescriptor) -> TransportOutcome {
        .failed(.notSupported)
    }

    package func takeDescriptors() -> [PassedDescriptor] { [] }
}

package enum TransportOutcome: Hashable, Sendable {
    case bytes(Int)
    case wouldBlock
    /// Nothing will ever come. Of a write: nobody will ever read.
    case ended
    case failed(Errno)
}

package struct TransportReadiness: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There are bytes to read, or the end of the stream.
    package static let readable = TransportReadiness(rawValue: 1)
    package static let writable = TransportReadiness(rawValue: 2)
    /// Nobody reads what is written.
    package static let hungUp = TransportReadiness(rawValue: 4)
}

/// Is told what an end is ready for, on the thread of the loop. Must not block.
package protocol TransportObserver: AnyObject, Sendable {
    func endIsReady(_ readiness: TransportReadiness)

    /// Reads, if there is something to read.
    ///
    /// - Returns: whether there was.
    func readAhead() -> Bool
}
