import Synchronization

/// How deep in the stack something is called, time after time; to be called in the same way by the same thread.
package final class StackMarks: Sendable {
    private let places = Mutex<[Int]>([])

    package init() {}

    package func mark() {
        var here = 0
        let place = withUnsafePointer(to: &here) { Int(bitPattern: $0) }
        places.withLock { $0.append(place) }
    }

    package var count: Int { places.withLock { $0.count } }

    /// In bytes, by how much the last call was deeper than the first one.
    package var growth: Int {
        places.withLock { places in
            guard let first = places.first, let last = places.last else { return 0 }
            return first - last
        }
    }
}
