internal import DocumentModel

/// How an action that a crash interrupted goes on.
package enum RecoveryDecision: Hashable, Sendable {
    /// Nothing is to be done, or nothing was: the entry is closed and the item is what its row says.
    case forget
    /// The contents that were here before still are.
    case keepContents
    /// No contents are here.
    case returnToPlaceholder
    /// The file at the item's place is its contents, of that version; changed since, perhaps.
    case adopt(version: [UInt8], isChanged: Bool)
    /// The file at the item's place is compared with what the row says of it.
    case lookAtFile
    /// The provider never saw it: the change is to be sent anew.
    case sendAnew
    /// Only the provider knows whether it was carried out: it is asked again.
    case askProvider
    /// The same, of something that nobody waits for any more: it is looked up, and not asked for again.
    case lookUp
    /// The provider has the item: the rest is carried out here.
    case finishMove
    /// What is left of it is to be removed at the provider, too.
    case finishLeaving
    /// What was to go from a container goes now.
    case finishClearing
    /// What is at its place in the tree is carried on; what is not there yet never happened.
    case resumeArrival
    /// What lies at its place is a new document; nothing there, nothing was made.
    case takeIn
    /// What lies in the package is what it is from now on.
    case takeInParts
    /// Its provider is to hear of what was done here.
    case tellProvider
    /// It was just made, and nothing of it came to the disk: it is taken back.
    case takeBack
    /// The index knows: the tree on disk is to follow.
    case performInTree
}

/// What is found when the host starts: all that a decision depends on.
package struct RecoveryEvidence: Hashable, Sendable {
    /// What lies at the item's place.
    package enum Place: Hashable, Sendable {
        case nothing
        case file(FileIdentity, stamp: ItemStamp?)
        /// A folder, a link, or something else that is no document.
        case other
    }

    /// The item's row; nil when it is not in the index.
    package var item: IndexedItem?
    package var place: Place
    /// Whether the action's staging file is there, whole and to be trusted.
    package var isStaged: Bool

    package init(item: IndexedItem?, place: Place, isStaged: Bool = false) {
        self.item = item
        self.place = place
        self.isStaged = isStaged
    }
}

extension RecoveryDecision {
    /// Decides how an open entry goes on. Pure.
    package init(for entry: JournalEntry, _ evidence: RecoveryEvidence) {
        switch entry.action {
        case .materialise: self = Self.materialise(entry, evidence)
        case .recordChange: self = Self.recordChange(entry, evidence)
        case .send: self = Self.send(entry, evidence)
        case .evict: self = Self.evict(entry, evidence)
        case .export:
            // Without the copy, the provider was not asked.
            self = entry.step == .exportBegan ? .forget : .lookUp
        case .move:
            switch entry.step {
            case .moveRecorded, .movePublished: self = .finishMove
            default: self = entry.step == .moveBegan ? .forget : .lookUp
            }
        case .arrive:
            // The source is still there, and whole.
            self = entry.step == .arriveBegan ? .forget : .resumeArrival
        case .make: self = .takeIn
        case .editPackage: self = evidence.item == nil ? .forget : .takeInParts
        // It is not in the index any more.
        case .drop: self = .tellProvider
        case .relocate: self = evidence.item == nil ? .forget : .tellProvider
        case .leave: self = evidence.item == nil ? .forget : .finishLeaving
        case .clear: self = evidence.item == nil ? .forget : .finishClearing
        case .rename:
            self = [.renameBegan, .renameAnswered].contains(entry.step) ? Self.asked(evidence) : .performInTree
        case .remove:
            self = [.removeBegan, .removeAnswered].contains(entry.step) ? Self.asked(evidence) : .performInTree
        }
    }

    private static func asked(_ evidence: RecoveryEvidence) -> RecoveryDecision {
        evidence.item == nil ? .forget : .lookUp
    }

    private static func materialise(_ entry: JournalEntry, _ evidence: RecoveryEvidence) -> RecoveryDecision {
        guard let item = evidence.item else { return .forget }
        guard case .file(let file, let stamp) = evidence.place else {
            // The old contents have another place by now, perhaps: the document follows them, with what was changed.
            return item.local != nil ? .lookAtFile : .returnToPlaceholder
        }
        if let local = item.local, local.inode == file.inode {
            // The old contents: the new ones did not get here.
            return local.hasSameContents(as: file) ? .keepContents : .lookAtFile
        }
        if let stamp, stamp.isOf(item.id, in: item.domain) {
            return .adopt(version: stamp.contentVersion, isChanged: !stamp.matches(file))
        }
        // Without contents before, it is nobody's file; with them, somebody saved a new file in their place.
        return item.local == nil ? .returnToPlaceholder : .lookAtFile
    }

    private static func recordChange(_ entry: JournalEntry, _ evidence: RecoveryEvidence) -> RecoveryDecision {
        guard let item = evidence.item else { return .forget }
        // The machine has died: what nobody had flushed is gone, as with any file.
        if entry.payload.isNew, item.isArriving, evidence.place == .nothing { return .takeBack }
        if item.local != nil { return .lookAtFile }
        // New contents, written where none were; anything else there is nobody's file.
        guard entry.payload.replacesContents, let base = entry.payload.base, case .file = evidence.place else {
            return .forget
        }
        return .adopt(version: base.content, isChanged: true)
    }

    private static func send(_ entry: JournalEntry, _ evidence: RecoveryEvidence) -> RecoveryDecision {
        guard let item = evidence.item else { return .forget }
        guard item.state == .sending else { return .forget }
        if entry.step == .sendBegan { return .sendAnew }
        if evidence.isStaged { return .askProvider }
        // The same bytes can still be taken from the file itself, when nobody has done anything to it: some programs set the
        // time of modification back after they wrote.
        if let sent = entry.payload.file, case .file(let file, _) = evidence.place, file.isStill(sent) {
            return .askProvider
        }
        return .sendAnew
    }

    private static func evict(_ entry: JournalEntry, _ evidence: RecoveryEvidence) -> RecoveryDecision {
        guard let item = evidence.item, item.local != nil else { return .forget }
        // Not at its place, it has left; or a program has given it another one, and the document follows it.
        guard case .file(let file, _) = evidence.place else { return .lookAtFile }
        return entry.payload.file?.hasSameContents(as: file) == true ? .keepContents : .lookAtFile
    }
}
