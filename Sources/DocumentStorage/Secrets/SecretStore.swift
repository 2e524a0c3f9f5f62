package import DocumentModel

/// Where is kept what domains sign in with. All calls block.
package protocol SecretStore: Sendable {
    /// Nil when nothing is kept of the domain.
    func secrets(of domain: DomainName) throws -> [String: String]?

    /// Keeps these, all at once, in the place of what was kept before. On disk when it returns.
    func keep(_ secrets: [String: String], of domain: DomainName) throws

    /// Removing what is not kept is done, too.
    func remove(of domain: DomainName) throws

    /// The domains of which something is kept.
    func domains() throws -> [DomainName]
}
