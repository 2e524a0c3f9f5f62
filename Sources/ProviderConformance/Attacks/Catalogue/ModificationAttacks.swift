import DocumentModel

/// What can go wrong with a user's changes.
extension HostAttack {
    static let modifications: [HostAttack] = [
        HostAttack(
            "HA-MODIFY-001", "A host stands a provider that never answers a change", rule: "WIRE-28",
            behaviour: "modify-never", asking: .write, expecting: .failure([.deadlineExceeded]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-002", "A host stands a provider that dies over a change", rule: "WIRE-56",
            behaviour: "modify-dies", asking: .write, expecting: .failure([.providerDied]), capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-003", "A host stands a provider that takes a change and answers with another item",
            rule: "WIRE-34", behaviour: "modify-other-item", asking: .write, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-004", "A host stands a provider that takes a change and says another size", rule: "VER-1",
            behaviour: "modify-of-size", asking: .write, expecting: .either([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-005", "A host stands a provider that takes a change and tells no version", rule: "VER-1",
            behaviour: "modify-without-version", asking: .write, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]
        ),
        HostAttack(
            "HA-MODIFY-006", "A host stands a provider that writes into the file that it is to send", rule: "WIRE-22",
            behaviour: "modify-damages-the-snapshot", asking: .write, expecting: .failure([.serverUnreachable]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-007", "A host stands a provider that says of every change that it began from an old version",
            rule: "VER-2", behaviour: "modify-conflicts-always", asking: .write,
            expecting: .failure([.inConflict]), capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-008", "A host stands a provider that says of every change that there is no such item",
            rule: "WIRE-32", behaviour: "modify-of-nothing", asking: .write,
            expecting: .success, capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-009", "A host stands a provider that makes an item and answers with one that is there",
            rule: "ID-2", behaviour: "create-known-item", asking: .create, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-010", "A host stands a provider that makes an item under an evil name", rule: "CONT-12",
            behaviour: "create-other-name", asking: .create, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-011", "A host stands a provider that makes an item in a folder that nobody knows",
            rule: "PROV-21", behaviour: "create-elsewhere", asking: .create, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-012", "A host stands a provider that makes an item and answers with the top folder",
            rule: "ID-2", behaviour: "create-root", asking: .create, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-013", "A host stands a provider that never answers a removal", rule: "WIRE-28",
            behaviour: "delete-never", asking: .remove, expecting: .failure([.deadlineExceeded]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-MODIFY-014", "A host stands a provider that renames an item to a name that is none", rule: "CONT-12",
            behaviour: "rename-into-evil", asking: .rename, expecting: .failure([.contractBroken]),
            capabilities: [.modifying]),
    ]
}
