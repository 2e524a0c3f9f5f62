import DocumentModel

/// Providers that misbehave while somebody looks for a place in their domain.
extension HostAttack {
    static let pickers: [HostAttack] = preparations + choices

    private static let preparations: [HostAttack] = [
        picker(
            "001", "has a message that rewrites the terminal", "PICK-7", "picker-message-moves-the-cursor", .success),
        picker("002", "has a message of a megabyte", "PICK-7", "picker-message-endless", .success),
        picker(
            "003", "has a message that is not UTF-8", "WIRE-8", "picker-message-not-text",
            .failure([.protocolViolation])),
        picker(
            "004", "has a hundred thousand sections", "PICK-7", "picker-of-many-sections", .failure([.contractBroken])),
        picker(
            "005", "has a section whose title rewrites the terminal", "PICK-7", "picker-title-moves-the-cursor",
            .success
        ),
        picker(
            "006", "has a section without a title", "PICK-7", "picker-title-empty", .failure([.contractBroken])),
        picker("007", "has sections that lead to what is not there", "PICK-15", "picker-leads-nowhere", .success),
        picker(
            "008", "has a section with an identifier of 4,097 bytes", "ID-9", "picker-of-long-identifiers",
            .failure([.contractBroken])),
        picker(
            "009", "names a hundred thousand columns, unknown ones too", "PICK-7", "picker-of-many-columns", .success),
        picker("010", "begins in a folder that is none of its own", "PICK-15", "picker-starts-outside", .success),
        picker("011", "begins in a document", "PICK-15", "picker-starts-in-a-document", .success),
        picker("012", "never answers a preparation", "WIRE-28", "picker-never-prepares", .failure([.deadlineExceeded])),
        picker(
            "013", "prepares when it was given up, as it may", "WIRE-22", "picker-prepares-late",
            .either([.deadlineExceeded])),
        picker("014", "dies over a preparation", "WIRE-56", "picker-dies-preparing", .failure([.providerDied])),
        picker(
            "015", "answers a preparation as if it had been a choice", "WIRE-20", "picker-prepares-another-kind",
            .failure([.protocolViolation])),
        picker("016", "refuses to be shown", "PICK-18", "picker-refuses-to-prepare", .failure([.notAuthenticated])),
    ]

    private static let choices: [HostAttack] = [
        picker(
            "020", "refuses a choice with words that rewrite the terminal", "WIRE-29", "choice-moves-the-cursor",
            .failure([.notPermitted])),
        picker("021", "never answers what was chosen", "WIRE-28", "choice-never", .failure([.deadlineExceeded])),
        picker("022", "dies over what was chosen", "WIRE-56", "choice-dies", .failure([.providerDied])),
        picker(
            "023", "refuses a choice with a code that only the host may use", "WIRE-31", "choice-reserved-code",
            .failure([.protocolViolation])),
        picker(
            "024", "answers what was chosen twice", "WIRE-21", "choice-answers-twice", .noticed(.protocolViolation)),
        picker("030", "never answers the end of a session", "WIRE-28", "picker-end-never", .success),
        picker("031", "dies over the end of a session", "WIRE-56", "picker-end-dies", .success),
        picker("032", "fails to end a session", "PICK-7", "picker-end-fails", .success),
    ]

    private static func picker(
        _ number: String, _ deed: String, _ rule: String, _ behaviour: String, _ expectation: HostExpectation
    ) -> HostAttack {
        HostAttack(
            "HA-PICKER-" + number, "A host stands a provider that \(deed)", rule: rule, behaviour: behaviour,
            asking: .pick, expecting: expectation, capabilities: [.modifying, .picker])
    }
}
