package import DocumentModel

/// Identifiers of items that were made here and that their provider does not know yet: random, and replaced by the
/// provider's own as soon as it has them. No provider may use one.
extension ItemIdentifier {
    private static let arrivingPrefix = "docent-arriving:"

    static func makeArriving() throws -> ItemIdentifier { try ItemIdentifier(arrivingPrefix + RandomName.make()) }

    package var isArriving: Bool { rawValue.utf8.starts(with: Self.arrivingPrefix.utf8) }

    /// What begins all of them, and the least text that is greater than all of them.
    static let arrivingRange = (from: arrivingPrefix, to: "docent-arriving;")
}

extension IndexedItem {
    /// Whether it was made here, and the provider does not know it yet (CONT-7).
    package var isArriving: Bool { id.isArriving }
}
