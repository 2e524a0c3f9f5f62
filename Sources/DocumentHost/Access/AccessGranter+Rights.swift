import DocumentModel
import DocumentStorage
import FileCoordination

/// What a tool may access of these, just now.
///
/// - Throws: `notPermitted` when that is known without a look at what is there.
typealias AccessRights = @Sendable ([AccessRequest.Intention]) async throws(DocumentError) -> AccessPermit

/// What is looked at again when an access has waited: where its documents are, and whether the tool may still have them.
extension AccessGranter {
    /// What an intention is about, as of now.
    struct Located: Sendable {
        /// The item; of a free place, the folder.
        let item: KnownItem
        let isPlace: Bool
        let intention: AccessRequest.Intention
    }

    /// - Returns: nil when what was to be replaced has left its place. Renamed while it was waited for, it is another item to
    ///   those who replace, and their claim is on the place (COORD-7).
    func located(
        _ targets: [AccessTarget], _ request: AccessRequest, _ grant: CoordinationBroker.Grant
    ) throws(DocumentError) -> [Located]? {
        var located: [Located] = []
        for (index, (target, wanted)) in zip(targets, request.intentions).enumerated() {
            var intention = wanted
            switch target {
            case .place(let place):
                let folder = try current(place.folder, wanted.location)
                intention.location = folder.coordinated.location.appending(place.name)
                located.append(Located(item: folder, isPlace: true, intention: intention))
            case .item(let key):
                let item = try current(key, wanted.location)
                intention.location = item.coordinated.location
                if wanted.writingOption == .forReplacing, intention.location != wanted.location,
                    intention.location != grant.locations[index]
                {
                    return nil
                }
                located.append(Located(item: item, isPlace: false, intention: intention))
            }
        }
        return located
    }

    /// Whether something else has come to the place of an item that has gone while it was waited for: then that is what is
    /// to be accessed.
    func isReplaced(_ targets: [AccessTarget], _ request: AccessRequest) throws(DocumentError) -> Bool {
        for (target, intention) in zip(targets, request.intentions) {
            guard case .item(let key) = target, try known.item(key)?.item.exists != true else { continue }
            if let other = try known.item(at: intention.location), other.item.exists,
                !broker.isIdentified(other.coordinated, as: key)
            {
                return true
            }
        }
        return false
    }

    /// While it waited, a bookmark may have been revoked, a tool unregistered, an item moved out of what the tool may access,
    /// or given away (BOOK-5, CONT-2, PICK-3).
    func check(
        _ located: [Located], _ request: AccessRequest, by owner: ClaimOwner, _ rights: AccessRights
    ) async throws(DocumentError) {
        let permit = try await rights(located.map(\.intention))
        for one in located {
            if request.bookmark == nil, !one.isPlace {
                try exported.check(one.item.key, at: one.intention.location, by: owner)
            }
            try permit.check(one.item.item, one.intention, storage)
        }
    }
}
