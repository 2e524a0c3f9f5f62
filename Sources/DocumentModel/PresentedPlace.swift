/// Where what a presenter shows is.
package enum PresentedPlace: Hashable, Sendable {
    case item(Location)
    /// An absolute path of this machine, outside of all domains (CONT-7, CONT-9).
    case local(String)

    package var location: Location? {
        if case .item(let location) = self { location } else { nil }
    }

    package var localPath: String? {
        if case .local(let path) = self { path } else { nil }
    }
}
