/// Where a name stands in the listing of a mounted folder: the same in each listing, whatever else is in it.
package enum ListingPosition {
    /// At least 3: 1 and 2 are of the folder itself and the one around it.
    package static func of(_ name: String) -> Int {
        max(Int(StableHash(name.utf8).value >> 2), 3)
    }
}
