import DocumentModel

/// What a process can do to the machine and to its host.
extension HostAttack {
    static let processes: [HostAttack] = [
        HostAttack(
            "HA-PROCESS-001", "A host stands a provider that writes a gigabyte to standard error, and answers",
            rule: "WIRE-52", behaviour: "process-floods-stderr", asking: .list, expecting: .either([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-PROCESS-002", "A host stands a provider that writes 64 MiB to standard error without a line end",
            rule: "WIRE-52", behaviour: "process-never-ends-its-line", asking: .list,
            expecting: .either([.deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-PROCESS-003", "A host stands a provider that writes escape sequences and noise to standard error",
            rule: "WIRE-52", behaviour: "process-paints-stderr", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-PROCESS-004", "A host stands a provider that closes its input and lives on", rule: "WIRE-48",
            behaviour: "process-closes-stdin", asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-PROCESS-005", "A host stands a provider that closes its output and lives on", rule: "WIRE-46",
            behaviour: "process-closes-stdout", asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-PROCESS-006", "A host stands a provider that closes everything and lives on", rule: "WIRE-46",
            behaviour: "process-closes-all", asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-PROCESS-007", "A host stands a provider that ends while a child holds its pipes", rule: "WIRE-46",
            behaviour: "process-leaves-a-child", asking: .list, expecting: .failure([.providerDied]),
            startsProcesses: true),
        HostAttack(
            "HA-PROCESS-008",
            "A host stands a provider that ends while a child in a session of its own holds its pipes", rule: "WIRE-45",
            behaviour: "process-child-in-a-session", asking: .list, expecting: .failure([.providerDied]),
            startsProcesses: true),
        HostAttack(
            "HA-PROCESS-009", "A host stands a provider that starts a daemon in the usual way, and ends",
            rule: "WIRE-45", behaviour: "process-daemon", asking: .list, expecting: .failure([.providerDied]),
            startsProcesses: true),
        HostAttack(
            "HA-PROCESS-010", "A host stands a provider that ends while a child writes to its output", rule: "WIRE-45",
            behaviour: "process-child-writes-on", asking: .list,
            expecting: .failure([.protocolViolation, .providerDied]),
            startsProcesses: true),
        HostAttack(
            "HA-PROCESS-011", "A host stands a provider that ignores signals, the shutdown and the end of its input",
            rule: "WIRE-51", behaviour: "process-ignores-everything", asking: .list, expecting: .success),
        HostAttack(
            "HA-PROCESS-012", "A host stands a provider that keeps the shutdown and SIGTERM waiting", rule: "WIRE-51",
            behaviour: "process-stays-at-the-end", asking: .list, expecting: .success),
        HostAttack(
            "HA-PROCESS-013", "A host stands a provider that stops itself", rule: "WIRE-51",
            behaviour: "process-stops-itself", asking: .list, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-PROCESS-014", "A host stands a provider that takes memory until there is none", rule: "WIRE-53",
            behaviour: "process-eats-memory", asking: .list, expecting: .failure([.deadlineExceeded, .providerDied]),
            heedsCancel: false),
        HostAttack(
            "HA-PROCESS-015", "A host stands a provider that opens descriptors until there are none", rule: "WIRE-49",
            behaviour: "process-opens-descriptors", asking: .list, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-PROCESS-016", "A host stands a provider that starts a hundred children, as far as it may, and ends",
            rule: "WIRE-45", behaviour: "process-forks", asking: .list,
            expecting: .failure([.deadlineExceeded, .providerDied]), heedsCancel: false, work: .seconds(10),
            startsProcesses: true),
        HostAttack(
            "HA-PROCESS-017", "A host stands a provider that computes for ever", rule: "WIRE-28",
            behaviour: "process-spins", asking: .list, expecting: .failure([.deadlineExceeded]), heedsCancel: false),
        HostAttack(
            "HA-PROCESS-018", "A host stands a provider that tries to end its host", rule: "WIRE-63",
            behaviour: "process-signals-the-host", asking: .list, expecting: .failure([.internal])),
        HostAttack(
            "HA-PROCESS-019", "A host stands a provider that ends its whole group", rule: "WIRE-45",
            behaviour: "process-signals-its-group", asking: .list, expecting: .failure([.providerDied]),
            startsProcesses: true),
        HostAttack(
            "HA-PROCESS-020", "A host stands a provider that becomes another program", rule: "WIRE-46",
            behaviour: "process-becomes-another", asking: .list, expecting: .failure([.deadlineExceeded]),
            heedsCancel: false),
        HostAttack(
            "HA-PROCESS-021", "A host stands a provider that dies at every listing", rule: "WIRE-54",
            behaviour: "process-dies-always", asking: .list, expecting: .failure([.providerDied])),
        HostAttack(
            "HA-PROCESS-022", "A host stands a provider that dies at the first listing, and is well after that",
            rule: "WIRE-56", behaviour: "process-dies-once", asking: .list, expecting: .success),
        HostAttack(
            "HA-PROCESS-023", "A host stands a provider that dies when it has answered", rule: "WIRE-54",
            behaviour: "process-dies-between-calls", asking: .list, expecting: .success),
        HostAttack(
            "HA-PROCESS-024", "A host gives a provider that starts threads without end a limited number of them",
            rule: "WIRE-53", behaviour: "process-starts-threads", asking: .list, expecting: .success),
    ]
}
