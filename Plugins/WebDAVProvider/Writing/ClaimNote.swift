internal import DocumentModel

/// What a claim is for, written into it: enough for somebody else to undo a change whose owner is gone.
struct ClaimNote: Hashable, Sendable {
    var kind: ClaimPlan.Kind
    /// Where the document was; nil for a new one.
    var source: RemotePath?
    /// Whoever wrote it has the same top folder: where the document was means the same to both.
    var isOfThisAddress = true

    private static let heading = "docent change 1"

    /// The document's place is written as the server's address has it: others have other top folders.
    func text(_ address: ServerAddress) -> String {
        let place = source.map { address.target(of: $0, asFolder: false) } ?? "-"
        return [Self.heading, kind.rawValue, place, Self.top(address), ""].joined(separator: "\n")
    }

    /// Nil for what is none, and for a place outside of the domain.
    init?(text: String, _ address: ServerAddress) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, lines[0] == Self.heading, let kind = ClaimPlan.Kind(rawValue: String(lines[1])) else {
            return nil
        }
        self.kind = kind
        // Those of earlier versions do not say it.
        isOfThisAddress = lines[3] == Self.top(address)
        guard lines[2] != "-" else { return }
        var segments: [[UInt8]] = []
        for part in lines[2].utf8.split(separator: UInt8(ascii: "/")) {
            guard let segment = PercentCoding.decode(part) else { return nil }
            segments.append(segment)
        }
        guard segments.starts(with: address.segments), segments.count > address.segments.count else { return nil }
        var names: [RemoteName] = []
        for segment in segments.dropFirst(address.segments.count) {
            guard let name = try? RemoteName(segment: segment) else { return nil }
            names.append(name)
        }
        source = RemotePath(names: names)
    }

    private static func top(_ address: ServerAddress) -> String { address.target(of: .root, asFolder: true) }

    init(kind: ClaimPlan.Kind, source: RemotePath?) {
        self.kind = kind
        self.source = source
    }
}
