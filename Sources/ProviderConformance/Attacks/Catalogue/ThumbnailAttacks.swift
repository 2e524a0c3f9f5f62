import DocumentModel

/// Providers whose thumbnails are not what was asked for.
extension HostAttack {
    static let thumbnails: [HostAttack] = [
        thumbnail("001", "gives a thumbnail of more than a megabyte", "thumbnail-too-large", broken),
        thumbnail("002", "gives a thumbnail and calls it a JPEG", "thumbnail-of-another-type", broken),
        thumbnail("003", "gives a thumbnail that is no picture", "thumbnail-is-text", broken),
        thumbnail("004", "gives a thumbnail of two thousand million pixels in a row", "thumbnail-bomb", broken),
        thumbnail("005", "gives a thumbnail that is larger than was asked for", "thumbnail-too-wide", broken),
        thumbnail("006", "gives a WebP whose picture is larger than its canvas", "thumbnail-in-a-canvas", broken),
        thumbnail("007", "gives a thumbnail of other contents", "thumbnail-of-another-version", broken),
        thumbnail("008", "gives a thumbnail that nobody asked for", "thumbnail-of-a-stranger", broken),
        thumbnail("009", "gives a thumbnail twice", "thumbnail-twice", broken),
        thumbnail("010", "answers for none of the items", "thumbnail-nothing", broken),
        thumbnail(
            "011", "says of an item neither that it has a thumbnail nor that it has none", "thumbnail-open", broken),
        thumbnail(
            "012", "fails one thumbnail with a code that only the host may use", "thumbnail-reserved-code", broken,
            rule: "WIRE-31"),
        thumbnail(
            "013", "never answers for thumbnails", "thumbnail-never", .failure([.deadlineExceeded]), rule: "WIRE-28"),
        thumbnail(
            "014", "dies over thumbnails", "thumbnail-dies", .failure([.providerDied, .providerUnavailable]),
            rule: "WIRE-56"),
        thumbnail(
            "015", "claims thumbnails, and does not know the call", "thumbnail-unknown", .success, rule: "WIRE-9"),
        thumbnail("016", "answers for one item at a time, which it may", "thumbnail-one-by-one", .success),
        thumbnail(
            "017", "has no thumbnail, and says so in words that rewrite the terminal", "thumbnail-moves-the-cursor",
            .failure([.internal]), rule: "WIRE-29"),
    ]

    private static let broken = HostExpectation.failure([.contractBroken])

    private static func thumbnail(
        _ number: String, _ deed: String, _ behaviour: String, _ expectation: HostExpectation, rule: String = "PICK-17"
    ) -> HostAttack {
        HostAttack(
            "HA-THUMB-" + number, "A host stands a provider that " + deed, rule: rule, behaviour: behaviour,
            asking: .thumbnails, expecting: expectation, capabilities: [.thumbnails])
    }
}
