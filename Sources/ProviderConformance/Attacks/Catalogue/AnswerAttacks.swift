import DocumentModel

/// Requests and their answers, cancelling and progress.
extension HostAttack {
    static let answers: [HostAttack] = [
        HostAttack(
            "HA-ANSWER-001", "A host stands a provider that answers a request twice", rule: "WIRE-21",
            behaviour: "answer-twice", asking: .list, expecting: .noticed(.protocolViolation)),
        HostAttack(
            "HA-ANSWER-002", "A host stands a provider that answers a request that nobody made", rule: "WIRE-21",
            behaviour: "answer-unknown-id", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-003", "A host stands a provider that answers with an id of its own", rule: "WIRE-19",
            behaviour: "answer-own-id", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-004", "A host stands a provider that answers with the id 0", rule: "WIRE-19",
            behaviour: "answer-id-zero", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-005", "A host stands a provider that asks with an id of the host's", rule: "WIRE-19",
            behaviour: "request-host-id", asking: .list,
            expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-006", "A host stands a provider that asks twice with one id", rule: "WIRE-19",
            behaviour: "request-id-reused", asking: .list,
            expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-007", "A host stands a provider that never answers, and serves everything else", rule: "WIRE-28",
            behaviour: "answer-never", asking: .list, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-ANSWER-008", "A host stands a provider that never provides what it was asked for", rule: "WIRE-28",
            behaviour: "answer-never-contents", asking: .read, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-ANSWER-009", "A host stands a provider that never answers, not even when it is cancelled",
            rule: "WIRE-23", behaviour: "cancel-ignored", asking: .read, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-ANSWER-040", "A host has its only place for a request back when what held it was cancelled",
            rule: "WIRE-23", behaviour: "slot-held", asking: .readThenGood, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-ANSWER-041", "A host has its only place for a request back from a provider that ignores a cancel",
            rule: "WIRE-23", behaviour: "slot-kept", asking: .readThenGood, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-ANSWER-010", "A host stands a provider that answers properly after it was cancelled", rule: "WIRE-22",
            behaviour: "cancel-answered-late", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-ANSWER-011", "A host stands a provider that answers a cancelled request twice", rule: "WIRE-21",
            behaviour: "cancel-answered-twice", asking: .read, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-ANSWER-012", "A host stands a provider that answers another question", rule: "WIRE-20",
            behaviour: "answer-wrong-kind", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-013", "A host stands a provider that answers with nothing", rule: "WIRE-20",
            behaviour: "answer-empty", asking: .list, expecting: .failure([.unimplemented])),
        HostAttack(
            "HA-ANSWER-014", "A host stands a provider that answers with bytes that are no answer", rule: "WIRE-8",
            behaviour: "answer-undecodable", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-015", "A host stands a provider that provides contents and does not say of what",
            rule: "WIRE-20", behaviour: "answer-without-item", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-ANSWER-016", "A host stands a provider that provides another item than it was asked for",
            rule: "WIRE-34", behaviour: "answer-other-item", asking: .read, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-ANSWER-017", "A host stands a provider that fails with a code that only the host may use",
            rule: "WIRE-31", behaviour: "error-reserved-code", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-018", "A host stands a provider that fails without a code", rule: "WIRE-29",
            behaviour: "error-no-code", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-ANSWER-019", "A host stands a provider that fails with a code that nobody knows", rule: "WIRE-30",
            behaviour: "error-unknown-code", asking: .list, expecting: .failure([.init(rawValue: 399)])),
        HostAttack(
            "HA-ANSWER-020", "A host stands a provider that fails and does not say why", rule: "WIRE-29",
            behaviour: "error-without-words", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-ANSWER-021", "A host stands a provider that fails with a message of a megabyte", rule: "WIRE-29",
            behaviour: "error-endless", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-ANSWER-022", "A host stands a provider that fails for a hundred thousand causes", rule: "WIRE-29",
            behaviour: "error-many-causes", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-ANSWER-023", "A host stands a provider that fails with a message that rewrites the terminal",
            rule: "WIRE-29", behaviour: "error-moves-the-cursor", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-ANSWER-024", "A host stands a provider that says of a listed item that there is none", rule: "WIRE-32",
            behaviour: "error-from-the-dead", asking: .read, expecting: .failure([.noSuchItem])),
        HostAttack(
            "HA-ANSWER-025", "A host stands a provider that is not signed in, for ever", rule: "WIRE-35",
            behaviour: "error-needs-sign-in", asking: .list, expecting: .failure([.notAuthenticated])),
        HostAttack(
            "HA-ANSWER-026", "A host stands a provider that takes progress back", rule: "WIRE-24",
            behaviour: "progress-falls", asking: .read, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-027", "A host stands a provider that reports progress of a request that nobody made",
            rule: "WIRE-21", behaviour: "progress-of-nothing", asking: .read, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-028", "A host stands a provider that reports progress of what it has answered", rule: "WIRE-21",
            behaviour: "progress-after-the-answer", asking: .list, expecting: .noticed(.protocolViolation)),
        HostAttack(
            "HA-ANSWER-029", "A host stands a provider that reports more bytes than there can be", rule: "WIRE-24",
            behaviour: "progress-impossible", asking: .read, expecting: .success),
        HostAttack(
            "HA-ANSWER-030", "A host stands a provider that reports progress and never comes to an end",
            rule: "WIRE-24", behaviour: "progress-for-ever", asking: .readAndCancel, expecting: .failure([.cancelled])),
        HostAttack(
            "HA-ANSWER-031", "A host stands a provider that says that it is alive and never comes to an end",
            rule: "WIRE-24", behaviour: "heartbeat-for-ever", asking: .readAndCancel, expecting: .failure([.cancelled])),
        HostAttack(
            "HA-ANSWER-032", "A host stands a provider that cancels requests that it never made, which does nothing",
            rule: "WIRE-22", behaviour: "cancel-unknown", asking: .list, expecting: .success),
        HostAttack(
            "HA-ANSWER-033", "A host stands a provider that cancels the host's own request", rule: "WIRE-22",
            behaviour: "cancel-of-the-host", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-034", "A host stands a provider that tells the host to shut down", rule: "WIRE-51",
            behaviour: "shutdown-from-below", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-ANSWER-035", "A host stands a provider that says goodbye with a request open, and stays",
            rule: "WIRE-51", behaviour: "goodbye-early", asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-ANSWER-036", "A host stands a provider that answers pings that nobody sent, which does nothing",
            rule: "WIRE-57", behaviour: "pong-unasked", asking: .list, expecting: .success),
        HostAttack(
            "HA-ANSWER-037", "A host stands a provider that asks something that no host knows", rule: "WIRE-9",
            behaviour: "request-unknown", asking: .list, expecting: .success),
        HostAttack(
            "HA-ANSWER-038", "A host stands a provider that asks with bytes that are no question", rule: "WIRE-8",
            behaviour: "request-undecodable", asking: .list, expecting: .success),
        HostAttack(
            "HA-ANSWER-039", "A host stands a provider that notifies with bytes that are no notification",
            rule: "WIRE-8", behaviour: "notification-undecodable", asking: .list, expecting: .success),
    ]
}
