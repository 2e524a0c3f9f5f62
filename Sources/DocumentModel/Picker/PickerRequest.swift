/// What a picker session is asked for (PICK-9).
public struct PickerRequest: Hashable, Sendable {
    /// More types than this no tool can mean.
    public static let mostTypes = 64

    public let mode: PickerMode
    /// The types that may be chosen; nil in export and move.
    public let validTypes: [ContentType]?
    /// The absolute path of the local document; nil in import and open.
    public let originalPath: String?
    /// The only domain to choose in; nil for every one that fits.
    public let domain: DomainName?
    /// Whether several items may be chosen at once; false in export and move.
    public let allowsSeveral: Bool

    /// A session in import or open.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` without a type, or with too many.
    public init(
        _ mode: PickerMode, types: [ContentType], domain: DomainName? = nil, allowsSeveral: Bool = false
    ) throws(DocumentError) {
        try self.init(
            mode: mode, types: types, originalPath: nil, domain: domain, allowsSeveral: allowsSeveral)
    }

    /// A session in export or move.
    ///
    /// - Parameter originalPath: the local document, as an absolute path.
    /// - Throws: ``DocumentError`` with the code `invalidArgument` for another mode.
    public init(_ mode: PickerMode, originalPath: String, domain: DomainName? = nil) throws(DocumentError) {
        try self.init(mode: mode, types: [], originalPath: originalPath, domain: domain, allowsSeveral: false)
    }

    /// Checks what came from outside: import and open take types and no document, export and move exactly one
    /// document and no types.
    package init(
        mode: PickerMode, types: [ContentType], originalPath: String?, domain: DomainName?, allowsSeveral: Bool
    ) throws(DocumentError) {
        func refusal(_ what: String) -> DocumentError {
            DocumentError(.invalidArgument, "A picker session in the mode \(mode.rawValue) \(what).")
        }
        if mode.choosesDocuments {
            guard originalPath == nil else { throw refusal("takes no document: it is to be chosen") }
            guard (1...Self.mostTypes).contains(types.count) else {
                throw refusal(
                    "takes 1 to \(Self.mostTypes) types, for example public.content; these are \(types.count)")
            }
        } else {
            guard let originalPath, originalPath.utf8.first == UInt8(ascii: "/") else {
                throw refusal("takes exactly one local document, by its absolute path")
            }
            guard types.isEmpty else { throw refusal("takes no types: the document has one") }
            guard !allowsSeveral else { throw refusal("is for one document") }
        }
        self.mode = mode
        validTypes = mode.choosesDocuments ? types : nil
        self.originalPath = originalPath
        self.domain = domain
        self.allowsSeveral = allowsSeveral
    }
}
