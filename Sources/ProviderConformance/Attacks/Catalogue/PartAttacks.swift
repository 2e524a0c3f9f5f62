import DocumentModel

/// Parts of a large document that are not what was asked for.
extension HostAttack {
    static let parts: [HostAttack] = [
        HostAttack(
            "HA-PART-001", "A host stands a provider that writes nothing of a part and says that it is there",
            rule: "WIRE-39",
            behaviour: "part-empty", asking: .readLarge, expecting: .failure([.contractBroken]), capabilities: [.ranges]
        ),
        HostAttack(
            "HA-PART-002", "A host stands a provider that writes half of a part and says that it is there",
            rule: "WIRE-39",
            behaviour: "part-half", asking: .readLarge, expecting: .failure([.contractBroken]), capabilities: [.ranges]),
        HostAttack(
            "HA-PART-003", "A host stands a provider that writes a part where the next one belongs", rule: "WIRE-39",
            behaviour: "part-elsewhere", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-004", "A host stands a provider that cuts the file off where a part ends", rule: "WIRE-39",
            behaviour: "part-cuts-the-file", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-005", "A host stands a provider that writes behind the end of a document that comes in parts",
            rule: "WIRE-39",
            behaviour: "part-lengthens-the-file", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-006", "A host stands a provider that gives a part of contents that nobody asked for",
            rule: "WIRE-34",
            behaviour: "part-of-another-version", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-007", "A host stands a provider that gives a part and says that it is of another document",
            rule: "WIRE-34",
            behaviour: "part-of-another-item", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-008", "A host stands a provider that gives a part, and another size for the same contents",
            rule: "WIRE-34",
            behaviour: "part-of-another-size", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-009", "A host stands a provider that removes the file that it was to fill a part of",
            rule: "WIRE-39",
            behaviour: "part-removes-the-file", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-010",
            "A host stands a provider that puts another file in the place of the one of which it was to fill a part",
            rule: "WIRE-39",
            behaviour: "part-in-another-file", asking: .readLarge, expecting: .either([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-011",
            "A host stands a provider that puts a symbolic link in the place of the file of which it was to fill a part",
            rule: "WIRE-39",
            behaviour: "part-through-a-symlink", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-012", "A host stands a provider that keeps the file open for writing when all parts are there",
            rule: "WIRE-22",
            behaviour: "part-still-open", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-013", "A host stands a provider that dies when half of a part is there", rule: "WIRE-40",
            behaviour: "part-then-death", asking: .readLarge,
            expecting: .failure([.providerDied, .providerUnavailable]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-014",
            "A host stands a provider that dies once when half of the parts are there, and is well after that",
            rule: "WIRE-56",
            behaviour: "part-then-death-once", asking: .readLarge, expecting: .success, capabilities: [.ranges]),
        HostAttack(
            "HA-PART-015", "A host stands a provider that writes half of a part, and falls silent", rule: "WIRE-28",
            behaviour: "part-stalls", asking: .readLarge, expecting: .failure([.deadlineExceeded]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-016", "A host stands a provider that claims to give parts, and does not know the call",
            rule: "DOWN-10",
            behaviour: "part-unknown", asking: .readLarge, expecting: .success, capabilities: [.ranges]),
        HostAttack(
            "HA-PART-017", "A host stands a provider that has only newer contents than those of the part",
            rule: "DOWN-10",
            behaviour: "part-of-what-is-gone", asking: .readLarge, expecting: .success, capabilities: [.ranges]),
        HostAttack(
            "HA-PART-018", "A host stands a provider that has a document of four exabytes, and gives parts",
            rule: "WIRE-34", behaviour: "part-of-exabytes", asking: .read, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-019", "A host stands a provider that changes a part that it has given, while others come",
            rule: "WIRE-22", behaviour: "part-changed-after", asking: .readLarge,
            expecting: .failure([.contractBroken]), capabilities: [.ranges]),
        HostAttack(
            "HA-PART-020", "A host stands a provider that changes a part that it has given, through a mapping",
            rule: "WIRE-22", behaviour: "part-mapped", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-021", "A host stands a provider that makes a hole where it has given a part, while others come",
            rule: "WIRE-39", behaviour: "part-hole-after", asking: .readLarge, expecting: .failure([.contractBroken]),
            capabilities: [.ranges]),
        HostAttack(
            "HA-PART-022", "A host stands a provider that gives half of the parts, and does not know the call any more",
            rule: "DOWN-10", behaviour: "part-then-unknown", asking: .readLarge, expecting: .success,
            capabilities: [.ranges]),
    ]
}
