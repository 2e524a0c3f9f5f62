import ArgumentParser
import DocumentClient
import DocumentModel

struct IgnoreCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ignore",
        abstract: "Show and change what of a domain is kept here and not sent.",
        discussion: """
            Patterns as in gitignore: * is any text within a name, ? one character, [a-z] one of several, ** any number of \
            folders; / at the beginning begins at the top folder, / at the end is for folders only, and ! means: sent after \
            all. Of those that match, the last one decides.

            Rules are for what is new here. What the remote has stays there, whatever it is called.

            Examples:
              docent ignore work
              docent ignore work --add '*.tmp' --add 'build/'
              docent ignore work --remove '*.tmp'
              docent ignore work --explain build/report.txt
            """
    )

    @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
    var name: DomainName

    @Option(
        help: ArgumentHelp("Add a pattern, behind the others. May be given several times.", valueName: "pattern"),
        transform: Arguments.pattern)
    var add: [IgnorePattern] = []

    @Option(
        help: ArgumentHelp("Remove a pattern, as it is shown. May be given several times.", valueName: "pattern"),
        transform: Arguments.pattern)
    var remove: [IgnorePattern] = []

    @Flag(inversion: .prefixedNo, help: "Let the built-in patterns hold, too, before the others; or not.")
    var defaults: Bool?

    @Option(help: ArgumentHelp("Say which rule decides on an item.", valueName: "path"))
    var explain: String?

    @OptionGroup var listing: ListingOptions

    private var change: IgnoreRuleChange { IgnoreRuleChange(adding: add, removing: remove, usesDefaults: defaults) }

    func validate() throws {
        guard explain == nil || change.isEmpty else {
            throw ValidationError("--explain changes nothing: leave it out, or the changes.")
        }
    }

    func run(_ client: DocumentClient) async throws {
        guard let explain else {
            let rules =
                change.isEmpty
                ? try await client.ignoreRules(of: name) : try await client.changeIgnoreRules(change, of: name)
            return try listing.show(rules.json, IgnoreListing.text(rules, of: name))
        }
        let location = try location(explain)
        let explanation = try await client.explainIgnoring(of: location)
        try listing.show(explanation.json(of: location), IgnoreListing.text(explanation, of: location))
    }

    /// As `domain:/path`, or from the domain's top folder on.
    private func location(_ text: String) throws -> Location {
        let location = try Arguments.location(text.contains(":/") ? text : "\(name):/\(text)")
        guard location.domain == name else {
            throw ValidationError("\(location) is not in the domain \(name).")
        }
        return location
    }
}
