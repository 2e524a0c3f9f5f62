public import DocumentModel
public import SystemPackage

/// The capability "picker": shapes how pickers show the domain, and has a say in what is chosen.
///
/// Every method has a default, so implement the ones that there is something to say in. Declare the capability in the
/// manifest too.
public protocol PickerProvider: Provider {
    /// A picker is about to show the domain. Comes once in a session, before anything else of it (PICK-7). By default
    /// there are no wishes.
    ///
    /// What people should know, for example how to sign in, goes into the presentation's message: a picker has no other
    /// way to reach them (PICK-18).
    func prepareForPresentation(_ picker: PickerContext) async throws -> PickerPresentation

    /// Somebody has chosen. What is thrown is shown to them, and they may choose again. By default every choice is
    /// good; the host has checked the rules of the mode.
    func validate(_ choice: PickerChoice, in picker: PickerContext) async throws

    /// The session is over: carried out, cancelled, or its tool is gone. By default nothing.
    ///
    /// - Parameter sessionID: ``PickerContext/sessionID``.
    func pickerEnded(_ sessionID: String) async throws
}

extension PickerProvider {
    public func prepareForPresentation(_ picker: PickerContext) async throws -> PickerPresentation { .plain }

    public func validate(_ choice: PickerChoice, in picker: PickerContext) async throws {}

    public func pickerEnded(_ sessionID: String) async throws {}
}

/// One import, open, export or move, while somebody looks for a place in the domain (PICK-8).
public struct PickerContext: Hashable, Sendable {
    /// The same in all calls of one session.
    public let sessionID: String
    /// What the session is for.
    public let documentPickerMode: PickerMode
    /// In import and open: the types that may be chosen; nil else.
    public let validTypes: [ContentType]?
    /// In export and move: where the document is now; nil else. For information: it cannot be read there.
    public let originalURL: FilePath?
    /// In export and move: its size in bytes, when it is known; nil else.
    public let originalSize: Int64?
    /// Who the provider is; nil without a file half.
    public let providerIdentifier: ProviderIdentifier?
    /// The document storage root; nil without a file half.
    public let documentStorageURL: FilePath?

    /// What the host tells, or a test makes up.
    public init(
        sessionID: String, documentPickerMode: PickerMode, validTypes: [ContentType]? = nil,
        originalURL: FilePath? = nil, originalSize: Int64? = nil, providerIdentifier: ProviderIdentifier? = nil,
        documentStorageURL: FilePath? = nil
    ) {
        self.sessionID = sessionID
        self.documentPickerMode = documentPickerMode
        self.validTypes = validTypes
        self.originalURL = originalURL
        self.originalSize = originalSize
        self.providerIdentifier = providerIdentifier
        self.documentStorageURL = documentStorageURL
    }
}
