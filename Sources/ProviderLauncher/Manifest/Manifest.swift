package import DocumentModel

/// What a provider says about itself before it is ever started: the checked form of a bundle's `provider.toml`.
package struct Manifest: Hashable, Sendable {
    /// The manifest's name inside a bundle.
    package static let fileName = "provider.toml"

    package var identifier: ProviderIdentifier
    /// For people.
    package var name: String
    /// For people and logs; may be empty.
    package var version: String
    /// Absolute, or relative to one of the folders that ``ProviderBundle`` looks in.
    package var executable: String
    package var arguments: [String]
    package var protocolVersions: [UInt32]
    package var modes: Set<PickerMode>
    package var types: [ContentType]
    package var capabilities: Set<ProviderCapability>
    /// Whether it gives access to documents in their place; a provider without takes and hands out copies (PICK-12).
    package var hasFileHalf: Bool
    package var settings: [Setting]
    package var permissions: Permissions
    package var limits: Limits
    /// Of the executable, as 64 lower-case hexadecimal digits.
    package var sha256: String?
    package var deadlines: Deadlines

    /// How long the host waits for this provider, by class of operation.
    package struct Deadlines: Hashable, Sendable {
        /// From launch to the end of the handshake.
        package var start: Duration = .seconds(10)
        /// Item, page, changes, anchor: in total.
        package var metadata: Duration = .seconds(30)
        /// Create, modify, delete: without progress.
        package var mutation: Duration = .seconds(30)
        /// Contents: without progress.
        package var contents: Duration = .seconds(60)
        /// What a sign-in asks, while somebody may have to answer prompts: without progress.
        package var signIn: Duration = .seconds(600)

        package init() {}
    }

    /// Whether somebody may have to sign in, or to answer what it asks meanwhile.
    var signsIn: Bool { capabilities.contains(.signIn) || settings.contains(where: \.isForSignIn) }

    /// Whether the provider is to be offered: the mode is listed and a type fits (PICK-10).
    ///
    /// - Parameters:
    ///   - types: in `export` and `move` the original's type; in `import` and `open` the types that the host tool takes.
    ///   - conforms: who knows of more types than we do.
    package func isOffered(
        for mode: PickerMode, types: [ContentType],
        conforms: (ContentType, ContentType) -> Bool = { $0.conforms(to: $1) }
    ) -> Bool {
        guard modes.contains(mode) else { return false }
        return types.contains { asked in
            self.types.contains { supported in
                switch mode {
                case .export, .move: conforms(asked, supported)
                case .import, .open: conforms(asked, supported) || conforms(supported, asked)
                }
            }
        }
    }
}
