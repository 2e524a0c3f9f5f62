import DocumentModel

/// More than anybody can want.
extension HostAttack {
    static let floods: [HostAttack] = [
        HostAttack(
            "HA-FLOOD-001", "A host stands a provider that sends tiny frames without end", rule: "WIRE-6",
            behaviour: "flood-tiny-frames", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FLOOD-002", "A host stands a provider that pings without end and reads nothing", rule: "WIRE-6",
            behaviour: "flood-pings", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FLOOD-003",
            "A host stands a provider that writes a hundred thousand lines to the log, and answers", rule: "WIRE-52",
            behaviour: "flood-log", asking: .list, expecting: .either([.protocolViolation, .deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-FLOOD-004", "A host stands a provider that signals changes without end, while a page is asked for",
            rule: "WIRE-26", behaviour: "flood-changes", asking: .refresh,
            expecting: .either([.protocolViolation, .deadlineExceeded]),
            capabilities: [.changes], heedsCancel: false),
        HostAttack(
            "HA-FLOOD-005", "A host stands a provider that says again and again that everything is resolved",
            rule: "WIRE-30", behaviour: "flood-resolved", asking: .list,
            expecting: .either([.protocolViolation, .deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-FLOOD-006", "A host stands a provider that says that a million codes are resolved", rule: "WIRE-30",
            behaviour: "flood-resolved-codes", asking: .list,
            expecting: .either([.protocolViolation, .deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-FLOOD-007", "A host stands a provider that asks without end and reads nothing", rule: "WIRE-6",
            behaviour: "flood-requests", asking: .list, expecting: .failure([.protocolViolation, .deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-FLOOD-008", "A host stands a provider that reports progress a hundred thousand times", rule: "WIRE-24",
            behaviour: "flood-progress", asking: .read, expecting: .either([.protocolViolation, .deadlineExceeded])),
        HostAttack(
            "HA-FLOOD-009", "A host stands a provider that reads nothing any more and lives on", rule: "WIRE-6",
            behaviour: "flood-unread", asking: .list, expecting: .failure([.deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-FLOOD-010", "A host stands a provider that cancels without end", rule: "WIRE-22",
            behaviour: "flood-cancels", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FLOOD-011", "A host stands a provider that closes its input, and signals changes without end",
            rule: "WIRE-6", behaviour: "flood-deaf", asking: .list,
            expecting: .failure([.protocolViolation, .providerDied])),
    ]
}
