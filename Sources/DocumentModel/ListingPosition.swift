/// Where a name stands in the listing of a mounted folder: the same in each listing, whatever else is in it.
package enum ListingPosition {
    /// At least 3: 1 and 2 are of the folder itself and the one around it.
    package static func of(_ name: String) -> Int {
        // FNV-1a with 64 bits.
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        return max(Int(hash >> 2), 3)
    }
}
