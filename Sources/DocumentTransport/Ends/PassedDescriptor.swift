import Glibc

/// A descriptor on its way to the other side, or come from there. Closed when nobody holds it any more, unless it was taken.
///
/// Unchecked, since what is taken is taken by whoever holds the last reference.
package final class PassedDescriptor: @unchecked Sendable {
    package let rawValue: Int32
    private var isTaken = false

    /// - Parameter rawValue: belongs to this object from now on.
    package init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        if !isTaken { _ = Glibc.close(rawValue) }
    }

    /// Leaves the descriptor to the caller, who closes it. Once at most, and by the only one who still holds this.
    package func take() -> Int32 {
        isTaken = true
        return rawValue
    }
}
