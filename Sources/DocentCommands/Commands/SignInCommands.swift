import ArgumentParser
import DocumentClient
import DocumentModel
import Glibc

struct LoginCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in to a domain: with what its provider asks for, typed here or read from a file.",
        discussion: """
            Without --set you are asked, and what is secret is not shown. The provider tries it at once: what is not accepted \
            changes nothing. It may ask for more, such as a code, in words of its own. What waited for a sign-in goes on by itself. “docent provider show ID” tells what is asked for; \
            --with chooses, where there are several ways.

            Examples:
              docent login work
              docent login work --with token
              docent login work --set user=ann --set password=@password-file
            """
    )

    @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
    var name: DomainName

    @Option(
        name: .customLong("with"), help: ArgumentHelp("The way to sign in, where there are several.", valueName: "way"))
    var way: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A setting; may be repeated. A secret: key=@FILE for the text of a file, or key=- for standard input.",
            valueName: "key=value"),
        transform: Arguments.setting)
    var settings: [Arguments.Setting] = []

    func run(_ client: DocumentClient) async throws {
        let domain = try await DomainCommand.find(name, client)
        let provider = try await client.provider(domain.providerID)
        let form = try SignInForm(provider.settings, way: way, known: domain.settings)
        var values: [String: String] = [:]
        for setting in settings {
            let isSecret = provider.settings.contains { $0.key == setting.key && $0.isSecret }
            let value = isSecret ? try SecretInput.value(of: setting.key, written: setting.value) : setting.value
            guard values.updateValue(value, forKey: setting.key) == nil else {
                throw ValidationError("The setting “\(setting.key)” is given twice: give it once.")
            }
        }
        let questions = form.questions(given: values)
        if settings.isEmpty, let others = form.otherWays {
            Console.complain("Signing in by \(form.way ?? "") (other ways, by --with: \(others)).")
        }
        for question in questions {
            let answer =
                question.isSecret
                ? try SecretInput.typed(question.key)
                : try SecretInput.typedOpenly(question.key, current: domain.settings[question.key])
            if !answer.isEmpty { values[question.key] = answer }
        }
        // The sign-in may end while somebody is asked for a secret: the terminal is to show again what is typed.
        var terminal = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &terminal) == 0
        defer {
            // One in the background would be stopped.
            if isTerminal, tcgetpgrp(STDIN_FILENO) == getpgrp() { tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal) }
        }
        try await client.signIn(to: name, settings: values) { prompt, provider in
            try SignInPrompt(prompt, of: provider).answered()
        }
        Console.complain("You are signed in to \(name).")
    }
}

struct LogoutCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out of a domain: what it signs in with, and what of its documents is here, go.",
        discussion: """
            The domain stays set up, and “docent login” brings it back. Nothing is done while something of it was not sent \
            yet or has a conflict: that would be lost. The remote stays as it is.

            Example: docent logout work
            """
    )

    @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
    var name: DomainName

    @Flag(help: "Also when there are changes that were not sent, or conflicts. What was changed here is lost.")
    var dropUnsent = false

    func run(_ client: DocumentClient) async throws {
        try await client.signOut(of: name, dropUnsent: dropUnsent)
    }
}
