import DocumentModel
import ProviderLauncher

/// Which of a domain's settings are for signing in: they are kept apart from the others, and come and go with a sign-in.
struct SignInSettings {
    private let settings: [Manifest.Setting]
    private let provider: String
    /// Whether the provider asks for what it signs in with.
    private let asksItself: Bool

    init(_ manifest: Manifest) {
        settings = manifest.settings.filter(\.isForSignIn)
        provider = "\(manifest.name) (\(manifest.identifier))"
        asksItself = manifest.capabilities.contains(.signIn)
    }

    /// Whether there is no signing in at all.
    var isEmpty: Bool { settings.isEmpty && !asksItself }

    /// Those that must be there, and are not.
    func isMissing(from values: [String: String]) -> Bool {
        settings.contains { $0.isRequired && values[$0.key] == nil }
    }

    /// Of all settings of a domain those that are for signing in.
    func those(of values: [String: String]) -> [String: String] {
        values.filter { value in settings.contains { $0.key == value.key } }
    }

    /// Of all settings of a domain the others.
    func others(of values: [String: String]) -> [String: String] {
        values.filter { value in !settings.contains { $0.key == value.key } }
    }

    /// What may be shown.
    func shown(of values: [String: String]) -> [String: String] {
        values.filter { value in !settings.contains { $0.key == value.key && $0.isSecret } }
    }

    /// What a domain is to sign in with after somebody gave something new.
    ///
    /// - Parameter known: what it signed in with before. What is not secret stays, unless it is for another way to sign in.
    /// - Throws: `invalidArgument` for nothing, and for what is no part of signing in.
    func credentials(given: [String: String], known: [String: String]) throws(DocumentError) -> [String: String] {
        guard !isEmpty else {
            throw DocumentError(.invalidArgument, "\(provider) has nothing to sign in with: it needs no sign-in.")
        }
        let names = settings.map { "“\($0.key)”" }.joined(separator: ", ")
        if let other = given.keys.sorted().first(where: { key in !settings.contains { $0.key == key } }) {
            throw DocumentError(
                .invalidArgument,
                "“\(other)” is not for signing in to \(provider): that takes \(names). Other settings are set when a domain is added."
            )
        }
        guard !given.isEmpty || asksItself else {
            throw DocumentError(.invalidArgument, "To sign in to \(provider), give something of \(names).")
        }
        let ways = Set(settings.filter { given[$0.key] != nil }.compactMap(\.signIn))
        var credentials = given
        for setting in settings where credentials[setting.key] == nil && !setting.isSecret {
            let fits = ways.isEmpty || setting.signIn.map(ways.contains) ?? true
            if fits { credentials[setting.key] = known[setting.key] }
        }
        return credentials
    }

    /// Whether somebody else signs in than before, as far as that can be told from what is no secret.
    func isSomebodyElse(_ credentials: [String: String], than known: [String: String]) -> Bool {
        // Nothing is known of who it was before; another way to sign in may be somebody else's.
        !known.isEmpty && settings.contains { !$0.isSecret && credentials[$0.key] != known[$0.key] }
    }
}
