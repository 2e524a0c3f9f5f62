package import DocumentModel
package import DocumentStorage

/// The daemon's command line.
package struct DaemonOptions: Hashable, Sendable {
    /// How long it stays when nobody is connected and nothing is under way; nil for ever.
    package var idleTime: Duration? = .seconds(600)
    /// Further provider bundles.
    package var bundles: [String] = []
    /// Whether providers are started where the kernel has no Landlock, or too old a one for them.
    package var allowsUnsandboxed = false
    /// Whether programs that nobody registered may do nothing.
    package var registeredToolsOnly = false
    /// Where is kept what domains sign in with; nil for what the environment says.
    package var secrets: KeptSecrets.Choice?
    package var isVerbose = false
    package var showsHelp = false

    package static let help = """
        docentd runs the host of a document storage root. docent starts it when it is needed. To have it run from login to
        logout: systemctl --user enable --now docentd; to start it yourself: docentd --stay

          --stay               do not end when idle
          --idle-time SECONDS  end after so long without a connection and without work (default 600)
          --bundle FOLDER      a further provider bundle; may be given several times
          --allow-unsandboxed  start providers also where the kernel has no Landlock, and nothing keeps them to the
                               files that they ask for, or one that is too old for the ports or the processes that
                               they ask for; DOCENT_ALLOW_UNSANDBOXED=1 does the same
          --registered-tools-only
                               programs that nobody registered may do nothing, but for docent itself;
                               DOCENT_REGISTERED_TOOLS_ONLY=1 does the same
          --secrets PLACE      where is kept what domains sign in with: auto, in the desktop's keyring (Secret Service)
                               when one answers and is unlocked, else in files that only this user can read (the
                               default); keyring, or not at all; files. DOCENT_SECRETS=PLACE does the same
          --verbose            log more
          --help               show this

        DOCENT_ROOT names the storage root (default: $XDG_DATA_HOME/docent), XDG_RUNTIME_DIR the folder of the socket.
        DOCENT_DEVICE_NAME is what this device is called for people on other ones (default: the machine's name);
        DOCENT_PROVIDER_PATH names further provider bundles, with colons between.

        Exit codes: 0; 1 for a failure; 64 for wrong usage; 78 for a mistake in your settings.
        """

    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    package init(arguments: [String]) throws(DocumentError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--stay": idleTime = nil
            case "--verbose": isVerbose = true
            case "--allow-unsandboxed": allowsUnsandboxed = true
            case "--registered-tools-only": registeredToolsOnly = true
            case "--help", "-h": showsHelp = true
            case "--bundle":
                guard let folder = rest.popFirst() else { throw Self.missing(argument) }
                bundles.append(folder)
            case "--secrets":
                guard let text = rest.popFirst() else { throw Self.missing(argument) }
                secrets = try Self.secrets(named: text, by: argument)
            case "--idle-time":
                guard let text = rest.popFirst() else { throw Self.missing(argument) }
                guard let seconds = UInt32(text), seconds > 0 else {
                    throw DocumentError(.invalidArgument, "--idle-time takes a number of seconds, not “\(text)”.")
                }
                idleTime = .seconds(seconds)
            default:
                throw DocumentError(
                    .invalidArgument, "docentd does not know “\(argument)”; docentd --help shows what it knows.")
            }
        }
    }

    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    static func secrets(named text: String, by source: String) throws(DocumentError) -> KeptSecrets.Choice {
        if let choice = KeptSecrets.Choice(rawValue: text) { return choice }
        let choices = KeptSecrets.Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw DocumentError(.invalidArgument, "\(source) takes one of \(choices), not “\(text)”.")
    }

    private static func missing(_ option: String) -> DocumentError {
        DocumentError(.invalidArgument, "\(option) needs a value; docentd --help shows how it is used.")
    }
}
