import DocumentModel

/// Feeds of changes that lead nowhere.
extension HostAttack {
    static let changes: [HostAttack] = [
        HostAttack(
            "HA-CHANGE-001", "A host stands a provider that has more changes, at an anchor that never moves",
            rule: "PROV-21", behaviour: "anchor-stands", asking: .refresh, expecting: .failure([.contractBroken]),
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-002", "A host stands a provider that has more changes, at ever new anchors, and tells none",
            rule: "PROV-21", behaviour: "anchor-runs", asking: .refresh, expecting: .failure([.contractBroken]),
            capabilities: [.changes], work: .seconds(10)),
        HostAttack(
            "HA-CHANGE-003", "A host stands a provider that tells the same item again and again, at ever new anchors",
            rule: "PROV-21", behaviour: "anchor-runs-with-an-item", asking: .refresh,
            expecting: .failure([.contractBroken]),
            capabilities: [.changes], work: .seconds(10)),
        HostAttack(
            "HA-CHANGE-004", "A host stands a provider that has an anchor of 501 bytes", rule: "WIRE-27",
            behaviour: "anchor-too-long", asking: .refresh, expecting: .failure([.contractBroken]),
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-005", "A host stands a provider that has an empty anchor", rule: "WIRE-27",
            behaviour: "anchor-empty", asking: .refresh, expecting: .failure([.contractBroken]),
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-006", "A host stands a provider that says of every anchor that it has expired", rule: "PROV-21",
            behaviour: "anchor-expires-always", asking: .refresh, expecting: .success, capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-007", "A host stands a provider that never tells an anchor", rule: "WIRE-28",
            behaviour: "anchor-never", asking: .refresh, expecting: .failure([.deadlineExceeded]),
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-008", "A host stands a provider that moves the anchor past a change that it has not told",
            rule: "PROV-21", behaviour: "anchor-newer-than-told", asking: .refreshAndRead, expecting: .success,
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-009", "A host stands a provider that says that the top folder was deleted", rule: "PROV-21",
            behaviour: "changes-delete-the-root", asking: .refresh, expecting: .success, capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-010", "A host stands a provider that says that items were deleted that nobody knows",
            rule: "PROV-21", behaviour: "changes-delete-strangers", asking: .refresh,
            expecting: .failure([.contractBroken]),
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-011", "A host stands a provider that moves a folder into itself", rule: "PROV-21",
            behaviour: "changes-move-into-itself", asking: .refresh, expecting: .success, capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-012", "A host stands a provider that tells of an item in a folder that nobody knows",
            rule: "PROV-21", behaviour: "changes-in-no-folder", asking: .refresh, expecting: .success,
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-013", "A host stands a provider that turns a document into a folder and back", rule: "PROV-21",
            behaviour: "changes-of-kind", asking: .refresh, expecting: .success, capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-014",
            "A host stands a provider that tells of a hundred and one times as many changes as asked for",
            rule: "PROV-21", behaviour: "changes-too-many", asking: .refresh, expecting: .failure([.contractBroken]),
            capabilities: [.changes]),
        HostAttack(
            "HA-CHANGE-015", "A host stands a provider that claims no feed, and signals changes", rule: "WIRE-18",
            behaviour: "changes-without-claim", asking: .list, expecting: .success),
    ]
}
