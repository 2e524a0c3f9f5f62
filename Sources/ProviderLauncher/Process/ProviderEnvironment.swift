/// Which of the host's environment a provider gets to see: an allowlist, so that no secret of the user's shell leaks.
enum ProviderEnvironment {
    /// Tells the SDK that it was started by a host, and not by hand.
    static let cookieKey = "DOCENT_PROVIDER_COOKIE"

    private static let names: Set<String> = [
        "PATH", "HOME", "LANG", "LANGUAGE", "TZ",
        "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
        "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
    ]
    private static let prefixes = ["LC_", "DOCENT_"]

    static func allowed(from environment: [String: String]) -> [String: String] {
        var allowed = environment.filter { key, _ in names.contains(key) || prefixes.contains(where: key.hasPrefix) }
        allowed[cookieKey] = "1"
        return allowed
    }
}
