import DocumentClient
package import DocumentModel

/// Says of documents that somebody waits for that they are paused, and how that ends.
package enum PauseNotice {
    /// - Parameter asked: what somebody waits for: a document, or a folder with documents in it.
    /// - Returns: nil when nothing that is waited for is paused, as far as is known here.
    static func text(for asked: Location, _ client: DocumentClient) async throws(DocumentError) -> String? {
        let waiting = try await client.status(asked).items.filter { $0.transfers.download?.wait == .resume }
        guard let first = waiting.first(where: { $0.location == asked }) ?? waiting.first else { return nil }
        var paused = first.marks.isPausedItself ? first.location : nil
        var place = first.location
        while paused == nil, let around = place.parent {
            place = around
            // What cannot be looked up is not named.
            guard let status = try? await client.item(at: around) else { break }
            if status.marks.isPausedItself { paused = around }
        }
        return text(of: first.location, others: waiting.count - 1, pausedAt: paused)
    }

    /// - Parameters:
    ///   - others: how many documents wait for the same, beside the one that is named.
    ///   - place: what was paused: the document, a folder around it, or the domain; nil where that is not known.
    package static func text(of location: Location, others: Int, pausedAt place: Location?) -> String {
        let more = others == 0 ? "" : " (and \(Words.count(others, "more", "more")))"
        guard let place else {
            return "\(location)\(more) is paused: docent resume lets the folder around it, or its domain, go on."
        }
        let how = place == location ? "is paused" : "is paused with all of \(place)"
        return "\(location)\(more) \(how): docent resume \(ShellWord.quoted(place.description)) lets it go on."
    }
}
