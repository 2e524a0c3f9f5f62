/// What the kernel is still to be told of items' attributes and pages: one notice at a time of each. To tell it may take as long
/// as a program waits for us, and what comes meanwhile is told once, behind it. A pure state machine.
package struct NoticeTable: Sendable {
    package enum Extent: Comparable, Sendable {
        case attributes
        /// Attributes and pages.
        case contents
    }

    private struct Entry {
        /// Nil: only what is being told.
        var wanted: Extent?
        var isBeingTold = false
    }

    private var entries: [UInt64: Entry] = [:]

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// - Returns: whether somebody is to tell it, by ``begin(_:)``; else it is told with what waits already, or behind it.
    package mutating func add(_ extent: Extent, of node: UInt64) -> Bool {
        let known = entries[node]
        entries[node, default: Entry()].wanted = max(known?.wanted ?? extent, extent)
        return known == nil
    }

    /// - Returns: what is to be told now, to be followed by ``end(_:)``.
    package mutating func begin(_ node: UInt64) -> Extent? {
        guard let entry = entries[node], !entry.isBeingTold, let wanted = entry.wanted else { return nil }
        entries[node] = Entry(wanted: nil, isBeingTold: true)
        return wanted
    }

    /// It has been told.
    ///
    /// - Returns: whether somebody is to tell what has come meanwhile.
    package mutating func end(_ node: UInt64) -> Bool {
        guard entries[node]?.wanted != nil else {
            entries[node] = nil
            return false
        }
        entries[node]?.isBeingTold = false
        return true
    }
}
