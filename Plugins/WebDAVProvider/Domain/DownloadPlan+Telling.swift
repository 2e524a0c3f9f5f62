extension DownloadPlan.Head {
    /// What an answer with contents says of their version; nil when it does not name one, or when a second change could look
    /// like the first (RS-2).
    ///
    /// - Parameter settling: how old contents have to be, by the server's clock, to have their date for themselves.
    func properties(settledAfter settling: Duration, hasExactTags: Bool) -> Properties? {
        guard status == 200, !isEncoded, let length, let modified = modified.flatMap(DateText.http) else { return nil }
        var told = Properties()
        (told.length, told.modified, told.tag) = (length, modified, tag)
        if hasExactTags, tag?.condition != nil { return told }
        guard let date, Properties.isSettled(modified, at: date, after: settling) else { return nil }
        return told
    }
}

extension Properties {
    /// Whether a change from now on would have another date.
    ///
    /// - Parameters:
    ///   - modified: the date that it has, in seconds since 1970.
    ///   - date: the server's clock.
    static func isSettled(_ modified: Int64, at date: Int64, after settling: Duration) -> Bool {
        // A date in the future is not one that a change would get now.
        !(-2..<settling.components.seconds).contains(date - modified)
    }

    /// Whether this is the version that was told with contents. A tag that is told with contents only is no difference: nginx
    /// names none when it lists.
    func agrees(with told: Properties) -> Bool {
        (length == nil || length == told.length) && modified == told.modified
            && (tag == nil || tag?.opaque == told.tag?.opaque)
    }
}
