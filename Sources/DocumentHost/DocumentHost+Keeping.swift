public import DocumentModel
import DocumentStorage
import FileCoordination

/// What people say about items: paused, kept here, excluded; and how much may be here at all.
extension DocumentHost {
    /// Has the transfers of an item, and of everything below it, wait until they are resumed, also over restarts; the top
    /// folder stands for its domain. What is just under way ends, and begins anew when it is resumed.
    public func setPaused(_ isPaused: Bool, at location: Location) async throws(DocumentError) {
        let item = try await marked(location)
        if isPaused { pauses.pausedAnew(item) }
        try await storage.write { try $0.setPaused(isPaused, of: item.id, in: item.domain) }
        try await marksChanged(in: item.domain)
    }

    /// Says what becomes of the contents of an item, and of everything below it (PH-9).
    ///
    /// - Parameter keeping: nil: as the folder around it.
    public func setKeeping(_ keeping: Keeping?, at location: Location) async throws(DocumentError) {
        let item = try await marked(location)
        if keeping == .pinned { try domains.domain(item.domain).require([.open, .import], for: "kept here") }
        try await storage.write { try $0.setKeeping(keeping, of: item.id, in: item.domain) }
        try await marksChanged(in: item.domain)
    }

    /// Has the contents of a document, or of everything below a folder, brought in the background, also when this host ends
    /// before they are here; to ask again is harmless (DOWN-1).
    public func startDownload(_ location: Location) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "downloaded")
        try await pinKeeper.request(try await resolver.resolve(location, in: domain))
    }

    public func spaceStatus() async throws(DocumentError) -> SpaceStatus {
        try storage.read { index in
            let (documents, bytes) = try index.contentsHere(of: nil)
            return SpaceStatus(limits: try index.spaceLimits(), documents: documents, bytes: bytes)
        }
    }

    /// Says how much may be here: what was used longest ago leaves when it is more, where nothing speaks against it.
    ///
    /// - Parameter limits: nil: nothing leaves by itself.
    public func setSpaceLimits(_ limits: SpaceLimits?) async throws(DocumentError) {
        try await storage.write { try $0.setSpaceLimits(limits) }
        reclaimer.setLimits(limits)
    }

    /// What keeps an unsent item from being sent although nothing is wrong; nil when nothing does.
    func hold(on item: IndexedItem, at location: Location) throws(DocumentError) -> DocumentError? {
        Self.hold(by: try storage.read { try $0.marks(of: item) }, at: location)
    }

    /// The same of what is said about an item.
    static func hold(by marks: ItemMarks, at location: Location) -> DocumentError? {
        if let rule = marks.ignoredBy { return ignored(location, by: rule) }
        if marks.keeping == .excluded {
            return DocumentError(
                .excludedFromSync,
                "\(location) is excluded from sync: docent include \(location), or the folder around it that is excluded."
            )
        }
        guard marks.isPaused else { return nil }
        return DocumentError(
            .cannotSynchronize,
            "\(location) is paused: docent resume \(location), or what is paused around it, lets it go on.")
    }

    private func marked(_ location: Location) async throws(DocumentError) -> IndexedItem {
        let domain = try domains.domain(location.domain)
        try domain.requireVisible()
        return try await resolver.resolve(location, in: domain)
    }

    func marksChanged(in domain: DomainName) async throws(DocumentError) {
        pauses.changed()
        missingDigests.pausesChanged()
        try sender.enqueueAll(of: domain)
        work.add { [pinKeeper] in await pinKeeper.look(at: domain) }
        work.add { [outdatedContents] in await outdatedContents.look(at: domain) }
        reclaimer.indexWasWritten()
        sideKeeper.indexWasWritten()
    }
}
