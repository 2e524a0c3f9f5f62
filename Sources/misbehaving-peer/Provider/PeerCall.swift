/// A request of the host, as it came.
struct PeerCall {
    /// The field of `ProviderRequest`; the answer has the same number.
    enum Kind: Int {
        case identity = 1
        case item, enumerate, providePlaceholder, startProviding, itemChanged, stopProviding, identifierForPath
        case pathForIdentifier
        case create = 20
        case modify, delete
        case currentAnchor = 30
        case changesSince
        case provideRange = 40
        case preparePicker = 50
        case validateChoice, endPicker
        case thumbnails = 60
        case listVersions = 70
        case provideVersion, keepVersion, removeVersion
        case quota = 75
    }

    /// The frame's.
    let id: UInt64
    let kind: Kind
    let fields: MessageReader

    /// Nil when it is a call that is not known.
    init?(_ frame: PeerFrame) {
        guard let request = MessageReader(frame.message.bytes(1)), let number = request.numbers.last,
            let kind = Kind(rawValue: number)
        else { return nil }
        id = frame.id
        self.kind = kind
        fields = request.message(number)
    }

    /// The item, or the folder, that it is about.
    var subject: String { fields.text(1) }
    /// Of `startProviding`, `provideRange` and `provideVersion`.
    var stagingPath: String { fields.text(kind == .provideVersion ? 3 : 2) }
    /// Of `provideVersion` and `removeVersion`.
    var version: String { fields.text(2) }
    /// Of `enumerate`.
    var page: [UInt8] { fields.bytes(2) }
    /// Of `provideRange`: in bytes.
    var range: Range<Int> {
        let offset = Int(truncatingIfNeeded: fields.number(4))
        return offset..<(offset + Int(truncatingIfNeeded: fields.number(5)))
    }
    /// Of `thumbnails`: the items, and which versions of them.
    var wantedThumbnails: [(id: String, version: [UInt8])] {
        fields.all(1).compactMap { MessageReader($0) }.map { ($0.text(1), $0.bytes(2)) }
    }
    /// Of `changesSince`.
    var anchor: [UInt8] { fields.bytes(1) }

    /// Whether it asks for the contents of the document that the behaviours deviate on.
    var wantsTarget: Bool { kind == .startProviding && subject == PeerTree.target }
    /// Whether it lists the top folder.
    var listsTop: Bool { kind == .enumerate && subject == PeerTree.root }
}
