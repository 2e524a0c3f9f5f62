/// One end of a two-way stream of bytes that a ``Connection`` runs over.
package protocol TransportEnd: Sendable {
    /// Closes both directions. May be called from anywhere, and more than once.
    func close()
}
