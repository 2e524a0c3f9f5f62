package import DocumentModel
internal import Synchronization

/// Says which versions went because newer ones came: nobody has asked for that.
package final class VersionNews: Sendable {
    package typealias Listener = @Sendable (ItemIdentifier, DomainName, [KeptVersion]) -> Void

    private let listener = Mutex<Listener?>(nil)

    /// - Parameter body: nil: nobody hears of it any more. Called after they are gone, on the thread of whoever has had them
    ///   go. It must not block.
    package func onPruned(_ body: Listener?) { listener.withLock { $0 = body } }

    func pruned(_ versions: [KeptVersion], of id: ItemIdentifier, in domain: DomainName) {
        guard !versions.isEmpty else { return }
        listener.withLock { $0 }?(id, domain, versions)
    }
}
