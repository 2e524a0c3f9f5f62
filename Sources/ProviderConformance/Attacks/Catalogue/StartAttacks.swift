import DocumentModel

/// From the launch to the end of the handshake.
extension HostAttack {
    static let starts: [HostAttack] = [
        HostAttack(
            "HA-START-001", "A host stands a provider that never says anything", rule: "WIRE-15",
            behaviour: "start-silent", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-002", "A host stands a provider that sends the preface at one byte a second", rule: "WIRE-15",
            behaviour: "start-drips", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-003", "A host stands a provider that gets one byte of the preface wrong", rule: "WIRE-10",
            behaviour: "preface-wrong", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-004", "A host stands a provider that begins with the answer to the hello", rule: "WIRE-10",
            behaviour: "preface-missing", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-005", "A host stands a provider that ends after half of the preface", rule: "WIRE-10",
            behaviour: "preface-half", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-006", "A host stands a provider that translates line ends, as a text stream does",
            rule: "WIRE-10", behaviour: "preface-as-text", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-007", "A host stands a provider that prints a line before the preface", rule: "WIRE-10",
            behaviour: "preface-after-text", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-008", "A host stands a provider that prints a hundred megabytes before the preface",
            rule: "WIRE-10", behaviour: "preface-after-a-flood", asking: .add,
            expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-009", "A host stands a provider that chooses a version that nobody offered", rule: "WIRE-12",
            behaviour: "hello-version-too-new", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-010", "A host stands a provider that shares no version, says so and ends", rule: "WIRE-12",
            behaviour: "hello-no-version", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-011", "A host stands a provider that uses a feature that nobody offered", rule: "WIRE-13",
            behaviour: "hello-unknown-feature", asking: .add, expecting: .success),
        HostAttack(
            "HA-START-012", "A host stands a provider that claims a capability that its manifest lacks",
            rule: "WIRE-18", behaviour: "hello-wider", asking: .add, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-START-013", "A host stands a provider that answers the hello twice", rule: "WIRE-11",
            behaviour: "hello-twice", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-014", "A host stands a provider that asks before it has answered the hello", rule: "WIRE-11",
            behaviour: "hello-after-a-request", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-015", "A host stands a provider that notifies before it has answered the hello", rule: "WIRE-11",
            behaviour: "hello-after-a-notification", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-016", "A host stands a provider that answers the hello as if it were a request", rule: "WIRE-11",
            behaviour: "hello-with-an-id", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-017", "A host stands a provider that sends the host's own hello back", rule: "WIRE-11",
            behaviour: "hello-is-an-echo", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-018", "A host stands a provider that tells capabilities that are no message", rule: "WIRE-8",
            behaviour: "hello-context-garbage", asking: .add, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-START-019", "A host stands a provider that has a top folder with an identifier of 5,000 bytes",
            rule: "ID-1", behaviour: "hello-root-too-long", asking: .add, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-START-020", "A host stands a provider that accepts frames of one byte only", rule: "WIRE-2",
            behaviour: "hello-limits-tiny", asking: .add, expecting: .success),
        HostAttack(
            "HA-START-021", "A host stands a provider that accepts more than anybody may send", rule: "WIRE-2",
            behaviour: "hello-limits-raised", asking: .add, expecting: .success),
        HostAttack(
            "HA-START-022", "A host stands a provider that says that it is another provider", rule: "ID-5",
            behaviour: "identity-other", asking: .add, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-START-023", "A host stands a provider that says a name that no provider can have", rule: "ID-5",
            behaviour: "identity-garbage", asking: .add, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-START-024", "A host stands a provider that does not say who it is", rule: "ID-5",
            behaviour: "identity-refused", asking: .add, expecting: .failure([.notPermitted])),
        HostAttack(
            "HA-START-025", "A host stands a provider that never says who it is", rule: "WIRE-15",
            behaviour: "identity-never", asking: .add, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-START-026", "A host stands a provider that ends with status 0 before the preface", rule: "WIRE-17",
            behaviour: "start-exits-0", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-027", "A host stands a provider that ends with status 0 after the preface", rule: "WIRE-17",
            behaviour: "preface-exits-0", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-028", "A host stands a provider that ends with status 0 after the handshake", rule: "WIRE-17",
            behaviour: "hello-exits-0", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-029", "A host stands a provider that ends with status 0 while a request is open", rule: "WIRE-56",
            behaviour: "request-exits-0", asking: .read, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-START-030", "A host stands a provider that ends with status 3 before the preface", rule: "WIRE-17",
            behaviour: "start-exits-3", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-031", "A host stands a provider that ends with status 3 after the preface", rule: "WIRE-17",
            behaviour: "preface-exits-3", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-032", "A host stands a provider that ends with status 3 after the handshake", rule: "WIRE-17",
            behaviour: "hello-exits-3", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-033", "A host stands a provider that ends with status 3 while a request is open", rule: "WIRE-56",
            behaviour: "request-exits-3", asking: .read, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-START-034", "A host stands a provider that is ended by SIGKILL before the preface", rule: "WIRE-17",
            behaviour: "start-is-killed", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-035", "A host stands a provider that is ended by SIGKILL after the preface", rule: "WIRE-17",
            behaviour: "preface-is-killed", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-036", "A host stands a provider that is ended by SIGKILL after the handshake", rule: "WIRE-17",
            behaviour: "hello-is-killed", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-037", "A host stands a provider that is ended by SIGKILL while a request is open",
            rule: "WIRE-56", behaviour: "request-is-killed", asking: .read, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-START-038", "A host stands a provider that crashes before the preface", rule: "WIRE-17",
            behaviour: "start-crashes", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-039", "A host stands a provider that crashes after the preface", rule: "WIRE-17",
            behaviour: "preface-crashes", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-040", "A host stands a provider that crashes after the handshake", rule: "WIRE-17",
            behaviour: "hello-crashes", asking: .add, expecting: .failure([.providerUnavailable])),
        HostAttack(
            "HA-START-041", "A host stands a provider that crashes while a request is open", rule: "WIRE-56",
            behaviour: "request-crashes", asking: .read, expecting: .failure([.providerDied])),
    ]
}
