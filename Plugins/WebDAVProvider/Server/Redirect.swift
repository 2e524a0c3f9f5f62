/// Where a server may send a request (RS-9): within its own origin, with method and body as they were.
enum Redirect {
    /// - Returns: the address to ask instead; nil when Docent does not go there.
    static func target(of location: String, from address: ServerAddress) -> String? {
        // A line feed or a blank in it would be somebody's attempt at more than an address.
        guard location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), location.utf8.count <= 8192 else { return nil }
        if location.hasPrefix("/") && !location.hasPrefix("//") { return address.origin + location }
        // The path is kept as the server wrote it; only the origin is looked at.
        let slashes = location.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard slashes.count >= 3, slashes[1].isEmpty,
            let origin = try? ServerAddress(slashes.prefix(3).joined(separator: "/")), origin.origin == address.origin
        else { return nil }
        return address.origin + "/" + (slashes.count > 3 ? slashes[3] : "")
    }
}
