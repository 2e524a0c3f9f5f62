public import DocumentModel
public import Logging
public import SystemPackage

/// What a provider is told about its domain, and its way to the host.
public struct ProviderContext: Sendable {
    /// The identifier in the manifest that the provider was started from (PROV-3), and the purpose identifier of
    /// everything that acts for it (ID-5).
    public let providerIdentifier: ProviderIdentifier
    public let domain: DomainName
    /// The domain's settings, checked against the manifest.
    public let settings: [String: String]
    /// A folder for the provider's own state; stays over restarts.
    public let stateFolder: FilePath
    /// The document storage root (PROV-4). For information: a provider never writes there (ID-8).
    public let documentStorageURL: FilePath
    /// The folder below which every staging file of this session lies.
    public let stagingFolder: FilePath
    /// What this device is called, for people on other devices: who saved what comes here to be kept (VER-9). Empty when the
    /// host does not say.
    public let deviceName: String
    /// Goes to the host's log, with the domain's name.
    public let logger: Logger

    private let host: any ProviderHost

    /// For tests of a provider; in a running one the host makes it.
    public init(
        providerIdentifier: ProviderIdentifier,
        domain: DomainName,
        settings: [String: String] = [:],
        stateFolder: FilePath,
        documentStorageURL: FilePath,
        stagingFolder: FilePath,
        deviceName: String = "",
        logger: Logger,
        host: any ProviderHost
    ) {
        self.providerIdentifier = providerIdentifier
        self.domain = domain
        self.settings = settings
        self.stateFolder = stateFolder
        self.documentStorageURL = documentStorageURL
        self.stagingFolder = stagingFolder
        self.deviceName = deviceName
        self.logger = logger
        self.host = host
    }

    /// Has the host create or refresh an item's placeholder (PROV-1). Never removes contents (PH-4). Not to be called
    /// from ``Provider/init(context:)``, where the host does not answer yet.
    public func writePlaceholder(_ item: Item) async throws {
        try await host.writePlaceholder(item)
    }

    /// Where the placeholder of a document lies: pure, and different for different documents (PROV-2, PH-2).
    ///
    /// - Parameter url: the document's place, strictly below ``documentStorageURL``.
    /// - Throws: `DocumentError` with the code `outsideStorageRoot` for any other place (PH-3), `invalidArgument` when
    ///   a component below the root cannot be a document's name.
    public func placeholderURL(for url: FilePath) throws(DocumentError) -> FilePath {
        let root = documentStorageURL.lexicallyNormalized()
        let below = url.components.dropFirst(root.components.count)
        // `..` is refused rather than resolved: where it leads depends on what is on disk.
        guard url.isAbsolute, url.starts(with: root), !below.isEmpty, url.components.allSatisfy({ $0.kind == .regular })
        else {
            throw DocumentError(
                .outsideStorageRoot,
                "“\(url)” lies outside the document storage root “\(root)”, so it has no placeholder."
            )
        }
        for component in below { _ = try ItemName(component.string) }
        var placeholder = url.removingLastComponent().appending(ItemName.placeholderFolder)
        if let name = url.lastComponent { placeholder.append(name) }
        return placeholder
    }

    /// Tells the host that the feed of changes has something new.
    public func signalChanges() {
        host.signalChanges()
    }

    /// Tells the host that what resolvable errors waited for has happened: it tries again what it held back.
    ///
    /// - Parameter codes: the codes that are resolved; empty for all of them.
    public func signalErrorResolved(_ codes: [DocumentError.Code] = []) {
        host.signalErrorResolved(codes)
    }

    /// Asks whoever signs in to the domain just now, for example for a code. For a ``SignInProvider``; not to be called from
    /// ``Provider/init(context:)``, where the host does not answer yet.
    ///
    /// - Returns: what was typed, by the fields' keys.
    /// - Throws: `DocumentError` with the code `notAuthenticated` when nobody is signing in, or does not answer: let the
    ///   call that it was for fail with it, and the host tells people how to sign in.
    public func prompt(_ prompt: Prompt) async throws -> [String: String] {
        try await host.prompt(prompt)
    }

    /// What was stored under a name for this domain; nil when nothing is. For a ``SignInProvider``.
    public func secret(named name: String) async throws -> [UInt8]? {
        try await host.secret(named: name)
    }

    /// Keeps something secret, for example a token, with what the domain signs in with, and where no other provider reads
    /// it. It goes at sign-out, and a sign-in begins without. For a ``SignInProvider``.
    ///
    /// - Parameters:
    ///   - value: at most 16,384 bytes; empty to keep nothing under the name any more. On disk when this returns.
    ///   - name: 1 to 64 printable ASCII characters, without “=”; at most 16 names.
    public func store(secret value: [UInt8], named name: String) async throws {
        try await host.storeSecret(value, named: name)
    }

    /// Tells people something about the domain as it is, in a few sentences: it is shown with the domain, until something
    /// else is told. Nothing that waits for somebody, which is an error; and nothing secret.
    ///
    /// - Parameters:
    ///   - text: at most 2048 bytes; what is longer is cut. Empty: there is nothing to know any more.
    ///   - isWarning: whether it is to be seen wherever the domain is shown, because somebody may lose something.
    public func note(_ text: String, isWarning: Bool = false) {
        host.note(DomainNote(text, isWarning: isWarning))
    }
}

/// What a provider asks and tells its host. In a running provider the connection; a test of a provider brings its own.
public protocol ProviderHost: Sendable {
    func writePlaceholder(_ item: Item) async throws
    func signalChanges()
    func signalErrorResolved(_ codes: [DocumentError.Code])
    func note(_ note: DomainNote)
    func prompt(_ prompt: Prompt) async throws -> [String: String]
    func secret(named name: String) async throws -> [UInt8]?
    func storeSecret(_ value: [UInt8], named name: String) async throws
}

extension ProviderHost {
    /// By default it is not told to anybody.
    public func note(_ note: DomainNote) {}

    /// By default nobody is there.
    public func prompt(_ prompt: Prompt) async throws -> [String: String] {
        throw DocumentError(.notAuthenticated, "Nobody is signing in just now.")
    }

    /// By default nothing is kept.
    public func secret(named name: String) async throws -> [UInt8]? { nil }

    /// By default it cannot be kept.
    public func storeSecret(_ value: [UInt8], named name: String) async throws {
        throw DocumentError(.unimplemented, "This host keeps no secrets.")
    }
}
