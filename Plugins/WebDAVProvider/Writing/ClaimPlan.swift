internal import DocumentModel

/// What is to be done next about one change under a claim, given what is on the server. A value without I/O.
///
/// A claim is a folder beside the document, with a folder of the change's own in it: it gets its place by the moving of
/// the staged folder, which only one of many can do (SLOT-2). Everything that follows goes through that inner folder, so
/// nothing of it can happen once the claim is gone: another name is reserved by what is moved out of it, what is replaced is
/// moved into it, looked at, and what is new is moved out of it. So a change that comes late, or twice, finds nothing to move.
/// What is removed gets another name in there first, which decides it for whoever ends the claim. The claim is given back at
/// the end.
struct ClaimPlan: Sendable {
    enum Kind: String, Sendable {
        /// New contents, for a new document or an old one, perhaps at another place.
        case put
        /// The same contents at another place.
        case move
        case remove
    }

    /// What is on the server.
    struct Sight: Sendable {
        /// What is in the change's own folder within the claim; nil when the claim is not this change's.
        var own: Own?
        /// The document before the change; nil when nothing is there, or when there was none.
        var source: Properties?
        /// What has the name that the document is to have; nil when nothing has.
        var target: Properties?
    }

    struct Own: Sendable {
        /// The new contents, before they have their place.
        var new: Properties?
        /// What was taken away.
        var old: Properties?
        /// What was taken away, once it is decided that it is removed.
        var gone: Properties?
        /// What is to reserve the document's other name is here still.
        var hasPlace = false
    }

    enum Refusal: Hashable, Sendable {
        /// The document is not in the version that the change began from.
        case changed
        /// Something else has the name.
        case taken
        /// The document is not there.
        case gone
        /// Another version would look the same; once more, later.
        case tooSoon
        /// Somebody else has reserved the name for too long.
        case reserved
    }

    enum Step: Hashable, Sendable {
        case claim
        /// The document's other name is nobody else's from now on.
        case reserve
        case takeAway
        /// What was taken away gets its place again.
        case putBack
        /// The new contents, or what was taken away, get the name.
        case publish
        /// From now on what was taken away is removed, whatever comes.
        case decide
        /// It is done, or refused and as it was: the claim can go.
        case finish(Refusal?)
    }

    let kind: Kind
    let hasSource: Bool
    /// The document keeps its name and its folder.
    let isInPlace: Bool
    let base: ItemVersion
    /// Where the document is, or is to be when there was none.
    let place: RemotePath
    /// Whether a later version always differs, also within the same second.
    var hasExactTags = false
    /// The other name is reserved, by what an earlier run has put there.
    var isReserved = false
    /// What the result is; known from when it was seen in the change's own folder.
    private(set) var result: Properties?
    private var expected: [UInt8]?
    /// What was taken away is what the change began from.
    private(set) var hasTakenExpected = false
    private var refusal: Refusal?

    init(kind: Kind, hasSource: Bool, isInPlace: Bool, base: ItemVersion, place: RemotePath) {
        self.kind = kind
        self.hasSource = hasSource
        self.isInPlace = isInPlace
        self.base = base
        self.place = place
    }

    mutating func next(_ sight: Sight) -> Step {
        guard let own = sight.own else {
            isReserved = false
            // A refusal was carried out when the claim is gone.
            return refusal.map { .finish($0) } ?? .claim
        }
        if let refusal { return own.old == nil ? .finish(refusal) : .putBack }
        if own.gone != nil { return .finish(nil) }
        if awaitsPlace(own) { return .reserve }
        if kind == .put {
            guard let new = own.new else { return .finish(nil) }
            result = new
        }
        return hasSource ? change(own, sight) : (sight.target == nil ? .publish : refuse(.taken, own))
    }

    /// It cannot be made, for a reason that is not seen on the server.
    mutating func refuse(_ refusal: Refusal) { self.refusal = refusal }

    /// Whether what has the document's name has to be looked at, to know what is next.
    func asksForSource(_ own: Own) -> Bool {
        isOpen(own) && hasSource && (own.old == nil || isInPlace && kind != .remove)
    }

    /// Whether what has the name that the document is to get has to be looked at.
    func asksForTarget(_ own: Own) -> Bool { isOpen(own) && !isInPlace }

    /// What is in the change's own folder does not say all by itself.
    private func isOpen(_ own: Own) -> Bool {
        let isPublished = kind == .put && own.new == nil
        return refusal == nil && own.gone == nil && !awaitsPlace(own) && !isPublished
    }

    private func awaitsPlace(_ own: Own) -> Bool { own.hasPlace && !isReserved }

    /// - Returns: why the change cannot be made to a document that is there; nil when it can.
    func objection(to source: Properties) -> Refusal? {
        (try? source.version(at: place).satisfies(base)) ?? base.isNone ? nil : .changed
    }

    private mutating func change(_ own: Own, _ sight: Sight) -> Step {
        guard let old = own.old else { return begin(own, sight) }
        if let expected {
            guard old.contentVersion == expected else { return refuse(.changed, own) }
        } else if !base.content.isEmpty {
            guard old.contentVersion == base.content else { return refuse(.changed, own) }
        }
        hasTakenExpected = expected != nil || !base.content.isEmpty
        switch kind {
        case .remove: return .decide
        case .move: result = old
        case .put:
            if let new = own.new, !isLater(new, than: old) { return refuse(.tooSoon, own) }
        }
        guard sight.target == nil else { return refuse(isInPlace ? .changed : .taken, own) }
        return .publish
    }

    /// Nothing was taken away yet, or it has left again under its new name.
    private mutating func begin(_ own: Own, _ sight: Sight) -> Step {
        guard let source = sight.source else {
            switch kind {
            case .remove: return .finish(nil)
            case .move:
                guard let target = sight.target else { return refuse(.gone, own) }
                result = result ?? target
                return .finish(nil)
            case .put: return refuse(.gone, own)
            }
        }
        if let objection = objection(to: source) { return refuse(objection, own) }
        if !isInPlace, kind != .remove, sight.target != nil { return refuse(.taken, own) }
        expected = source.contentVersion
        return .takeAway
    }

    private mutating func refuse(_ refusal: Refusal, _ own: Own) -> Step {
        self.refusal = refusal
        return own.old == nil ? .finish(refusal) : .putBack
    }

    /// Each version of a document has a later date than the one before, where dates are all that tells them apart (RS-2).
    private func isLater(_ new: Properties, than old: Properties) -> Bool {
        if new.contentVersion == old.contentVersion { return false }
        guard !hasExactTags, let newDate = new.modified, let oldDate = old.modified else { return true }
        // A date of the future says nothing about when.
        return newDate > oldDate || oldDate > newDate + 1
    }
}

extension ItemVersion {
    var isNone: Bool { content.isEmpty && metadata.isEmpty }
}
