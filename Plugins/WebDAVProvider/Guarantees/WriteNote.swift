/// What people are told of writing to the domain, in words.
enum WriteNote {
    /// - Parameter percent: how far it is.
    static func trying(_ percent: Int) -> String {
        "What the server guarantees to several writers is being found out (\(percent) %); changes wait until that is known."
    }
    static let unknown =
        "What the server guarantees to several writers could not be found out; it is tried again with the next change."
    static let refused = "Documents can only be read: the server lets nothing be made in this folder."
    static let readOnly = "Documents can only be read, as the setting “read-only” says."

    /// The verdict, and what follows from it.
    static func text(_ certificate: Certificate, _ settings: WebDAVSettings) -> String {
        let consequence =
            switch certificate.guarantee {
            case .conditionalChanges: "Docent changes documents under that condition."
            case .folderMoves:
                "Docent claims a document by moving a folder beside it, changes it, and checks what it has replaced."
            case .nothing where settings.isSingleWriter:
                "Docent writes all the same, as the setting “single-writer” says that nobody else does (unsafe-single-writer)."
            case .nothing:
                "Docent therefore only reads. If nobody else writes there, add the domain with --set single-writer=true."
            }
        let reasons = certificate.objections.joined(separator: " ")
        let seen = reasons.isEmpty ? "" : " What was seen: \(reasons)"
        return "\(certificate.guarantee.sentence) \(consequence)\(seen)"
    }
}
