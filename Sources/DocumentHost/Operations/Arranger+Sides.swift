import DocumentModel
import DocumentStorage

/// Documents that are to be removed with what was changed here, and that the remote has other contents of.
extension Arranger {
    /// Brings those contents where they are not here: they go into the trash as well (VER-2).
    func bringUnseenSides(
        of item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) {
        for part in try await storage.run({ try $0.unseenSides(within: item.id, in: item.domain) }) {
            let place = try storage.read { try $0.location(of: part.id, in: part.domain) } ?? location
            do throws(DocumentError) {
                _ = try await fetcher.fetch(part, at: place, on: domain, needed: true) { _ in }
            } catch {
                switch error.code {
                case .noSuchItem: continue
                case .cancelled: throw error
                default:
                    throw error.wrapped(
                        "\(location) was not removed, as what the remote has of \(place) could not be brought first, to be kept in the trash: \(error.message)"
                    )
                }
            }
        }
    }
}
