/// A small picture of a document, to be shown beside its name (PICK-17).
///
/// Its header was read and is within bounds. The rest was not: it is what a provider gave, and whoever shows it decodes what
/// strangers made.
public struct Thumbnail: Hashable, Sendable {
    /// In bytes.
    public static let maximumLength = 1 << 20
    /// What may be asked for: the longer side in pixels.
    public static let sizes = 16...1024
    /// More are not asked for at once.
    public static let mostAtOnce = 32
    /// In bytes: all that come in one answer.
    public static let mostBytesAtOnce = 3 << 20
    /// How many times the size that was asked for the longer side may have.
    public static let sizeFactor = 2

    /// A whole file of the format.
    public let bytes: [UInt8]
    public let header: ImageHeader

    /// For example `image/png`.
    public var mediaType: String { header.format.rawValue }

    /// - Throws: ``DocumentError`` with the code `invalidArgument` for what is no PNG, JPEG or WebP, is longer than
    ///   ``maximumLength``, or has a side that nobody asks for.
    public init(_ bytes: [UInt8]) throws(DocumentError) {
        guard bytes.count <= Self.maximumLength else {
            throw DocumentError(
                .invalidArgument,
                "A thumbnail may have \(Self.maximumLength) bytes; this one has \(bytes.count).")
        }
        guard let header = ImageHeader(of: bytes) else {
            throw DocumentError(
                .invalidArgument,
                "A thumbnail must be a PNG, a JPEG or a WebP that does not move, and these \(bytes.count) bytes are none."
            )
        }
        guard header.longerSide <= Self.sizes.upperBound * Self.sizeFactor else {
            throw DocumentError(
                .invalidArgument,
                "A thumbnail has at most \(Self.sizes.upperBound * Self.sizeFactor) pixels in a row; this one has \(header.width) × \(header.height)."
            )
        }
        self.bytes = bytes
        self.header = header
    }

    /// Whether it may be given to somebody who asks for a size.
    public func fits(_ size: Int) -> Bool { header.longerSide <= size * Self.sizeFactor }

    /// - Throws: ``DocumentError`` with the code `invalidArgument` for a size that nobody may ask for.
    package static func check(size: Int) throws(DocumentError) -> Int {
        guard sizes.contains(size) else {
            throw DocumentError(
                .invalidArgument,
                "A thumbnail's size is \(sizes.lowerBound) to \(sizes.upperBound) pixels; \(size) was asked for.")
        }
        return size
    }

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when so many are not asked for at once.
    package static func check(count: Int) throws(DocumentError) {
        guard (1...mostAtOnce).contains(count) else {
            throw DocumentError(
                .invalidArgument, "1 to \(mostAtOnce) thumbnails are asked for at once; these are \(count).")
        }
    }
}

/// What became of the question for one item's thumbnail.
public enum ThumbnailOutcome: Hashable, Sendable {
    case image(Thumbnail)
    /// There is none: of this item, or of the contents that it has now.
    case missing
    case failed(DocumentError)

    /// The image; nil when there is none.
    ///
    /// - Throws: why it could not be had.
    public func get() throws(DocumentError) -> Thumbnail? {
        switch self {
        case .image(let thumbnail): thumbnail
        case .missing: nil
        case .failed(let error): throw error
        }
    }
}
