import DocumentModel

/// Providers that tell of their remote's room what cannot be.
extension HostAttack {
    static let quotas: [HostAttack] = [
        quota("001", "says that more room is left than there is", "quota-more-than-all"),
        quota("002", "says that less than nothing is left", "quota-below-zero"),
        quota("003", "says that there is more room than any number of bytes can be", "quota-too-large"),
        quota("004", "says that more is used than there is, and that some is left", "quota-full"),
        // It is asked once more; whoever asks waits no longer than that takes in all.
        quota(
            "005", "never says how much room there is", "quota-never", .failure([.deadlineExceeded, .busy]),
            rule: "WIRE-28"),
    ]

    private static func quota(
        _ number: String, _ deed: String, _ behaviour: String,
        _ expectation: HostExpectation = .failure([.contractBroken]), rule: String = "CONT-13"
    ) -> HostAttack {
        HostAttack(
            "HA-QUOTA-" + number, "A host stands a provider that " + deed, rule: rule, behaviour: behaviour,
            asking: .quota, expecting: expectation, capabilities: [.quota])
    }
}
