import DocumentModel
import FileCoordination
import Synchronization

/// What tools have exported in picker sessions: to the tool, such a place is a sign of success, and gives no access
/// (PICK-3), until a session grants it.
final class ExportedItems: Sendable {
    /// Of one tool. What it exported before these is forgotten.
    private static let most = 10_000

    private struct Signs {
        var keys: Set<ItemKey> = []
        var inOrder: [ItemKey] = []
    }

    private let signs = Mutex<[ClaimOwner: Signs]>([:])

    func add(_ item: ItemKey, by owner: ClaimOwner) {
        signs.withLock { signs in
            var own = signs[owner] ?? Signs()
            if own.keys.insert(item).inserted { own.inOrder.append(item) }
            if own.inOrder.count > Self.most {
                for old in own.inOrder.prefix(Self.most / 10) { own.keys.remove(old) }
                own.inOrder.removeFirst(Self.most / 10)
            }
            signs[owner] = own
        }
    }

    /// Somebody chose it for the tool.
    func grant(_ item: ItemKey, to owner: ClaimOwner) {
        signs.withLock { signs in
            guard signs[owner]?.keys.remove(item) != nil else { return }
            signs[owner]?.inOrder.removeAll { $0 == item }
        }
    }

    /// Whether the tool has the place from an export alone.
    func isSign(_ item: ItemKey, of owner: ClaimOwner) -> Bool {
        signs.withLock { $0[owner]?.keys.contains(item) ?? false }
    }

    /// - Throws: `notPermitted` when the tool has the place from an export alone.
    func check(_ item: ItemKey, at location: Location, by owner: ClaimOwner) throws(DocumentError) {
        guard isSign(item, of: owner) else { return }
        throw DocumentError(
            .notPermitted,
            "\(location) was exported by this tool, and an export gives no access: choose it in a picker session in the mode open or import."
        )
    }

    /// The tool is gone.
    func end(_ owner: ClaimOwner) {
        signs.withLock { $0[owner] = nil }
    }
}
