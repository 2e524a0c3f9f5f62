/// What is known of one failure of a provider's process: facts, in the order in which they are to be read. What is kept
/// of it is JSON with these names; new ones may come, and `schema` grows when one changes its meaning.
///
/// Bodies of messages and the values of settings are not in it.
public struct PostMortem: Codable, Hashable, Sendable {
    public static let currentSchema = 1

    public var schema = currentSchema
    /// Seconds since 1970, in UTC.
    public var time: Double
    public var provider: String
    public var domain: String
    /// As the manifest has it.
    public var version: String
    public var program: String
    /// What the provider called itself in its hello; empty when it did not come to that.
    public var software: String
    /// The host's release.
    public var host: String
    /// The name of the connection in both sides' logs.
    public var session: String
    /// How far it had come.
    public var stage: Stage
    /// One sentence: what happened.
    public var summary: String
    /// What was going on: `answering 2 requests, the oldest (startProviding) for 12.0 s`.
    public var activity: String
    public var process: Process?
    public var badBytes: BadBytes?
    /// What the connection ended with, innermost cause last.
    public var causes: [String]
    /// The error's stable code.
    public var code: String
    public var openRequests: [OpenRequest]
    /// Ids of requests of the provider's own that the host had not answered.
    public var openAtHost: [UInt64]
    /// The last frames, the oldest first, and how many there were in all.
    public var framesSent: [FrameRecord]
    public var framesReceived: [FrameRecord]
    public var framesSentInAll: UInt64
    public var framesReceivedInAll: UInt64
    /// The last lines of standard error.
    public var standardError: [String]

    /// How far a process had come.
    public enum Stage: String, Codable, Hashable, Sendable {
        /// The program was being looked at; there was no process.
        case launching
        case handshake
        case serving
    }

    /// How a process ended, and what it used.
    public struct Process: Codable, Hashable, Sendable {
        public var id: Int32
        /// How long it lived, in seconds.
        public var lived: Double
        /// One of the two is there; neither for a process that ran on.
        public var exitStatus: Int32?
        public var signal: Int32?
        public var signalName: String?
        /// It did not end by itself when it should have.
        public var wasForced: Bool
        /// Of it and all that it started; absent when the kernel did not tell.
        public var usage: Usage?

        public init(
            id: Int32, lived: Double, exitStatus: Int32?, signal: Int32?, signalName: String?, wasForced: Bool,
            usage: Usage?
        ) {
            self.id = id
            self.lived = lived
            self.exitStatus = exitStatus
            self.signal = signal
            self.signalName = signalName
            self.wasForced = wasForced
            self.usage = usage
        }
    }

    /// What a process used: times in seconds, memory in bytes, blocks of 512 bytes.
    public struct Usage: Codable, Hashable, Sendable {
        public var userTime: Double
        public var systemTime: Double
        public var peakMemory: UInt64
        public var pageFaults: UInt64
        public var blocksRead: UInt64
        public var blocksWritten: UInt64

        public init(
            userTime: Double, systemTime: Double, peakMemory: UInt64, pageFaults: UInt64, blocksRead: UInt64,
            blocksWritten: UInt64
        ) {
            self.userTime = userTime
            self.systemTime = systemTime
            self.peakMemory = peakMemory
            self.pageFaults = pageFaults
            self.blocksRead = blocksRead
            self.blocksWritten = blocksWritten
        }
    }

    /// Where its standard output stopped making sense.
    public struct BadBytes: Codable, Hashable, Sendable {
        /// What is wrong, as a sentence.
        public var problem: String
        /// How many bytes came before.
        public var offset: UInt64
        /// The first of them.
        public var hex: String
        public var text: String
        /// Whether they read like something that was printed; absent where nobody has looked.
        public var looksLikeText: Bool?

        public init(problem: String, offset: UInt64, hex: String, text: String, looksLikeText: Bool? = nil) {
            self.problem = problem
            self.offset = offset
            self.hex = hex
            self.text = text
            self.looksLikeText = looksLikeText
        }
    }

    /// A request of the host's that was not answered.
    public struct OpenRequest: Codable, Hashable, Sendable {
        public var id: UInt64
        /// As the contract names it: `startProviding`.
        public var call: String
        public var label: String
        /// In seconds.
        public var age: Double
        /// `waiting` (not sent yet), `sent` or `cancelled`.
        public var state: String
        /// As the provider reported.
        public var bytesDone: UInt64

        public init(id: UInt64, call: String, label: String, age: Double, state: String, bytesDone: UInt64) {
            self.id = id
            self.call = call
            self.label = label
            self.age = age
            self.state = state
            self.bytesDone = bytesDone
        }
    }

    /// One frame, without what it carried.
    public struct FrameRecord: Codable, Hashable, Sendable {
        /// Before the end, in seconds.
        public var before: Double
        public var kind: String
        /// As the contract names the call in it; empty when it has none.
        public var call: String
        /// The request that it belongs to; 0 for the connection.
        public var id: UInt64
        public var bytes: Int

        public init(before: Double, kind: String, call: String, id: UInt64, bytes: Int) {
            self.before = before
            self.kind = kind
            self.call = call
            self.id = id
            self.bytes = bytes
        }
    }

    public init(
        time: Double, provider: String, domain: String, version: String, program: String, host: String, session: String,
        stage: Stage, summary: String, code: String, causes: [String]
    ) {
        self.time = time
        self.provider = provider
        self.domain = domain
        self.version = version
        self.program = program
        self.host = host
        self.session = session
        self.stage = stage
        self.summary = summary
        self.code = code
        self.causes = causes
        software = ""
        activity = ""
        openRequests = []
        openAtHost = []
        framesSent = []
        framesReceived = []
        framesSentInAll = 0
        framesReceivedInAll = 0
        standardError = []
    }
}
