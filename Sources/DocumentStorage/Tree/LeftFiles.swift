package import DocumentModel
internal import Synchronization

/// Files that belong to no item, and lie where a folder was that is gone: they stay, and somebody is to be told.
package final class LeftFiles: Sendable {
    private let listener = Mutex<Hook<[Location]>?>(nil)

    /// - Parameter body: called on the thread of whoever has removed the folder; it must not block.
    package func onLeft(_ body: @escaping @Sendable ([Location]) -> Void) {
        listener.withLock { $0 = Hook(body) }
    }

    func left(_ files: [Location]) {
        guard !files.isEmpty, let listener = listener.withLock({ $0 }) else { return }
        listener(files)
    }
}
