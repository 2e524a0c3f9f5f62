/// How a part of one document is brought, over as many answers as it takes. A value without I/O.
///
/// Which version it is of is found out before and afterwards; what an answer says of it must not contradict that.
struct PartPlan: Sendable {
    private let part: Range<Int64>
    private let known: Properties
    /// Other parts of documents came a moment ago.
    private let isInTheMiddle: Bool
    private var resumption: Resumption
    /// Bytes of the document that are written or lie before the part.
    private(set) var offset: Int64

    /// - Parameters:
    ///   - known: of the document, with its length.
    ///   - isInTheMiddle: whether the server gave parts until now, so that it is waited for when it is started anew.
    init(_ part: Range<Int64>, of known: Properties, limits: RetryPlan.Limits, isInTheMiddle: Bool = false) {
        self.part = part
        self.known = known
        self.isInTheMiddle = isInTheMiddle
        resumption = Resumption(limits)
        offset = part.lowerBound
    }

    /// What the next request asks for beside the document.
    var headers: [(name: String, value: String)] {
        let range = (name: "Range", value: "bytes=\(offset)-\(part.upperBound - 1)")
        guard let tag = known.tag?.condition else { return [range] }
        return [range, ("If-Range", tag)]
    }

    /// Looks at the beginning of the answer to a request with ``headers``.
    func receive(_ head: DownloadPlan.Head) -> DownloadPlan.Step {
        if head.isEncoded { return .refuse(.unusable("it sends contents in a code that nobody asked for")) }
        switch head.status {
        case 206:
            guard let range = head.range, range.first == offset, range.last < part.upperBound else {
                return .refuse(.unusable("it sends another part than was asked for"))
            }
            let isOther = head.tag.map { $0.opaque != known.tag?.opaque } ?? false
            if (known.tag != nil && isOther) || range.total.map({ $0 != known.length }) == true { return .changed }
            return .write(at: offset)
        case 200:
            // What If-Range does not hold of comes as a whole; so does what a server gives no parts of.
            if known.tag?.condition != nil, let tag = head.tag, tag.opaque != known.tag?.opaque { return .changed }
            if let length = head.length, length != known.length { return .changed }
            return .refuse(.unusable(Self.noParts))
        // There is no such part any more.
        default: return .changed
        }
    }

    /// What is said of a server that gives no parts.
    static let noParts = "it gives no parts of documents"

    /// So many bytes more are written.
    ///
    /// - Returns: false when they are more than were asked for.
    mutating func advance(by count: Int) -> Bool {
        offset += Int64(count)
        return offset <= part.upperBound
    }

    /// Whether everything is there.
    var isComplete: Bool { offset == part.upperBound }

    /// How long to wait before it goes on; nil when it does not.
    mutating func pause(after failure: ServerFailure, elapsed: Duration, chance: Double) -> Duration? {
        resumption.pause(
            after: failure, at: offset, keepsWhatCame: offset > part.lowerBound || isInTheMiddle, elapsed: elapsed,
            chance: chance)
    }
}
