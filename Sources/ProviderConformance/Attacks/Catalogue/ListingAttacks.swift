import DocumentModel

/// Folders that cannot be.
extension HostAttack {
    static let listings: [HostAttack] = [
        HostAttack(
            "HA-LISTING-001", "A host stands a provider that gives the same page token again and again",
            rule: "PROV-21", behaviour: "listing-in-a-circle", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-LISTING-002", "A host stands a provider that gives ever new page tokens for the same items",
            rule: "PROV-21", behaviour: "listing-without-end", asking: .list, expecting: .failure([.contractBroken]),
            work: .seconds(10)),
        HostAttack(
            "HA-LISTING-003", "A host stands a provider that gives ever new page tokens and no items", rule: "PROV-21",
            behaviour: "listing-of-empty-pages", asking: .list, expecting: .failure([.contractBroken]),
            work: .seconds(10)),
        HostAttack(
            "HA-LISTING-004", "A host stands a provider that gives a page token of 501 bytes", rule: "WIRE-27",
            behaviour: "listing-token-too-long", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-LISTING-005", "A host stands a provider that says of every page that it has expired", rule: "PROV-21",
            behaviour: "listing-expires-always", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-LISTING-006", "A host stands a provider that lists a hundred and one times what was asked for",
            rule: "PROV-21", behaviour: "listing-too-large", asking: .list, expecting: .failure([.contractBroken]),
            work: .seconds(50)),
        HostAttack(
            "HA-LISTING-007", "A host stands a provider that leaves an item out, once", rule: "SYNC-3",
            behaviour: "listing-omits-once", asking: .editBetweenListings, expecting: .either([.contractBroken]),
            capabilities: [.modifying]),
        HostAttack(
            "HA-LISTING-008", "A host stands a provider that lists an item twice", rule: "ID-1",
            behaviour: "listing-item-twice", asking: .list, expecting: .success),
        HostAttack(
            "HA-LISTING-009", "A host stands a provider that gives two items one identifier", rule: "ID-2",
            behaviour: "listing-two-of-one-identifier", asking: .list,
            expecting: .listing(["folder", "good.txt", "other.txt"])),
        HostAttack(
            "HA-LISTING-010", "A host stands a provider that gives two items one name", rule: "CONT-12",
            behaviour: "listing-two-of-one-name", asking: .list, expecting: .success),
        HostAttack(
            "HA-LISTING-011", "A host stands a provider that gives two items one name, in two Unicode forms",
            rule: "CONT-12", behaviour: "listing-two-of-one-form", asking: .list, expecting: .success),
        HostAttack(
            "HA-LISTING-012", "A host stands a provider that lists what lies in another folder", rule: "PROV-21",
            behaviour: "listing-of-strangers", asking: .list, expecting: .listing([])),
        HostAttack(
            "HA-LISTING-013", "A host stands a provider that lists a folder in itself", rule: "PROV-21",
            behaviour: "listing-of-itself", asking: .list, expecting: .failure([.contractBroken])),
        HostAttack(
            "HA-LISTING-014", "A host stands a provider that has two folders that lie in each other", rule: "PROV-21",
            behaviour: "listing-of-a-circle", asking: .descend, expecting: .listing(["folder"]),
            work: .seconds(10)),
        HostAttack(
            "HA-LISTING-015", "A host stands a provider that has a folder in every folder, without end",
            rule: "CONT-12", behaviour: "listing-without-ground", asking: .descend, expecting: .listing(["deeper"]),
            work: .seconds(10)),
        HostAttack(
            "HA-LISTING-016", "A host stands a provider that lists items and says of each that there is none",
            rule: "WIRE-32", behaviour: "listing-then-nothing", asking: .read,
            expecting: .failure([.noSuchItem])),
        HostAttack(
            "HA-LISTING-017", "A host stands a provider that lists four thousand items in pages", rule: "PROV-21",
            behaviour: "listing-large", asking: .list, expecting: .success, work: .seconds(50)),
        HostAttack(
            "HA-LISTING-018", "A host stands a provider that gives a removed item's identifier to another one",
            rule: "ID-2", behaviour: "identifier-reused", asking: .listTwice,
            expecting: .listing(["folder", "good.txt", "now-a-folder"])),
        HostAttack(
            "HA-LISTING-019", "A host stands a provider that provides other contents under the same version",
            rule: "VER-1", behaviour: "version-of-two-contents", asking: .readAgain, expecting: .success),
        HostAttack(
            "HA-LISTING-020", "A host stands a provider that tells other metadata under the same version",
            rule: "VER-1", behaviour: "version-of-two-metadata", asking: .listTwice, expecting: .success),
        HostAttack(
            "HA-LISTING-021", "A host stands a provider that has placeholders written into folders that nobody told of",
            rule: "PH-2", behaviour: "placeholder-of-strangers", asking: .list, expecting: .success),
        HostAttack(
            "HA-LISTING-022", "A host stands a provider that has placeholders written for names that are none",
            rule: "PH-2", behaviour: "placeholder-of-evil-names", asking: .list, expecting: .success),
        HostAttack(
            "HA-LISTING-023", "A host stands a provider that has a placeholder written in the place of the top folder",
            rule: "PH-2", behaviour: "placeholder-of-the-root", asking: .list, expecting: .success),
        HostAttack(
            "HA-LISTING-024", "A host stands a provider that moves everything below a document", rule: "PH-2",
            behaviour: "placeholder-on-a-document", asking: .list, expecting: .success),
    ]
}
