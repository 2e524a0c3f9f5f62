import DocumentModel

extension BroughtFor {
    init(_ wire: WireServiceBroughtFor) throws(DocumentError) {
        self.init(
            who: try Checks.text(wire.who, "Whom contents were brought for", limit: 1_024), documents: wire.documents,
            bytes: wire.bytes, last: try Location(wire.last))
    }
}

extension WireServiceBroughtFor {
    init(_ brought: BroughtFor) {
        self.init()
        who = brought.who
        documents = brought.documents
        bytes = brought.bytes
        last = brought.last.description
    }
}
