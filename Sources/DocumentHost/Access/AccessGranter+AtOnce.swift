import DocumentModel
import DocumentStorage
import FileCoordination

/// The usual read: of one document that is here, with nobody to wait for, to ask, or to fetch anything from. It is granted
/// without a pause, and without a look into the index when it was read before.
extension AccessGranter {
    /// - Parameter permit: what the tool may access.
    /// - Returns: nil when it is not such a read; then nothing has happened, and it goes the long way, which says why not.
    func beginAtOnce(
        _ request: AccessRequest, by owner: ClaimOwner, _ permit: AccessPermit
    ) -> (number: UInt64, item: KnownItem)? {
        guard request.isUsualRead, let domain = domains.find(request.location.domain), !domain.isDropBox,
            domain.isCaughtUp || !domain.mayHaveFeed, (try? domain.require([.open, .import], for: "opened")) != nil,
            let found = try? known.item(at: request.location), found.isUsable,
            request.bookmark != nil || (try? exported.check(found.key, at: request.location, by: owner)) != nil,
            (try? permit.check(found.item, request.intentions[0], storage)) != nil,
            let share = try? accesses.quota.take(1, for: owner)
        else { return nil }
        let purpose: Purpose?
        var isGranted = false
        defer { if !isGranted { accesses.quota.giveBack(share) } }
        do throws(DocumentError) { purpose = try self.purpose(of: request, by: owner) } catch { return nil }
        let options = request.readingOptions.subtracting(.readingAhead)
        let intention = AccessIntention(found.coordinated, .reading(options))
        let coordinator = request.coordinator.map { CoordinatorID(owner: owner.id, number: $0) }
        guard
            let claim = broker.claimWithoutWaiting({ id in
                Claim(
                    id: id, owner: owner, intentions: [intention], purpose: purpose, coordinator: coordinator,
                    isOfMount: request.isOfMount)
            })
        else { return nil }
        // From here on nobody changes it who coordinates; until here anybody may have.
        guard let now = try? known.item(found.key), now === found, storage.isAsRecorded(now.item, at: now.onDisk) else {
            broker.end(claim)
            return nil
        }
        accesses.insert(Access(claim: claim, owner: owner, share: share, intentions: [intention], keys: [found.key]))
        isGranted = true
        return (claim.rawValue, found)
    }
}

extension AccessRequest {
    /// One document's contents, on nobody's behalf, and for nothing but to be read.
    fileprivate var isUsualRead: Bool {
        intent == .reading && readingOptions.isSubset(of: [.withoutChanges, .asItComes, .readingAhead]) && !metadataOnly
            && also.isEmpty
            && nestedIn.isEmpty && answering == nil && !isPreparation && writingOption == nil
    }
}

extension KnownItem {
    /// A document whose contents are here and current.
    fileprivate var isUsable: Bool {
        item.item.kind == .document && item.isCurrent && item.exists
    }
}
