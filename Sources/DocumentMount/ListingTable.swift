/// Which folders' names the kernel may go on using when a program opens the folder again: a pure state machine.
///
/// The kernel keeps what it was told when it last read a folder to its end, and lets go of it when an open does not say that
/// it may keep it. So that is said only where nothing has appeared or gone since the oldest answer that it may have.
package struct ListingTable: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private struct Listing {
        /// Whether all that the kernel was told since it let go is still so.
        var isStill: Bool
        /// From then on the kernel has to ask about each of the names anyway.
        var end: Instant
    }

    private var listings: [UInt64: Listing] = [:]

    package init() {}

    /// How many folders something is known of.
    package var count: Int { listings.count }

    /// A program opens a folder.
    ///
    /// - Returns: whether the kernel may keep what it knows of it. If not, it lets go of it.
    package mutating func opened(_ folder: UInt64, at now: Instant) -> Bool {
        if let listing = listings[folder], listing.isStill, now < listing.end { return true }
        listings[folder] = nil
        return false
    }

    /// The kernel is told what is in a folder, or a part of it.
    ///
    /// - Parameters:
    ///   - isStill: whether nothing has happened since it was looked at.
    ///   - end: until when the kernel may keep what it is told of each name.
    package mutating func told(_ folder: UInt64, isStill: Bool, until end: Instant) {
        let before = listings[folder] ?? Listing(isStill: true, end: end)
        listings[folder] = Listing(isStill: before.isStill && isStill, end: min(before.end, end))
    }

    /// Something has appeared in a folder, or gone, or has another name.
    package mutating func changed(_ folder: UInt64) { listings[folder]?.isStill = false }

    /// Anything may have happened anywhere.
    package mutating func changedEverywhere() {
        for folder in listings.keys { listings[folder]?.isStill = false }
    }

    /// The kernel does not know the folder any more.
    package mutating func forget(_ folder: UInt64) { listings[folder] = nil }
}
