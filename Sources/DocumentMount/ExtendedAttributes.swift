package import DocumentModel

/// What `getfattr -n` shows of each item: where it stands between here and its provider. To be read by name only: what is
/// listed, copies take along, and of a copy it says nothing.
package enum ExtendedAttributes {
    /// What all ours begin with.
    static let prefix = "user.docent."

    package static func isOurs(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Whether it is one that programs may set on a document's file.
    package static func isForeign(_ name: String) -> Bool { name.hasPrefix("user.") && !isOurs(name) }

    /// - Returns: nil for an attribute that the item does not have.
    package static func value(of name: String, _ status: ItemStatus) -> String? {
        switch name {
        case prefix + "location": status.location.description
        case prefix + "state": status.state.rawValue
        case prefix + "version": hexadecimal(status.item.version.content)
        case prefix + "waiting": waiting(status)
        default: transferValue(of: name, status)
        }
    }

    /// Where the contents of a document stand beside the remote's (XFER-8).
    private static func transferValue(of name: String, _ status: ItemStatus) -> String? {
        guard status.item.kind == .document else { return nil }
        return switch name {
        case prefix + "downloadingStatus": status.downloadingStatus.rawValue
        case prefix + "downloadRequested": "\(status.transfers.isDownloadRequested)"
        case prefix + "hasUnresolvedConflicts": "\(status.hasUnresolvedConflicts)"
        case prefix + "isExcludedFromSync": "\(status.isExcludedFromSync)"
        case prefix + "downloadingError": status.downloadingError.map(text)
        case prefix + "uploadingError": status.uploadingError.map(text)
        default: nil
        }
    }

    private static func text(_ error: DocumentError) -> String { "\(error.code): \(error.message)" }

    /// What its contents or its changes wait for, and why.
    private static func waiting(_ status: ItemStatus) -> String? {
        let transfers = [status.transfers.upload, status.transfers.download].compactMap { $0 }
        let problem = transfers.compactMap(\.problem).first ?? status.problem
        let wait = transfers.compactMap(\.wait).first?.rawValue
        guard wait != nil || problem != nil else { return nil }
        let rule = status.marks.ignoredBy.map { "the ignore rule “\($0)” keeps it here" }
        return [wait, rule ?? problem?.message].compactMap { $0 }.joined(separator: ": ")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String? {
        if bytes.isEmpty { return nil }
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
