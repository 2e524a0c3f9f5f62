package import DocumentModel

/// Who holds what, and what every wait waits for.
package enum CoordinationListing {
    /// Empty when nobody holds or waits for anything.
    package static func text(_ status: CoordinationStatus) -> String {
        section("In use", status.holdings) + section("Waiting", status.waits)
            + section("Did not answer", status.droppedPresenters)
    }

    private static func section(_ title: String, _ sentences: [String]) -> String {
        guard !sentences.isEmpty else { return "" }
        return "\n\(title):\n" + sentences.map { "  \(ErrorText.visible($0))\n" }.joined()
    }
}
