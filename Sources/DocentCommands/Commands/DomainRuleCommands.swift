import ArgumentParser
import DocumentClient
import DocumentModel

extension DomainCommand {
    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show everything that is known of one domain.",
            discussion: "Example: docent domain show work"
        )

        @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
        var name: DomainName

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            // Where it cannot be asked, what is known is told with the rest, and why with that.
            _ = try? await client.quota(of: name)
            let domain = try await DomainCommand.find(name, client)
            try listing.show(domain.json, DomainListing.details(domain))
        }
    }

    struct SetRules: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change what you chose for a domain.",
            discussion: """
                Deletions of many items wait until you say yes: those of at least so many items that are at least such a \
                share of the domain. “never” switches that off.

                Examples:
                  docent domain set work --ask-from 20 --ask-from-percent 10
                  docent domain set work --ask-from never
                  docent domain set photos --look-again 3600
                """
        )

        @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
        var name: DomainName

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Deletions of fewer items need no yes, 50 at first; or “never”.", valueName: "items"),
            transform: SetRules.numberUnlessNever("--ask-from", 1...1_000_000_000, of: "items"))
        var askFrom: Int?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Nor do those of a smaller share of the domain, 25 at first.", valueName: "percent"),
            transform: Arguments.number("--ask-from-percent", 0...100))
        var askFromPercent: Int?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "How often the known folders of a provider that does not tell of changes are looked at again, at most, 600 at first; or “never”.",
                valueName: "seconds"),
            transform: SetRules.numberUnlessNever("--look-again", 10...31_536_000, of: "seconds"))
        var lookAgain: Int?

        func validate() throws {
            guard askFrom != nil || askFromPercent != nil || lookAgain != nil else {
                throw ValidationError("Say what is to be changed: --ask-from, --ask-from-percent or --look-again.")
            }
        }

        func run(_ client: DocumentClient) async throws {
            var change = DomainRuleChange()
            if let askFrom {
                if askFrom == Self.never {
                    change.deletionPercent = 101
                } else {
                    change.deletionMinimum = askFrom
                    // It was switched off, perhaps.
                    let rules = try await DomainCommand.find(name, client).rules
                    if rules.deletionPercent > 100 { change.deletionPercent = DomainRules().deletionPercent }
                }
            }
            if let askFromPercent { change.deletionPercent = askFromPercent }
            // None at all is never.
            if let lookAgain { change.lookAgain = .seconds(lookAgain) }
            try await client.setRules(change, of: name)
        }

        /// What “never” is read as.
        private static let never = 0

        private static func numberUnlessNever(
            _ option: String, _ range: ClosedRange<Int>, of unit: String
        ) -> @Sendable (String) throws -> Int {
            { text in text == "never" ? never : try Arguments.number(option, range, of: unit, or: "“never”")(text) }
        }
    }

    struct Deletions: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show deletions that wait for a yes, and answer.",
            discussion: """
                With --yes they are carried out. With --no nothing is lost: what was to be removed on the remote stays; of \
                what is gone on the remote, the documents with contents here stay and are sent there again. What comes \
                later is asked for anew.

                Examples:
                  docent domain deletions work
                  docent domain deletions work --no
                """
        )

        @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
        var name: DomainName

        @Flag(help: "They are meant: carry them out.")
        var yes = false

        @Flag(help: "They are not: keep what they are about.")
        var no = false

        @Option(help: ArgumentHelp("Only those of one direction: from-remote or to-remote.", valueName: "direction"))
        var only: String?

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            guard !(yes && no) else { throw ValidationError("Say --yes or --no, not both.") }
            let direction = try only.map { word -> HeldDeletions.Direction in
                switch word {
                case "from-remote": return .fromRemote
                case "to-remote": return .toRemote
                default: throw ValidationError("“\(word)” is not a direction: write from-remote or to-remote.")
                }
            }
            guard yes || no else {
                let held = try await DomainCommand.find(name, client).heldDeletions
                    .filter { direction == nil || $0.direction == direction }
                return try listing.show(.array(held.map(\.json)), HeldDeletionListing.text(held, of: name))
            }
            try await client.answerDeletions(of: name, direction, carryOut: yes)
        }
    }

    static func find(_ name: DomainName, _ client: DocumentClient) async throws -> DomainDescription {
        guard let domain = try await client.domains().first(where: { $0.name == name }) else {
            throw DocumentError(
                .notConfigured, "There is no domain “\(name)”: “docent domain list” shows the ones that are set up.")
        }
        return domain
    }
}
