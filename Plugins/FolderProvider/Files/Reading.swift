internal import CDocentShims
internal import DocumentModel
internal import SystemPackage

/// What came of reading a file of which nothing but the time of change is another.
enum Reading: Hashable, Sendable {
    /// The SHA-256 of what it has.
    case contents([UInt8])
    /// The system does not let it be read: nobody can tell.
    case refused
    /// It is not in that state any more, or could not be opened just now: it is to be looked at again.
    case unsettled

    /// Reads an open file that was seen in a state.
    ///
    /// - Parameter isEnded: asked now and then whether nobody wants to know any more.
    static func of(
        _ file: borrowing OpenFile, _ facts: FileFacts, _ sighting: Sighting,
        unless isEnded: () -> Bool = { false }
    ) -> Reading {
        // What is written from now on bears a later time, and is found with the next look.
        docent_wait_past(facts.changed.seconds, facts.changed.nanoseconds)
        guard sighting.facts(of: file)?.isSameState(as: facts) == true else { return .unsettled }
        let digest = ContentDigest.of(file, size: facts.size, unless: isEnded)
        guard !isEnded(), sighting.facts(of: file)?.isSameState(as: facts) == true else { return .unsettled }
        guard let digest else { return .refused }
        return .contents(digest)
    }

    /// - Parameter failure: why it cannot be opened. A change of its mode is told.
    init(_ failure: SystemFailure) {
        self = failure.errno == .permissionDenied || failure.errno == .notPermitted ? .refused : .unsettled
    }
}

/// What that says of an item.
struct ContentVerdict: Hashable, Sendable {
    enum Finding: Sendable {
        case same, other
        /// Nobody can tell.
        case unknown
        /// It was not read yet.
        case open
    }

    /// The time of change that the file had then.
    var changed: Timestamp
    var finding: Finding
}

/// How much may still be read in one look at the folder to find out about files, while everybody waits for it. The first file
/// may always, so that whoever asks for one document is told.
struct ReadingBudget: Sendable {
    private var bytes: Int64
    private var time: Duration

    /// None.
    init() {
        bytes = 0
        time = .zero
    }

    /// For a look that begins.
    init(time: Duration) {
        bytes = 256 << 20
        self.time = time
    }

    func allows(_ size: Int64) -> Bool { size <= bytes && time > .zero }

    mutating func take(_ size: Int64, _ time: Duration) {
        bytes -= size
        self.time -= time
    }
}

/// A document that is open to be read beside the looks at the folder.
struct UnreadDocument: ~Copyable {
    let file: OpenFile
    let facts: FileFacts
    let sighting: Sighting
}
