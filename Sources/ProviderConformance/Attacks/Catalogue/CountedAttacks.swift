import DocumentModel

/// What goes wrong once, at each of the first calls in turn: nothing is lost by it, and the next call is well.
extension HostAttack {
    static let counted: [HostAttack] = (1...12).flatMap { number in
        [
            attack(number, "fails its call number \(number)", rule: "WIRE-32", behaviour: "call-\(number)-fails"),
            attack(
                number + 12, "dies at its call number \(number)", rule: "WIRE-56", behaviour: "call-\(number)-dies"),
        ]
    }

    private static func attack(_ number: Int, _ what: String, rule: String, behaviour: String) -> HostAttack {
        let id = "HA-CALL-0" + (number < 10 ? "0" : "") + "\(number)"
        return HostAttack(
            id, "A host stands a provider that \(what), and is well otherwise", rule: rule, behaviour: behaviour,
            asking: .useAll, expecting: .success, capabilities: [.modifying])
    }
}
