internal import DocumentModel

/// What Docent itself makes on a server for a while. None of it is ever listed, and no document may be called so.
enum OwnNames {
    /// New contents before they have their place, one folder a change.
    private static let stage = ".docent-stage-"
    /// Who changes a document just now: one folder a document, beside it.
    private static let claim = ".docent-claim-"
    /// What is taken away: a claim whose owner is gone, or a folder that is being removed.
    private static let rest = ".docent-rest-"
    /// One change, within what is made for it.
    private static let change = "op-"

    static func isOwn(_ name: RemoteName) -> Bool {
        [Probe.prefix, stage, claim, rest].contains { name.rawValue.hasPrefix($0) }
    }

    static func isClaim(_ name: RemoteName) -> Bool { name.rawValue.hasPrefix(claim) }

    static func isStage(_ name: RemoteName) -> Bool { name.rawValue.hasPrefix(stage) }

    static func isRest(_ name: RemoteName) -> Bool { name.rawValue.hasPrefix(rest) }

    /// A change's own folder, from the name of its operation: the same in every retry.
    ///
    /// - Parameter mark: for an operation without a name.
    static func key(of operation: String, or mark: @autoclosure () -> UInt64) throws(DocumentError) -> RemoteName {
        let text = operation.isEmpty ? String(mark(), radix: 36) : operation
        return try RemoteName(change + sum(text.utf8, 1) + sum(text.utf8, 2))
    }

    static func isKey(_ name: RemoteName) -> Bool { name.rawValue.hasPrefix(change) }

    static func stage(_ key: RemoteName) throws(DocumentError) -> RemoteName { try RemoteName(stage + key.rawValue) }

    static func rest(_ key: RemoteName) throws(DocumentError) -> RemoteName { try RemoteName(rest + key.rawValue) }

    /// Names that differ in case only have the same claim: on some servers they are the same document.
    static func claim(on name: RemoteName) throws(DocumentError) -> RemoteName {
        let folded = name.rawValue.lowercased().utf8
        return try RemoteName(claim + sum(folded, 1) + sum(folded, 2))
    }

    /// Two names with the same sum would wait for each other, and nothing worse.
    private static func sum(_ text: some Sequence<UInt8>, _ seed: UInt64) -> String {
        let sum = text.reduce(0xCBF2_9CE4_8422_2325 &* seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
