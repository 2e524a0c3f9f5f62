import DocumentModel

/// What a provider asks of its host, and must not be given.
extension HostAttack {
    static let questions: [HostAttack] = [
        attack(
            "001", "A host lets no provider ask people, or keep secrets, whose manifest does not say so",
            behaviour: "ask-undeclared", capabilities: []),
        attack("002", "A host lets no provider ask people when nobody is signing in", behaviour: "ask-nobody"),
        attack(
            "003", "A host stands a provider that asks people a thousand times when nobody is signing in",
            behaviour: "ask-again-and-again"),
        attack(
            "004", "A host refuses prompts that nobody could answer, or that would change a terminal",
            behaviour: "ask-nonsense"),
        attack(
            "005", "A host keeps no secrets that are too long, too many, or have odd names",
            behaviour: "ask-to-keep-too-much"),
        attack(
            "006", "A host gives a provider no secret that it has not stored itself",
            behaviour: "ask-for-what-was-never-kept"),
        attack(
            "007", "A host makes no placeholders of what cannot be, though its provider asks for them",
            behaviour: "ask-for-odd-placeholders", capabilities: []),
        attack(
            "008", "A host stands a provider that asks a hundred things before it reads an answer",
            behaviour: "ask-with-all-at-once"),
    ]

    /// The provider lists its folder only when the host has answered as it should.
    private static func attack(
        _ number: String, _ title: String, behaviour: String, capabilities: Set<ProviderCapability> = [.signIn]
    ) -> HostAttack {
        HostAttack(
            "HA-ASK-\(number)", title, rule: "WIRE-26", behaviour: behaviour, asking: .list, expecting: .success,
            capabilities: capabilities)
    }
}
