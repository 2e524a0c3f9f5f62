/// The type of a document, as a uniform type identifier: `public.plain-text`.
public struct ContentType: Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 255

    public let identifier: String

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is not 1 to 255 letters, digits, `.` and `-`.
    public init(_ identifier: String) throws(DocumentError) {
        let bytes = identifier.utf8
        guard (1...Self.maximumLength).contains(bytes.count),
            bytes.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(identifier))” is not a type identifier: write it like public.plain-text."
            )
        }
        self.identifier = identifier.lowercased()
    }

    private init(known identifier: String) {
        self.identifier = identifier
    }

    public var description: String { identifier }

    public static let item = ContentType(known: "public.item")
    public static let content = ContentType(known: "public.content")
    public static let data = ContentType(known: "public.data")
    public static let folder = ContentType(known: "public.folder")
    public static let package = ContentType(known: "com.apple.package")
    public static let text = ContentType(known: "public.text")
    public static let plainText = ContentType(known: "public.plain-text")

    /// The type that a name's extension stands for; `data` when it is not known.
    public init(kind: ItemKind, pathExtension: String?) {
        switch kind {
        case .folder: self = .folder
        case .package:
            self = pathExtension.flatMap { Self.packagesByExtension[$0] }.map(ContentType.init(known:)) ?? .package
        case .document: self = pathExtension.flatMap { Self.byExtension[$0] }.map(ContentType.init(known:)) ?? .data
        }
    }

    static func isPackage(pathExtension: String?) -> Bool {
        pathExtension.map { packagesByExtension[$0] != nil } ?? false
    }

    /// Whether it is the other type or a kind of it. Every document type conforms to `public.content` (PICK-10).
    public func conforms(to other: ContentType) -> Bool {
        if self == other || other == .item { return true }
        if other == .content { return self != .folder && self != .item && identifier != "public.directory" }
        var pending = Self.parents[identifier] ?? []
        var seen: Set<String> = []
        while let next = pending.popLast() {
            if next == other.identifier { return true }
            if seen.insert(next).inserted { pending += Self.parents[next] ?? [] }
        }
        return false
    }

    private static let parents: [String: [String]] = [
        "public.plain-text": ["public.text"],
        "public.text": ["public.data"],
        "public.source-code": ["public.plain-text"],
        "public.html": ["public.text"],
        "public.xml": ["public.text"],
        "public.json": ["public.text"],
        "public.comma-separated-values-text": ["public.text"],
        "net.daringfireball.markdown": ["public.plain-text"],
        "public.rtf": ["public.text"],
        "com.adobe.pdf": ["public.data", "public.composite-content"],
        "public.image": ["public.data"],
        "public.png": ["public.image"],
        "public.jpeg": ["public.image"],
        "com.compuserve.gif": ["public.image"],
        "public.svg-image": ["public.image", "public.xml"],
        "public.tiff": ["public.image"],
        "public.audio": ["public.audiovisual-content"],
        "public.movie": ["public.audiovisual-content"],
        "public.audiovisual-content": ["public.data"],
        "public.mp3": ["public.audio"],
        "public.mpeg-4": ["public.movie"],
        "public.archive": ["public.data"],
        "public.zip-archive": ["public.archive"],
        "org.gnu.gnu-zip-archive": ["public.archive"],
        "public.tar-archive": ["public.archive"],
        "org.oasis-open.opendocument.text": ["public.composite-content", "public.data"],
        "org.oasis-open.opendocument.spreadsheet": ["public.composite-content", "public.data"],
        "org.openxmlformats.wordprocessingml.document": ["public.composite-content", "public.data"],
        "org.openxmlformats.spreadsheetml.sheet": ["public.composite-content", "public.data"],
        "org.openxmlformats.presentationml.presentation": ["public.composite-content", "public.data"],
        "com.apple.package": ["public.directory"],
        "com.apple.rtfd": ["com.apple.package", "public.composite-content"],
        "org.textbundle.package": ["com.apple.package", "public.composite-content"],
        "com.apple.iwork.pages.pages": ["com.apple.package", "public.composite-content"],
        "com.apple.iwork.numbers.numbers": ["com.apple.package", "public.composite-content"],
        "com.apple.iwork.keynote.key": ["com.apple.package", "public.composite-content"],
        "public.folder": ["public.directory"],
        "public.directory": ["public.item"],
        "public.data": ["public.item"],
    ]

    /// Documents that are folders on disk.
    private static let packagesByExtension: [String: String] = [
        "rtfd": "com.apple.rtfd", "textbundle": "org.textbundle.package", "pages": "com.apple.iwork.pages.pages",
        "numbers": "com.apple.iwork.numbers.numbers", "key": "com.apple.iwork.keynote.key",
    ]

    private static let byExtension: [String: String] = [
        "txt": "public.plain-text", "text": "public.plain-text", "log": "public.plain-text",
        "md": "net.daringfireball.markdown", "markdown": "net.daringfireball.markdown",
        "html": "public.html", "htm": "public.html", "xml": "public.xml", "json": "public.json",
        "csv": "public.comma-separated-values-text", "rtf": "public.rtf",
        "swift": "public.source-code", "c": "public.source-code", "h": "public.source-code",
        "py": "public.source-code", "rs": "public.source-code", "go": "public.source-code", "sh": "public.source-code",
        "pdf": "com.adobe.pdf",
        "png": "public.png", "jpg": "public.jpeg", "jpeg": "public.jpeg", "gif": "com.compuserve.gif",
        "svg": "public.svg-image", "tif": "public.tiff", "tiff": "public.tiff",
        "mp3": "public.mp3", "mp4": "public.mpeg-4", "m4v": "public.mpeg-4",
        "zip": "public.zip-archive", "gz": "org.gnu.gnu-zip-archive", "tar": "public.tar-archive",
        "odt": "org.oasis-open.opendocument.text", "ods": "org.oasis-open.opendocument.spreadsheet",
        "docx": "org.openxmlformats.wordprocessingml.document", "xlsx": "org.openxmlformats.spreadsheetml.sheet",
        "pptx": "org.openxmlformats.presentationml.presentation",
    ]
}
