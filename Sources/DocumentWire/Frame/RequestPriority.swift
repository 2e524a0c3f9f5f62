/// What keeps a request from standing behind those that wait for it: with each step there are more places.
package enum RequestPriority: UInt8, CaseIterable, Comparable, Sendable {
    case ordinary
    /// Asked inside of an access, or to answer a message: what others wait for does not end before.
    case nested
    /// Ends something, and waits for nobody.
    case ending

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
