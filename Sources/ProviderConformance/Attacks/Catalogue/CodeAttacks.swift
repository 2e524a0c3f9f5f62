import DocumentModel

/// Errors that a provider may well give: the host does what their class says.
extension HostAttack {
    static let codes: [HostAttack] = resolvable + transient + definitive + steering

    /// The work is held, and carried out when the provider says that it can be.
    private static let resolvable: [HostAttack] = [
        held("001", .notAuthenticated, "not-authenticated"),
        held("002", .serverUnreachable, "server-unreachable"),
        held("003", .insufficientQuota, "insufficient-quota"),
        held("004", .cannotSynchronize, "cannot-synchronize"),
        held("005", .excludedFromSync, "excluded-from-sync"),
    ]

    /// The work is tried again by itself.
    private static let transient: [HostAttack] = [
        repeated("006", .internal, "internal"), repeated("007", .busy, "busy"),
        repeated("008", .localStorage, "local-storage"),
    ]

    /// The caller is told, and what is here stays as it is there.
    private static let definitive: [HostAttack] = [
        HostAttack(
            "HA-CODE-009", "A host tells of nameCollision, and makes nothing", rule: "WIRE-30",
            behaviour: "code-name-collision", asking: .create,
            expecting: .failure([.destinationExists]), capabilities: [.modifying]),
        HostAttack(
            "HA-CODE-010", "A host tells of deletionRejected, and the document stays", rule: "WIRE-30",
            behaviour: "code-deletion-rejected", asking: .remove, expecting: .failure([.deletionRejected]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-CODE-011", "A host tells of directoryNotEmpty, and what was to be removed stays", rule: "WIRE-30",
            behaviour: "code-directory-not-empty", asking: .remove, expecting: .failure([.directoryNotEmpty]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-CODE-014", "A host tells of notPermitted, and keeps the change", rule: "WIRE-30",
            behaviour: "code-not-permitted", asking: .write, expecting: .failure([.notPermitted]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-CODE-015", "A host tells of notPermitted, and the document stays a placeholder", rule: "WIRE-30",
            behaviour: "code-not-permitted-contents", asking: .read, expecting: .failure([.notPermitted])),
        HostAttack(
            "HA-CODE-016", "A host tells of notConfigured, and adds no domain", rule: "WIRE-30",
            behaviour: "code-not-configured", asking: .add, expecting: .failure([.notConfigured])),
    ]

    /// The host begins again.
    private static let steering: [HostAttack] = [
        HostAttack(
            "HA-CODE-012", "A host begins a listing again after pageExpired", rule: "PROV-21",
            behaviour: "code-page-expired", asking: .list, expecting: .success),
        HostAttack(
            "HA-CODE-013", "A host lists everything again after anchorExpired", rule: "PROV-21",
            behaviour: "code-anchor-expired", asking: .refreshAndFind, expecting: .success, capabilities: [.changes]),
    ]

    private static func held(_ number: String, _ code: DocumentError.Code, _ word: String) -> HostAttack {
        HostAttack(
            "HA-CODE-" + number, "A host holds a change after \(code), and sends it when that is over", rule: "PROV-22",
            behaviour: "code-" + word, asking: .writeUntilTaken, expecting: .failure([code]), capabilities: [.modifying]
        )
    }

    private static func repeated(_ number: String, _ code: DocumentError.Code, _ word: String) -> HostAttack {
        HostAttack(
            "HA-CODE-" + number, "A host sends a change once more after \(code)", rule: "PROV-22",
            behaviour: "code-" + word, asking: .writeUntilTaken, expecting: .either([code]), capabilities: [.modifying])
    }
}
