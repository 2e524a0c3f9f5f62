extension DocumentError {
    /// The stable codes of `docent.wire.v1.Code`. Numbers are never reused; codes of a newer peer are kept as they
    /// came and count as transient.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        private init(_ rawValue: Int) {
            self.rawValue = rawValue
        }

        // Resolvable: held until the provider says that it is resolved, or the user acts.
        public static let notAuthenticated = Code(101)
        public static let serverUnreachable = Code(102)
        public static let insufficientQuota = Code(103)
        public static let cannotSynchronize = Code(104)
        public static let excludedFromSync = Code(105)

        // Definitive: local state may change because of it.
        public static let noSuchItem = Code(201)
        public static let nameCollision = Code(202)
        public static let deletionRejected = Code(203)
        public static let directoryNotEmpty = Code(204)
        /// The version asked for, or the base version of a change, is not the current one.
        public static let versionNoLongerAvailable = Code(205)

        // Transient: tried again, later and later.
        public static let `internal` = Code(301)
        public static let busy = Code(302)
        /// Disk full, input or output error on this machine.
        public static let localStorage = Code(303)

        // For the caller.
        public static let cancelled = Code(401)
        public static let unimplemented = Code(402)
        public static let invalidArgument = Code(403)
        public static let pageExpired = Code(404)
        public static let anchorExpired = Code(405)
        public static let notPermitted = Code(406)
        public static let notConfigured = Code(407)
        public static let destinationExists = Code(408)
        public static let unsyncedEdits = Code(409)
        public static let deadlock = Code(410)
        public static let inConflict = Code(411)
        public static let outsideStorageRoot = Code(412)
        public static let typeNotAccepted = Code(413)
        public static let nameClash = Code(414)
        /// The remote has another version than the change began from, and whoever asked wants no conflict (VER-14).
        public static let localVersionConflicting = Code(415)

        // Made by the host only.
        public static let providerDied = Code(501)
        public static let deadlineExceeded = Code(502)
        public static let protocolViolation = Code(503)
        public static let frameTooLarge = Code(504)
        public static let contractBroken = Code(505)
        public static let providerUnavailable = Code(506)

        /// Made by the client library: no host runs, or it ended while it was asked. Never on the wire.
        public static let hostUnavailable = Code(601)

        /// What kind of error it is, which decides what the host does (PROV-22).
        public var errorClass: ErrorClass {
            switch rawValue {
            case 101...105: .resolvable
            case 201...205: .definitive
            case 401...415: .caller
            default: .transient
            }
        }

        /// Codes that only the host may make; a provider that sends one breaks the protocol.
        public var isReservedForHost: Bool { (500..<600).contains(rawValue) }

        public var description: String { Self.names[rawValue] ?? "code\(rawValue)" }

        private static let names: [Int: String] = [
            101: "notAuthenticated", 102: "serverUnreachable", 103: "insufficientQuota", 104: "cannotSynchronize",
            105: "excludedFromSync", 201: "noSuchItem", 202: "nameCollision", 203: "deletionRejected",
            204: "directoryNotEmpty", 205: "versionNoLongerAvailable", 301: "internal", 302: "busy",
            303: "localStorage", 401: "cancelled", 402: "unimplemented", 403: "invalidArgument", 404: "pageExpired",
            405: "anchorExpired", 406: "notPermitted", 407: "notConfigured", 408: "destinationExists",
            409: "unsyncedEdits", 410: "deadlock", 411: "inConflict", 412: "outsideStorageRoot",
            413: "typeNotAccepted", 414: "nameClash", 415: "localVersionConflicting",
            501: "providerDied", 502: "deadlineExceeded", 503: "protocolViolation", 504: "frameTooLarge",
            505: "contractBroken", 506: "providerUnavailable", 601: "hostUnavailable",
        ]
    }

    public enum ErrorClass: String, Sendable {
        /// Held until the provider says that it is resolved, or the user acts.
        case resolvable
        /// Local state may change because of it.
        case definitive
        /// Tried again, later and later; everything unknown, and a crash.
        case transient
        /// The caller asked wrongly, or must start over.
        case caller
    }
}
