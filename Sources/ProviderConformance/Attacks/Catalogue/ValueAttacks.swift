import DocumentModel

/// Items whose values cannot be, beside others that can.
extension HostAttack {
    static let values: [HostAttack] = [
        HostAttack(
            "HA-VALUE-001", "A host stands a provider that lists an item called “.”", rule: "CONT-12",
            behaviour: "name-dot", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-002", "A host stands a provider that lists an item called “..”", rule: "CONT-12",
            behaviour: "name-dots", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-003", "A host stands a provider that lists an item called “/etc/evil.txt”", rule: "CONT-12",
            behaviour: "name-absolute", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-004", "A host stands a provider that lists an item called “../../evil.txt”", rule: "CONT-12",
            behaviour: "name-outside", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-005", "A host stands a provider that lists an item with a NUL in its name", rule: "CONT-12",
            behaviour: "name-nul", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-006", "A host stands a provider that lists an item with a line break in its name",
            rule: "CONT-12", behaviour: "name-line-break", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-007", "A host stands a provider that lists an item whose name rewrites the terminal",
            rule: "CONT-12", behaviour: "name-escape", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-008", "A host stands a provider that lists an item with a C1 control in its name",
            rule: "CONT-12", behaviour: "name-c1", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-009", "A host stands a provider that lists an item with a line separator in its name",
            rule: "CONT-12", behaviour: "name-line-separator", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-010", "A host stands a provider that lists an item whose name is shown from right to left",
            rule: "CONT-12", behaviour: "name-turned", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-011", "A host stands a provider that lists an item without a name", rule: "CONT-12",
            behaviour: "name-empty", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-012", "A host stands a provider that lists an item with a name of 256 bytes", rule: "CONT-12",
            behaviour: "name-too-long", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-013", "A host stands a provider that lists an item with a name of 255 bytes", rule: "CONT-12",
            behaviour: "name-longest", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-014", "A host stands a provider that lists an item called as the placeholders' folder",
            rule: "CONT-12", behaviour: "name-reserved", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-015", "A host stands a provider that lists an item called “.docent”", rule: "CONT-12",
            behaviour: "name-hidden", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-016", "A host stands a provider that lists an item called as another one", rule: "CONT-12",
            behaviour: "name-taken", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-017", "A host stands a provider that lists an item called as another one but for case",
            rule: "CONT-12", behaviour: "name-case", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-018", "A host stands a provider that lists an item with a name that is not UTF-8",
            rule: "CONT-12", behaviour: "name-not-text", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-VALUE-019", "A host stands a provider that lists an item with half a surrogate pair in its name",
            rule: "CONT-12", behaviour: "name-surrogate", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-VALUE-020", "A host stands a provider that lists an item called “--help”", rule: "CONT-12",
            behaviour: "name-option", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-021", "A host stands a provider that lists an item of a kind that nobody knows", rule: "WIRE-9",
            behaviour: "kind-unknown", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-022", "A host stands a provider that lists an item of no kind", rule: "WIRE-9",
            behaviour: "kind-none", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-023", "A host stands a provider that lists a document of minus two bytes", rule: "CONT-1",
            behaviour: "size-negative", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-024", "A host stands a provider that lists a document of the lowest size that can be written",
            rule: "CONT-1", behaviour: "size-lowest", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-025", "A host stands a provider that lists a document of eight exabytes", rule: "CONT-1",
            behaviour: "size-largest", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-026", "A host stands a provider that lists a document of the year 292,277,026,596",
            rule: "CONT-1", behaviour: "time-after-all", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-027", "A host stands a provider that lists a document from before the beginning of time",
            rule: "CONT-1", behaviour: "time-before-all", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-028", "A host stands a provider that lists a document of the last second of the year 9999",
            rule: "CONT-1", behaviour: "time-year-9999", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-029", "A host stands a provider that lists a document with four thousand million nanoseconds",
            rule: "CONT-1", behaviour: "time-nanoseconds", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-030", "A host stands a provider that lists an item without an identifier", rule: "ID-1",
            behaviour: "identifier-empty", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-031", "A host stands a provider that lists an item with an identifier of 4,097 bytes",
            rule: "ID-1", behaviour: "identifier-too-long", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-032",
            "A host stands a provider that lists an item whose identifier is a path and an escape sequence",
            rule: "ID-1", behaviour: "identifier-odd", asking: .list, expecting: .success),
        HostAttack(
            "HA-VALUE-033", "A host stands a provider that lists an item whose identifier is not UTF-8", rule: "ID-1",
            behaviour: "identifier-not-text", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-VALUE-034", "A host stands a provider that lists a document with a version of 129 bytes", rule: "VER-1",
            behaviour: "version-too-long", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-035", "A host stands a provider that lists a document without a version", rule: "VER-1",
            behaviour: "version-none", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-036", "A host stands a provider that lists a document whose type is no type", rule: "CONT-1",
            behaviour: "type-odd", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-VALUE-037", "A host stands a provider that lists a document whose type has 100,000 bytes",
            rule: "CONT-1", behaviour: "type-long", asking: .list, expecting: .failure([.contractBroken])),
    ]
}
