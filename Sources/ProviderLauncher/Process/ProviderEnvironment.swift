internal import SystemPackage

/// Which of the host's environment a provider gets to see: an allowlist, so that no secret of the user's shell leaks.
package enum ProviderEnvironment {
    /// Tells the SDK that it was started by a host, and not by hand.
    static let cookieKey = "DOCENT_PROVIDER_COOKIE"

    private static let names: Set<String> = [
        "PATH", "HOME", "LANG", "LANGUAGE", "TZ",
        "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
        "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
        // What the SDK looks at, beside the cookie. Everything else that is Docent's is the host's and its tools' own.
        "DOCENT_LOG_LEVEL", "DOCENT_WAIT_FOR_DEBUGGER",
    ]
    private static let prefixes = ["LC_"]

    private static let proxies = [
        "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
    ]

    /// For a process that is confined: its home and its temporary folder are its own, and without network it has no use
    /// for proxies. Where it has, names are asked for by TCP: it has no datagrams.
    package static func confined(
        from environment: [String: String], to folders: SandboxFolders, hasNetwork: Bool
    ) -> [String: String] {
        var confined = allowed(from: environment)
        confined["HOME"] = folders.state.string
        confined["TMPDIR"] = folders.temporary.string
        // Swift's runtime would catch a crash to start a program that looks at it, which the sandbox refuses.
        confined["SWIFT_BACKTRACE"] = "enable=no"
        if hasNetwork {
            confined["RES_OPTIONS"] = "use-vc"
        } else {
            confined = confined.filter { key, _ in !proxies.contains(key.lowercased()) }
        }
        return confined
    }

    package static func allowed(from environment: [String: String]) -> [String: String] {
        var allowed = environment.filter { key, _ in names.contains(key) || prefixes.contains(where: key.hasPrefix) }
        allowed[cookieKey] = "1"
        return allowed
    }
}
