internal import DocumentModel
internal import SystemPackage

/// What the domain was set up with.
struct WebDAVSettings: Sendable {
    enum Credentials: Hashable, Sendable {
        case none
        case basic(user: String, password: String)
        case bearer(String)
    }

    var address: ServerAddress
    var credentials: Credentials
    /// Whether the server has refused the credentials; all who use these settings know of it.
    let refused = RefusedSignIn()
    /// Whom to trust instead of those whom the system trusts.
    var certificates: FilePath?
    var proxy: ServerAddress?
    /// The most connections at a time.
    var connections = 48
    /// Nothing is written, and what the server guarantees to writers is not found out.
    var isReadOnly = false
    /// The user says that nobody else writes there (RS-10).
    var isSingleWriter = false

    init(address: ServerAddress, credentials: Credentials = .none) {
        self.address = address
        self.credentials = credentials
    }

    /// - Throws: `notConfigured`.
    init(_ settings: [String: String]) throws(DocumentError) {
        func value(_ key: String) -> String? { settings[key].flatMap { $0.isEmpty ? nil : $0 } }
        guard let url = value("url") else {
            throw DocumentError(
                .notConfigured, "The setting “url” is missing: give the address of a folder on a WebDAV server.")
        }
        address = try ServerAddress(url)
        credentials = try Self.credentials(user: value("user"), password: value("password"), token: value("token"))
        // What goes through a proxy leaves this machine, whatever its address.
        let staysHere = address.isLoopback && value("proxy") == nil
        guard credentials == .none || address.isSecure || staysHere else {
            throw DocumentError(
                .notConfigured,
                "“\(address.origin)” is not encrypted, and everybody on the way could read the password: use https://.")
        }
        certificates = value("ca-file").map { FilePath($0) }
        if let text = value("proxy") {
            let proxy = try ServerAddress(text, setting: "proxy")
            guard !proxy.isSecure, proxy.segments.isEmpty else {
                throw DocumentError(
                    .notConfigured, "The setting “proxy” must look like http://proxy.example.org:3128, without a path.")
            }
            self.proxy = proxy
        }
        isReadOnly = value("read-only") == "true"
        isSingleWriter = value("single-writer") == "true"
    }

    private static func credentials(
        user: String?, password: String?, token: String?
    ) throws(DocumentError) -> Credentials {
        switch (user, password, token) {
        case (nil, nil, nil): return .none
        case (nil, nil, let token?):
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw DocumentError(
                    .notConfigured, "The setting “token” may have no blanks and only ASCII letters in it.")
            }
            return .bearer(token)
        case (let user?, let password, nil):
            guard !user.contains(":") else {
                throw DocumentError(.notConfigured, "The setting “user” may have no colon in it.")
            }
            return .basic(user: user, password: password ?? "")
        case (nil, _?, nil):
            throw DocumentError(.notConfigured, "There is a “password” without a “user”: give both settings.")
        default:
            throw DocumentError(
                .notConfigured, "There is a “token” beside “user” and “password”: keep one or the other.")
        }
    }
}
