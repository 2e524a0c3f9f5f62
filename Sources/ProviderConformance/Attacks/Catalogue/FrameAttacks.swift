import DocumentModel

/// Bytes that are no frames, and frames that come oddly.
extension HostAttack {
    static let frames: [HostAttack] = [
        HostAttack(
            "HA-FRAME-001", "A host stands a provider that prints a line between two frames", rule: "WIRE-7",
            behaviour: "frame-text-between", asking: .list, expecting: .failure([.protocolViolation]),
            saying: ["printed to standard output", "--last-failure"]),
        HostAttack(
            "HA-FRAME-002", "A host stands a provider that sends a frame of no bytes", rule: "WIRE-2",
            behaviour: "frame-length-zero", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FRAME-003", "A host stands a provider that announces the longest length that can be written",
            rule: "WIRE-2", behaviour: "frame-length-huge", asking: .list, expecting: .failure([.frameTooLarge])),
        HostAttack(
            "HA-FRAME-004", "A host stands a provider that sends a frame of one byte above the limit", rule: "WIRE-2",
            behaviour: "frame-over-the-limit", asking: .list, expecting: .failure([.frameTooLarge])),
        HostAttack(
            "HA-FRAME-005", "A host stands a provider that pads a length with a zero", rule: "WIRE-2",
            behaviour: "frame-length-padded", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FRAME-006", "A host stands a provider that sends a length that never ends", rule: "WIRE-2",
            behaviour: "frame-length-endless", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FRAME-007", "A host stands a provider that ends within a frame", rule: "WIRE-7", behaviour: "frame-cut",
            asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-FRAME-008", "A host stands a provider that ends within a length", rule: "WIRE-7",
            behaviour: "frame-cut-in-the-length", asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-FRAME-009", "A host stands a provider that begins a frame and says no more", rule: "WIRE-4",
            behaviour: "frame-never-finished", asking: .list, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-FRAME-010", "A host stands a provider that sends an answer at one byte every 50 ms", rule: "WIRE-4",
            behaviour: "frame-drips", asking: .list, expecting: .either([.deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-FRAME-011", "A host stands a provider that sends two frames in one write", rule: "WIRE-4",
            behaviour: "frame-two-at-once", asking: .list, expecting: .success),
        HostAttack(
            "HA-FRAME-012", "A host stands a provider that sends one frame in many writes", rule: "WIRE-4",
            behaviour: "frame-in-pieces", asking: .list, expecting: .success),
        HostAttack(
            "HA-FRAME-013", "A host stands a provider that sends a frame whose body is no message", rule: "WIRE-8",
            behaviour: "frame-undecodable", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FRAME-014", "A host stands a provider that sends known fields with other types", rule: "WIRE-8",
            behaviour: "frame-wrong-types", asking: .list, expecting: .failure([.deadlineExceeded])),
        HostAttack(
            "HA-FRAME-015", "A host stands a provider that sends a million groups, one in the other", rule: "WIRE-8",
            behaviour: "frame-nested-deeply", asking: .list, expecting: .failure([.protocolViolation])),
        HostAttack(
            "HA-FRAME-016", "A host stands a provider that sends noise", rule: "WIRE-8", behaviour: "frame-noise",
            asking: .list, expecting: .failure([.protocolViolation, .frameTooLarge])),
        HostAttack(
            "HA-FRAME-017", "A host stands a provider that sends the preface a second time", rule: "WIRE-10",
            behaviour: "frame-preface-again", asking: .list, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-FRAME-018", "A host stands a provider that sends a frame of a kind that nobody knows", rule: "WIRE-9",
            behaviour: "frame-unknown-kind", asking: .list, expecting: .success),
        HostAttack(
            "HA-FRAME-019", "A host stands a provider that adds fields that nobody knows", rule: "WIRE-9",
            behaviour: "frame-unknown-fields", asking: .list, expecting: .success),
        HostAttack(
            "HA-FRAME-020", "A host stands a provider that says hello in the middle", rule: "WIRE-11",
            behaviour: "frame-hello-again", asking: .list, expecting: .failure([.protocolViolation])),
    ]
}
