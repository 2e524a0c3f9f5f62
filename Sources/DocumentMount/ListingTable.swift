/// Which folders' names the kernel may keep, and from which of a folder's opens: a pure state machine.
///
/// The kernel keeps what it was told through opens that let it, and hands that to other such opens; it lets go of it when one
/// of them does not say that it may be kept. A program that is in the middle of what is kept then goes on at the same place
/// of what the kernel is told next, or ends there when that place is gone. So what is kept is only given up when nobody is
/// in the middle of it; whoever comes before that reads what there is now, and the kernel keeps nothing of that.
package struct ListingTable: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How a folder is opened.
    package enum Opening: Hashable, Sendable {
        /// Nothing of it is kept, or handed on.
        case plain
        /// What the kernel is told is kept; what it knew is not.
        case filling
        /// What the kernel knows is handed on.
        case keeping
    }

    private struct Listing {
        /// Whether all that the kernel keeps is still so.
        var isStill = true
        /// Whether it was told to the end.
        var isWhole = false
        /// From then on the kernel has to ask about each of the names anyway; nil: it was told nothing yet.
        var end: Instant?
        /// Opens that have a part in it.
        var users = 1
    }

    private var listings: [UInt64: Listing] = [:]

    package init() {}

    /// How many folders something is known of.
    package var count: Int { listings.count }

    /// A program opens a folder.
    package mutating func open(_ folder: UInt64, at now: Instant) -> Opening {
        if let listing = listings[folder] {
            if listing.isStill, listing.isWhole, listing.end.map({ now < $0 }) ?? false {
                listings[folder]?.users += 1
                return .keeping
            }
            if listing.users > 0 { return .plain }
        }
        listings[folder] = Listing()
        return .filling
    }

    /// The kernel is told what is in a folder, or a part of it, through an open that lets it keep that.
    ///
    /// - Parameters:
    ///   - isStill: whether nothing has happened since it was looked at.
    ///   - isEnd: whether nothing comes after it.
    ///   - end: until when the kernel may keep what it is told of each name.
    package mutating func told(_ folder: UInt64, isStill: Bool, isEnd: Bool, until end: Instant) {
        guard let listing = listings[folder] else { return }
        listings[folder]?.isStill = listing.isStill && isStill
        listings[folder]?.isWhole = listing.isWhole || isEnd
        listings[folder]?.end = min(listing.end ?? end, end)
    }

    /// A program closes a folder that was not opened plainly.
    package mutating func close(_ folder: UInt64) {
        guard let listing = listings[folder], listing.users > 0 else { return }
        listings[folder]?.users -= 1
        if listing.users == 1, !listing.isStill || !listing.isWhole { listings[folder] = nil }
    }

    /// Something has appeared in a folder, or gone, or has another name: before any program is told so.
    package mutating func changed(_ folder: UInt64) {
        listings[folder]?.isStill = false
        if listings[folder]?.users == 0 { listings[folder] = nil }
    }

    /// Anything may have happened anywhere.
    package mutating func changedEverywhere() { for folder in Array(listings.keys) { changed(folder) } }

    /// The kernel does not know the folder any more.
    package mutating func forget(_ folder: UInt64) { listings[folder] = nil }
}
