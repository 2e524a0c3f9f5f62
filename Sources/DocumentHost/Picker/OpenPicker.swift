import DocumentModel
import DocumentStorage
import DocumentTypes
import DocumentWire
import FileCoordination
import Synchronization

/// One picker session that a tool has open.
final class OpenPicker: Sendable {
    /// The local document of a session in export or move.
    struct Original: Sendable {
        var name: ItemName
        var type: ContentType
        /// Nil for a package.
        var size: Int64?
    }

    let number: UInt64
    let owner: ClaimOwner
    let request: PickerRequest
    /// Those that it may choose in.
    let domains: [DomainName]
    let original: Original?
    let types: TypeDatabase
    let machine = Mutex(PickerSessionStateMachine())
    private let secret = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    /// A provider is prepared before anybody else asks it something for this session.
    let preparing = KeyedLock<DomainName>()
    private let presentations = Mutex<[DomainName: PickerPresentation]>([:])
    private let listings = Mutex<[ItemKey: Listing]>([:])

    /// How far a folder's listing at its provider is, for this session.
    enum Listing: Sendable {
        case running
        case complete
        case failed(DocumentError)
    }

    init(
        number: UInt64, owner: ClaimOwner, request: PickerRequest, domains: [DomainName], original: Original?,
        types: TypeDatabase
    ) {
        self.number = number
        self.owner = owner
        self.request = request
        self.domains = domains
        self.original = original
        self.types = types
    }

    func presentation(of domain: DomainName) -> PickerPresentation {
        presentations.withLock { $0[domain] } ?? .plain
    }

    func keep(_ presentation: PickerPresentation, of domain: DomainName) {
        presentations.withLock { $0[domain] = presentation }
    }

    func listing(of folder: ItemKey) -> Listing? { listings.withLock { $0[folder] } }

    /// - Returns: false when it runs already.
    func beginListing(of folder: ItemKey) -> Bool {
        listings.withLock { listings in
            if case .running = listings[folder] { return false }
            listings[folder] = .running
            return true
        }
    }

    func endListing(of folder: ItemKey, _ error: DocumentError?) {
        listings.withLock { $0[folder] = error.map(Listing.failed) ?? .complete }
    }

    func forgetListing(of folder: ItemKey) {
        listings.withLock { $0[folder] = nil }
    }

    /// As a provider is told of it.
    func call(hasFileHalf: Bool) -> ProviderCall.PickerCall {
        ProviderCall.PickerCall(
            session: "picker-\(number)", mode: request.mode, validTypes: request.validTypes,
            originalPath: request.originalPath, originalSize: original.flatMap(\.size), hasFileHalf: hasFileHalf)
    }

    // MARK: Ids

    /// An item's id in this session: a seal, the domain, a NUL, the identifier. The seal is what makes it opaque: an id
    /// that the session did not give out names nothing (PICK-20).
    func entryID(_ key: ItemKey) throws(DocumentError) -> PickerEntryID {
        let named = Array(key.domain.rawValue.utf8) + [0] + Array(key.id.rawValue.utf8)
        return try PickerEntryID(seal(named[...]) + named)
    }

    /// - Throws: `invalidArgument` for what is no id of this session, `outsideStorageRoot` for what does not lie in one of
    ///   the session's domains (PICK-15).
    func key(_ entry: PickerEntryID) throws(DocumentError) -> ItemKey {
        let named = entry.bytes.dropFirst(Self.sealLength)
        let parts = named.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, seal(named).elementsEqual(entry.bytes.prefix(Self.sealLength)),
            let domain = String(validating: parts[0], as: UTF8.self),
            let id = String(validating: parts[1], as: UTF8.self)
        else {
            throw DocumentError(
                .invalidArgument, "This is not an entry of the picker session: use the ids that it gave.")
        }
        let key = ItemKey(domain: try DomainName(domain), id: try ItemIdentifier(id))
        try check(key.domain)
        return key
    }

    private static let sealLength = 8

    /// The library's hash function is a keyed one (SipHash), and its state begins with the session's secret.
    private func seal(_ named: ArraySlice<UInt8>) -> [UInt8] {
        var hasher = Hasher()
        hasher.combine(secret.0)
        hasher.combine(secret.1)
        hasher.combine(named.count)
        named.withUnsafeBytes { hasher.combine(bytes: $0) }
        let hash = UInt64(truncatingIfNeeded: hasher.finalize())
        return (0..<Self.sealLength).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }

    func check(_ domain: DomainName) throws(DocumentError) {
        guard domains.contains(domain) else {
            throw DocumentError(
                .outsideStorageRoot, "The domain \(domain) is none of this picker session's: choose in another one.")
        }
    }

    // MARK: Types

    /// Whether an item may be chosen; in export and move, whether something may be put into it.
    func allows(_ item: Item, in state: ItemState) -> Bool {
        guard state != .nameClash else { return false }
        guard let valid = request.validTypes else {
            return item.kind == .folder && item.capabilities.contains(.write)
        }
        // A package is one document to people (COORD-21); the whole of a folder is not what somebody imports.
        guard item.kind != .folder || request.mode == .open else { return false }
        let type = types.type(of: item)
        return valid.contains { types.conforms(type, to: $0) }
    }
}
