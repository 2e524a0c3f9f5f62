package import DocumentModel
package import DocumentTransport
package import SystemPackage

/// A provider that is through the handshake, for as long as its process lives.
package struct LiveProvider: Sendable {
    package let connection: Connection
    /// What it can do in this session: at most what its manifest declares.
    package let capabilities: Set<ProviderCapability>
    /// The domain's top folder.
    package let rootID: ItemIdentifier
    /// What it calls itself, for logs: `org.example.photos 2.1`.
    package let software: String
    package let processID: Int32
    /// What it was not granted because it was not there; it is started anew when it is.
    package var missing: [FilePath] = []
}
