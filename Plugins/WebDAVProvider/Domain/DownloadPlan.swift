/// How one document is brought, over as many answers as it takes: where the next request begins, and what of an answer
/// may be kept. A value without I/O.
///
/// Bytes of two versions never get into one file (INV-9): a part is only appended when the server itself says, by
/// If-Range, that the contents are those that the first part came from.
struct DownloadPlan: Sendable {
    enum Step: Hashable, Sendable {
        /// What comes belongs at this place; whatever was written from there on is void.
        case write(at: Int64)
        /// These are other contents than were to be brought.
        case changed
        case refuse(ServerFailure)
    }

    /// What counts of the beginning of an answer.
    struct Head: Hashable, Sendable {
        var status: Int
        var length: Int64?
        var range: ContentRange?
        var tag: EntityTag?
        /// As the server wrote it.
        var modified: String?
        var date: Int64?
        var isEncoded = false
        var isChunked = false
    }

    /// Bytes that are written.
    private(set) var offset: Int64 = 0
    /// In all; nil while not known.
    private(set) var total: Int64?
    /// What names the contents that came so far; nil when they cannot be continued.
    private var validator: String?
    private var mayContinue = true
    private var resumption: Resumption

    /// - Parameter expected: the length that was told before, in bytes; nil when none was.
    init(expected: Int64?, limits: RetryPlan.Limits = .init()) {
        total = expected
        resumption = Resumption(limits)
    }

    /// What the next request asks for beside the document.
    var headers: [(name: String, value: String)] {
        guard let validator, offset > 0 else { return [] }
        return [("Range", "bytes=\(offset)-"), ("If-Range", validator)]
    }

    /// Looks at the beginning of the answer to a request with ``headers``.
    mutating func receive(_ head: Head) -> Step {
        if head.isEncoded { return .refuse(.unusable("it sends contents in a code that nobody asked for")) }
        switch head.status {
        case 200:
            guard head.length != nil || head.isChunked else {
                return .refuse(.unusable("it does not tell where the contents end"))
            }
            if let total, let length = head.length, total != length { return .changed }
            total = total ?? head.length
            offset = 0
            validator = mayContinue ? Self.validator(of: head) : nil
            return .write(at: 0)
        case 206:
            guard let range = head.range, validator != nil, range.first == offset else { return startOver() }
            if let total, let new = range.total, total != new { return .changed }
            total = total ?? range.total
            return .write(at: offset)
        default: return startOver()
        }
    }

    /// So many bytes more are written.
    ///
    /// - Returns: false when they are more than there can be.
    mutating func advance(by count: Int) -> Bool {
        offset += Int64(count)
        return total.map { offset <= $0 } ?? true
    }

    /// The answer has ended as it should.
    ///
    /// - Returns: whether everything is there.
    mutating func end() -> Bool {
        if total == nil { total = offset }
        return offset == total
    }

    /// How long to wait before it goes on; nil when it does not.
    mutating func pause(after failure: ServerFailure, elapsed: Duration, chance: Double) -> Duration? {
        resumption.pause(
            after: failure, at: offset, keepsWhatCame: offset > 0 && validator != nil, elapsed: elapsed, chance: chance)
    }

    private mutating func startOver() -> Step {
        mayContinue = false
        validator = nil
        offset = 0
        resumption.startOver()
        return .refuse(.interrupted("it could not continue where it was cut off"))
    }

    /// A strong tag; or a date that is old enough to be of one version only.
    private static func validator(of head: Head) -> String? {
        if let tag = head.tag?.condition { return tag }
        guard head.tag == nil, let text = head.modified, let modified = DateText.http(text), let date = head.date,
            date - modified >= 2
        else { return nil }
        return text
    }
}

extension DownloadPlan.Head {
    init(_ answer: ServerAnswer) {
        self.init(
            status: answer.status, length: answer.length,
            range: answer.header("Content-Range").flatMap(ContentRange.init),
            tag: answer.tag, modified: answer.header("Last-Modified"), date: answer.date, isEncoded: answer.isEncoded,
            isChunked: answer.isChunked)
    }
}
