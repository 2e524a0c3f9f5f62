import DocumentModel

/// Providers that keep the sides of conflicts, and list, give, keep and remove others than they say.
extension HostAttack {
    static let sides: [HostAttack] = numbered(lists + gifts + keepings + refusals)

    private static let lists: [Side] = [
        Side("lists 65 versions of a document", "sides-too-many", noticed),
        Side("lists two versions under one identifier", "side-twice", noticed),
        Side("lists a version that nothing names", "side-without-identifier", noticed),
        Side("lists a version whose identifier has 129 bytes", "side-of-a-long-identifier", noticed),
        Side("lists a version whose identifier rewrites the terminal", "side-of-an-odd-identifier", noticed),
        Side("lists a version whose identifier is not UTF-8", "side-identifier-not-text", violation, rule: "WIRE-8"),
        Side("lists a version of minus two bytes", "side-of-negative-size", noticed),
        Side("does not say as what it keeps a version", "side-without-role", noticed),
        Side("keeps a version as nobody knows what", "side-of-an-unknown-role", noticed),
        Side("lists a version with a digest of 31 bytes", "side-of-a-short-digest", noticed),
        Side("lists a version of the year 292,277,026,596", "side-after-all", noticed, rule: "CONT-1"),
        Side("lists a version from before the beginning of time", "side-before-all", noticed, rule: "CONT-1"),
        Side("answers that a version is removed when it is to list some", "sides-of-another-kind", violation),
        Side("never lists versions", "sides-never", .success, rule: "WIRE-28"),
        Side("dies whenever it is to list versions", "sides-die", dead, rule: "WIRE-56"),
        Side("cannot list versions, each time for another reason", "sides-fail", .success, rule: "WIRE-30"),
        Side("has a version of a device whose name rewrites the terminal", "side-of-an-odd-device", .success),
        Side("keeps a version under the name of the contents' own", "side-called-as-the-contents", .success),
        Side("says that it keeps sixty sides of a document, and lists none", "sides-missing", .success),
        Side("says that it keeps 2^31 sides of a document", "sides-beyond-number", broken, asking: .list),
        Side("says that it keeps minus one side of a document", "sides-below-zero", broken, asking: .list),
        Side("has changed whenever it is asked what it keeps", "sides-storm", .success, rule: "WIRE-26", feeds: true),
    ]

    private static let gifts: [Side] = [
        Side("gives half of a version", "side-half", broken, rule: "WIRE-40"),
        Side("gives more of a version than it says", "side-too-long", broken, rule: "WIRE-36"),
        Side("gives other contents than those whose digest it has listed", "side-of-other-contents", broken),
        Side("gives longer contents than it has listed", "side-of-another-size", broken),
        Side("lists a version of eight exabytes, and gives a few bytes", "side-of-exabytes", broken, rule: "WIRE-40"),
        Side("gives a version, and says that it is another one", "side-of-another-identifier", broken, rule: "WIRE-34"),
        Side("removes the staging file of a version", "side-removed", broken, rule: "WIRE-39"),
        Side("puts a link in the place of a version's staging file", "side-is-a-symlink", broken, rule: "WIRE-39"),
        Side("keeps a version's staging file open for writing", "side-still-open", broken, rule: "WIRE-22"),
        Side("gives a version, and writes where it may not", "side-in-the-wrong-place", .success, rule: "WIRE-39"),
        Side("takes longer for a version than it may be silent", "side-comes-slowly", .success, rule: "WIRE-28"),
        Side("dies when half of a version is there", "side-then-death", dead, rule: "WIRE-40"),
        Side(
            "gives half of a version, and falls silent", "side-stalls", .failure([.deadlineExceeded]), rule: "WIRE-28"),
        Side("lists a version, and does not have it", "side-gone", .failure([.versionNoLongerAvailable])),
        Side("says that it keeps a version that it is to give", "side-of-another-kind", .failure([.protocolViolation])),
    ]

    private static let keepings: [Side] = [
        Side("says that it keeps other contents than it was given", "keep-of-another-digest", noticed, chosen: true),
        Side("says that it keeps more bytes than it was given", "keep-of-another-size", noticed, chosen: true),
        Side("keeps a side of a conflict as something older", "keep-as-older", noticed, chosen: true),
        Side("keeps a version under no name", "keep-without-identifier", noticed, chosen: true),
        Side("keeps a version under the name of another device's", "keep-under-a-taken-name", noticed, chosen: true),
        Side("lists none when it is to keep a version", "keep-of-another-kind", violation, chosen: true),
        Side("dies whenever it is to keep a version", "keep-dies", dead, rule: "WIRE-56", chosen: true),
        Side("dies once when it is to keep a version", "keep-dies-once", .success, rule: "WIRE-56", chosen: true),
        Side("never says that it keeps a version", "keep-never", .success, rule: "WIRE-28", chosen: true),
        Side("cannot keep a version, each time for another reason", "keep-fails", .success, chosen: true),
        Side("writes into the contents that it is to keep", "keep-damages-the-snapshot", .success, chosen: true),
        Side("says that it keeps a version, and never lists it", "keep-and-tell-nothing", .success, chosen: true),
        Side("lists what it was given to keep once, and then never again", "keep-and-lose", .success, chosen: true),
        Side("never says that a version is removed", "remove-never", .success, rule: "WIRE-28", chosen: true),
        Side("cannot remove a version, each time for another reason", "remove-fails", .success, chosen: true),
        Side("dies whenever it is to remove a version", "remove-dies", dead, rule: "WIRE-56", chosen: true),
        Side("lists versions when it is to remove one", "remove-of-another-kind", violation, chosen: true),
    ]

    private static let refusals: [Side] = [
        Side("claims to keep versions, and cannot list them", "sides-unknown", .success, rule: "WIRE-9"),
        Side("says when it is to list versions that there is no such item", "sides-of-nothing", .success, rule: lost),
        Side("keeps each version in the place of the one before", "keep-all-under-one-name", .success, changed: true),
        Side("claims to keep versions, and cannot keep one", "keep-unknown", .success, rule: "WIRE-9", chosen: true),
        Side("has no room for another version", "keep-without-room", .success, rule: refused, chosen: true),
        Side("says when it is to keep a version that there is no such item", "keep-of-nothing", .success, chosen: true),
        Side(
            "says when it is to keep a version that it has died", "keep-reserved-code", ended, rule: "WIRE-31",
            chosen: true),
        Side(
            "says when it is to remove a version that there is no such item", "remove-of-nothing", .success,
            chosen: true),
        Side(
            "does not permit that a version is removed", "remove-not-permitted", .success, rule: refused, chosen: true),
        Side("removes no version without a sign-in", "remove-signed-out", .success, rule: refused, chosen: true),
    ]

    private static let refused = "WIRE-30"
    private static let lost = "WIRE-32"
    /// The caller is not at it when the host asks.
    private static let noticed = HostExpectation.noticed(.contractBroken)
    private static let violation = HostExpectation.noticed(.protocolViolation)
    private static let broken = HostExpectation.failure([.contractBroken])
    /// A connection that ends for it is begun anew, later and later.
    private static let ended = HostExpectation.either([.protocolViolation, .providerDied, .providerUnavailable])
    private static let dead = HostExpectation.either([.providerDied, .providerUnavailable])

    private struct Side {
        var deed: String
        var behaviour: String
        var expectation: HostExpectation
        var rule: String
        var question: HostQuestion
        var capabilities: Set<ProviderCapability> = [.modifying, .versions]

        init(
            _ deed: String, _ behaviour: String, _ expectation: HostExpectation, rule: String = "VER-2",
            asking question: HostQuestion = .sides, chosen: Bool = false, changed: Bool = false, feeds: Bool = false
        ) {
            self.deed = deed
            self.behaviour = behaviour
            self.expectation = expectation
            self.rule = rule
            self.question = changed ? .chooseChangedSide : chosen ? .chooseSide : question
            if feeds { capabilities.insert(.changes) }
        }
    }

    private static func numbered(_ sides: [Side]) -> [HostAttack] {
        sides.enumerated().map { index, side in
            let number = String(index + 1)
            return HostAttack(
                "HA-SIDE-" + String(repeating: "0", count: 3 - number.count) + number,
                "A host stands a provider that " + side.deed, rule: side.rule, behaviour: side.behaviour,
                asking: side.question, expecting: side.expectation, capabilities: side.capabilities)
        }
    }
}
