package import DocumentModel
import Synchronization

/// Who is told where folders of the tree lie by now, and all that is in them; also what no item is.
package final class FolderMoves: Sendable {
    package struct Move: Hashable, Sendable {
        package var source: Location
        package var target: Location

        /// Where a file is that was at a place; nil when the folder was not around it.
        package func target(of file: Location) -> Location? {
            guard file.domain == source.domain, file.components.count > source.components.count,
                file.components.starts(with: source.components)
            else { return nil }
            return Location(
                domain: target.domain,
                components: target.components + file.components.dropFirst(source.components.count))
        }
    }

    private let body = Mutex<Hook<Move>?>(nil)

    /// - Parameter body: is called while the tree is changed; must not block.
    package func observe(_ body: @escaping @Sendable (Move) -> Void) { self.body.withLock { $0 = Hook(body) } }

    func moved(from source: Location, to target: Location) {
        let body = body.withLock { $0 }
        body?(Move(source: source, target: target))
    }
}
