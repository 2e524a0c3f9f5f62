import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// Accesses that begin when a part of the contents is here (DOWN-10).
extension AccessGranter {
    /// Has a document's contents come, and returns when there is a file with some of them.
    ///
    /// - Returns: false when they do not come part by part.
    /// - Throws: `comesLater` when it is paused.
    func begin(
        _ coming: ComingContents, _ item: IndexedItem, at location: Location, for request: AccessRequest,
        by owner: ClaimOwner
    ) async throws(DocumentError) -> Bool {
        let domain = try domains.domain(item.domain)
        guard item.local == nil, materialiser.parts.apply(to: item, of: domain) else { return false }
        coming.file = try await materialiser.parts.transfers.wait(
            for: nil, of: item.key, in: nil, bring: bring(item, of: domain, at: location, for: request, by: owner))
        return true
    }

    /// Bytes of the file of an access are here when this returns; where they are not, they are what is brought next.
    ///
    /// - Throws: `invalidArgument` when the tool holds no such access, `versionNoLongerAvailable` when the document has other
    ///   contents by now, and what its transfer fails with.
    func awaitContents(
        _ range: Range<Int64>, of number: UInt64, by owner: ClaimOwner
    ) async throws(DocumentError) {
        let access = try held(number, by: owner)
        guard range.upperBound - range.lowerBound <= Self.mostAwaited else {
            throw DocumentError(
                .invalidArgument,
                "\(range.upperBound - range.lowerBound) bytes are more than can be waited for at once: ask for up to \(Self.mostAwaited)."
            )
        }
        guard let file = access.coming, let key = access.keys.first, let intention = access.intentions.first else {
            return
        }
        let location = intention.item.location
        let item = try current(key, location).item
        if try isWhole(item, in: file, at: location) { return }
        let come = bring(item, of: try domains.domain(key.domain), at: location, for: nil, by: owner)
        guard try await wait(for: range, of: item, in: file, bring: come) == nil else { return }
        guard try isWhole(try current(key, location).item, in: file, at: location) else { throw Self.isOther(location) }
    }

    /// The access is there, and lasts as long as the pause does.
    private func wait(
        for range: Range<Int64>, of item: IndexedItem, in file: ComingFile, bring: @escaping PartialTransfers.Bring
    ) async throws(DocumentError) -> ComingFile? {
        while true {
            do throws(DocumentError) {
                return try await materialiser.parts.transfers.wait(for: range, of: item.key, in: file, bring: bring)
            } catch {
                guard error == Self.comesLater else { throw error }
            }
            materialiser.requests.add([item.key])
            defer { materialiser.requests.remove([item.key]) }
            try await materialiser.pauses.untilResumed(item.key)
        }
    }

    /// What brings it has ended, as it is paused.
    static let comesLater = DocumentError(.cancelled, "The transfer was paused.")

    /// In bytes.
    private static let mostAwaited: Int64 = 64 << 20

    /// - Throws: `versionNoLongerAvailable` when what is here is another file.
    private func isWhole(
        _ item: IndexedItem, in file: ComingFile, at location: Location
    ) throws(DocumentError) -> Bool {
        // Newer ones on the remote change nothing of what is here.
        guard let local = item.local else { return false }
        guard local.inode == file.inode else { throw Self.isOther(location) }
        return true
    }

    private static func isOther(_ location: Location) -> DocumentError {
        DocumentError(
            .versionNoLongerAvailable,
            "\(location) has other contents by now than those that were being read; open it again.")
    }

    /// - Parameter request: whom it is counted for; nil: nobody.
    private func bring(
        _ item: IndexedItem, of domain: Domain, at location: Location, for request: AccessRequest?,
        by owner: ClaimOwner
    ) -> PartialTransfers.Bring {
        { [self] () async throws(DocumentError) in
            guard let now = try await materialiser.materialiseUntilPaused(item, of: domain, onProgress: nil) else {
                throw Self.comesLater
            }
            if let request { count(now, at: location, for: request, by: owner) }
        }
    }
}

/// What an access found that begins before all is here.
final class ComingContents: Sendable {
    private let found = Mutex<ComingFile?>(nil)

    /// Nil while nothing was found, and when all of it is here.
    var file: ComingFile? {
        get { found.withLock { $0 } }
        set { found.withLock { $0 = newValue } }
    }
}

extension AccessRequest {
    /// Whether it may begin before all is here: one document, to be read in its place.
    var takesContentsAsTheyCome: Bool {
        intent == .reading && readingOptions.contains(.asItComes) && !readingOptions.contains(.forUploading)
            && readingOptions.needsContents && !metadataOnly && also.isEmpty && !isPreparation
    }
}
