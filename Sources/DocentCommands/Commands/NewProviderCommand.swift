import ArgumentParser
import DocumentModel
import SystemPackage

struct NewProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Begin a provider of your own: a project that works as it is.",
        discussion: """
            The project is a new folder with the name of the provider. It holds a few documents in its memory and \
            passes the conformance kit; replace them by what you have.

            Example: docent provider new photos --language python
            """
    )

    @Argument(help: "What the provider is called: letters, digits and “-”.", transform: Arguments.projectName)
    var name: ProjectName

    @Option(help: "The language: swift or python.")
    var language: TemplateLanguage = .swift

    @Option(
        help: "Where to make the project's folder. (default: the current folder)", completion: .directory,
        transform: Arguments.absolutePath)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Where a Swift project gets Docent's package from: a path or a URL. (default: where this docent came from)",
            valueName: "place"))
    var docent: String?

    func run() async throws {
        let template = ProviderTemplate(language, templates: try ProviderTemplate.installed())
        let place: String
        if let docent {
            place = docent.contains("://") || docent.hasPrefix("git@") ? docent : try Arguments.absolutePath(docent)
        } else {
            place = try template.defaultPackage()
        }
        let parent = try folder ?? Arguments.absolutePath(".")
        let project = try template.make(name, in: FilePath(parent), docent: DocentPackage(place))
        try Console.print(
            """
            Made \(project). Next:

                cd \(ShellWord.quoted(project.string))
                ./build
                provider-conformance run --mutating --bundle bundle
                ./build --install
                docent domain add try --provider \(name.identifier)
                docent ls try:/

            README.md there says what is where.
            """)
    }
}

extension TemplateLanguage: ExpressibleByArgument {}
