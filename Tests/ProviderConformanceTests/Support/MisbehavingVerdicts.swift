import DocumentModel

/// What the kit says of a misbehaving provider.
struct MisbehavingVerdict: Sendable {
    /// The checks that it must fail. None where it does what it may do.
    var failures: [String]
    /// Checks that meet what it does, and are of something else.
    var stood: [String] = []
    /// What its manifest declares.
    var capabilities: Set<ProviderCapability> = []
    var startsProcesses = false
    /// Whether nothing can be asked of it.
    var isOutOfReach = false

    /// Section 8, item for item, but for what would take the machine's memory, or a gigabyte through a pipe.
    static let all: [String: MisbehavingVerdict] = starts.merging(frames) { one, _ in one }
        .merging(answers) { one, _ in one }.merging(contents) { one, _ in one }
        .merging(processes) { one, _ in one }.merging(semantics) { one, _ in one }

    private static func failing(_ failures: String...) -> MisbehavingVerdict { MisbehavingVerdict(failures: failures) }

    private static func outOfReach(_ failures: String...) -> MisbehavingVerdict {
        MisbehavingVerdict(failures: failures, isOutOfReach: true)
    }

    private static func changing(_ failures: String...) -> MisbehavingVerdict {
        MisbehavingVerdict(failures: failures, capabilities: [.changes])
    }

    private static func parent(_ failures: String...) -> MisbehavingVerdict {
        MisbehavingVerdict(failures: failures, startsProcesses: true)
    }

    private static let starts: [String: MisbehavingVerdict] = [
        "start-silent": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "start-exits-0": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "preface-exits-0": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "hello-exits-0": outOfReach("PC-IDENT-002", "PC-ITEM-001"),
        "request-exits-0": failing("PC-FETCH-001", "PC-FETCH-002"),
        "start-exits-3": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "preface-exits-3": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "hello-exits-3": outOfReach("PC-IDENT-002", "PC-ITEM-001"),
        "request-exits-3": failing("PC-FETCH-001", "PC-FETCH-002"),
        "start-is-killed": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "preface-is-killed": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "hello-is-killed": outOfReach("PC-HELLO-012", "PC-IDENT-002"),
        "request-is-killed": failing("PC-FETCH-001", "PC-FETCH-002"),
        "start-crashes": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "preface-wrong": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "preface-after-text": outOfReach("PC-HELLO-001", "PC-HELLO-002"),
        "hello-version-too-new": outOfReach("PC-HELLO-003", "PC-HELLO-004"),
        "hello-unknown-feature": failing("PC-HELLO-007"),
        "hello-wider": failing("PC-HELLO-009"),
        "hello-twice": outOfReach("PC-HELLO-012"),
        "hello-context-garbage": outOfReach("PC-HELLO-010"),
        "hello-limits-tiny": failing("PC-HELLO-008"),
        "identity-other": MisbehavingVerdict(failures: ["PC-IDENT-001"]),
    ]

    private static let frames: [String: MisbehavingVerdict] = [
        "frame-text-between": failing("PC-LIST-001", "PC-IO-001"),
        "frame-length-zero": failing("PC-LIST-001"),
        "frame-length-huge": failing("PC-LIST-001"),
        "frame-length-padded": failing("PC-LIST-001"),
        "frame-length-endless": failing("PC-LIST-001"),
        "frame-cut": failing("PC-LIST-001"),
        "frame-undecodable": failing("PC-LIST-001"),
        "frame-two-at-once": failing(),
        "frame-in-pieces": failing(),
        "frame-drips": failing("PC-LIST-001"),
        "flood-tiny-frames": failing("PC-LIST-001"),
    ]

    private static let answers: [String: MisbehavingVerdict] = [
        "answer-twice": failing("PC-LIST-002"),
        "answer-unknown-id": failing("PC-LIST-001"),
        "answer-own-id": failing("PC-LIST-001"),
        "request-host-id": failing("PC-LIST-001"),
        "answer-never": failing("PC-LIST-001"),
        "cancel-answered-twice": failing("PC-CANCEL-001"),
        "cancel-ignored": failing("PC-CANCEL-001"),
        "answer-wrong-kind": failing("PC-LIST-001"),
        "error-reserved-code": failing("PC-LIST-001"),
        "progress-falls": failing("PC-PROG-001"),
        "progress-for-ever": failing("PC-FETCH-001"),
    ]

    private static let contents: [String: MisbehavingVerdict] = [
        "content-of-another-digest": failing("PC-FETCH-030"),
        "content-short": failing("PC-FETCH-001"),
        "content-long": failing("PC-FETCH-001"),
        "content-half-then-failure": failing("PC-FETCH-001"),
        "content-still-open": failing("PC-FETCH-026"),
        "content-removed": MisbehavingVerdict(failures: ["PC-FETCH-020"], stood: ["PC-STAGING-003"]),
        "content-in-the-wrong-place": failing("PC-FETCH-021"),
        "content-is-a-symlink": failing("PC-FETCH-020"),
        "content-has-two-names": failing("PC-FETCH-020"),
        "content-replaced": failing("PC-FETCH-020"),
        "content-hole": failing("PC-FETCH-023"),
    ]

    private static let processes: [String: MisbehavingVerdict] = [
        "process-closes-stdin": failing("PC-LIST-001"),
        "process-closes-stdout": failing("PC-LIST-001"),
        "process-leaves-a-child": parent("PC-LIST-001"),
        "process-child-in-a-session": parent("PC-LIST-001"),
        "process-child-writes-on": parent("PC-LIST-001"),
        "process-ignores-everything": failing("PC-LIST-002"),
        "process-stays-at-the-end": failing("PC-END-002", "PC-END-009"),
        "process-stops-itself": failing("PC-LIST-001"),
        "process-opens-descriptors": failing("PC-LIST-001"),
    ]

    private static let semantics: [String: MisbehavingVerdict] = [
        "identifier-reused": failing("PC-VERSION-003"),
        "listing-in-a-circle": failing("PC-LIST-002"),
        "anchor-stands": changing("PC-ANCHOR-002"),
        "anchor-newer-than-told": changing("PC-FEED-016"),
        "listing-item-twice": MisbehavingVerdict(failures: ["PC-LIST-003", "PC-ID-002"], stood: ["PC-ID-003"]),
        "listing-omits-once": failing("PC-LIST-009"),
        "error-from-the-dead": failing("PC-FETCH-001"),
        "version-of-two-metadata": failing("PC-ITEM-003", "PC-VERSION-003"),
        "version-of-two-contents": failing("PC-FETCH-005"),
    ]
}
