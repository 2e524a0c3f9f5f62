package import DocumentModel
package import DocumentTransport
import ProviderLauncher

extension DocumentHost {
    /// Has a domain served by a provider at the other end of a transport, without a process, until its connection ends.
    ///
    /// - Returns: why it ended; nil when it was told to.
    package func serve(_ name: DomainName, over end: any TransportEnd) async -> DocumentError? {
        guard let domain = domains.find(name) else {
            return DocumentError(.notConfigured, "There is no domain “\(name)”.")
        }
        return await domain.supervisor.live(over: end)
    }
}
