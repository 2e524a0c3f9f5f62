package import DocumentModel

/// One action under way, as the journal has it.
package struct JournalEntry: Hashable, Sendable {
    package var id: Int64
    package var action: JournalAction
    /// The last step that is behind it.
    package var step: JournalStep
    package var domain: DomainName
    /// Nil while the item does not exist yet (export, move).
    package var itemID: ItemIdentifier?
    package var payload: JournalPayload

    package init(
        id: Int64, action: JournalAction, step: JournalStep, domain: DomainName, itemID: ItemIdentifier?,
        payload: JournalPayload
    ) {
        self.id = id
        self.action = action
        self.step = step
        self.domain = domain
        self.itemID = itemID
        self.payload = payload
    }
}

/// What an action needs to be carried on after a crash. What an action does not use stays nil.
package struct JournalPayload: Hashable, Sendable {
    /// The operation's random name, the same in every retry to the provider.
    package var operation: String?
    /// The request's folder below staging.
    package var staging: String?
    /// The file that the action is about, as it was when the action began.
    package var file: FileIdentity?
    /// The version that the action began from.
    package var base: ItemVersion?
    /// Where the item was, from the top folder down.
    package var place: [ItemName]?
    /// Where it is to be.
    package var destination: [ItemName]?
    package var parentID: ItemIdentifier?
    package var name: ItemName?
    /// The folder that it was in, when that is to be known, too.
    package var originID: ItemIdentifier?
    /// Entries that its provider has to hear of first: moves of the folders that it is to come into.
    package var follows: [Int64] = []
    package var kind: ItemKind?
    /// An absolute path outside the storage root: the local document of an export or a move.
    package var source: [UInt8]?
    /// The system's start in which the action began: what was not flushed is trusted in the same one only.
    package var boot: String?
    /// Of an arrival: all that was copied, the outermost first.
    package var parts: [CopiedPart] = []
    /// Of a write in a package: the version that was known of each of its documents when the write began.
    package var known: [ItemIdentifier: [UInt8]] = [:]
    /// Unsent changes go too: the user said so.
    package var discardsEdits = false
    /// There is a copy of what is removed, or it is to go for good: it does not go into the trash.
    package var skipsTrash = false
    /// What was moved held contents then that nobody else had.
    package var heldUnsent = false
    /// Of a change: new contents, whatever was there before. What lies in the item's place when it has ended is they.
    package var replacesContents = false
    /// Of a change: the document was made for it, and perhaps nothing of it is on disk yet.
    package var isNew = false
    /// Of a change: what it begins from is kept, and was in the file when it began. Who has touched the file and left that in it
    /// has changed nothing of the contents.
    package var isBaseKept = false
    /// Of a sending: the digest of its contents (SHA-256), where they are not large.
    package var digest: [UInt8]?
    /// Of a sending: which of the names beside a taken one the provider was asked for last; 0: its own.
    package var attempt = 0
    /// Of a sending: the provider is asked to make a document, or may be.
    package var isMaking = false
    /// Of a sending: the provider may have taken other contents under the operation's name.
    package var mayBeOthers = false
    /// Of a removal: the name of a sending that was under way then, of which nobody knows yet what came. What else is said of one
    /// is of that: its copy, its file, its digest.
    package var calledOff: String?

    package init() {}
}
