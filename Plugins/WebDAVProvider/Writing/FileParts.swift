internal import DocumentModel
internal import NIOCore
internal import SystemPackage

/// The contents of a file, part by part, as often as somebody asks for them. Reading blocks for a moment.
struct FileParts: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private static let partSize = 1 << 18

    let length: Int64
    let file: OpenContents
    /// Told how many bytes were handed out.
    private let report: @Sendable (Int64) throws -> Void
    /// Told from time to time while all of them were taken, and the answer is waited for.
    let isWaiting: @Sendable () -> Void

    init(
        _ path: FilePath, report: @escaping @Sendable (Int64) throws -> Void = { _ in },
        isWaiting: @escaping @Sendable () -> Void = {}
    ) throws(DocumentError) {
        file = try OpenContents(path)
        length = try file.length()
        self.report = report
        self.isWaiting = isWaiting
    }

    func makeAsyncIterator() -> Iterator { Iterator(file: file, length: length, report: report) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let file: OpenContents
        fileprivate let length: Int64
        fileprivate let report: @Sendable (Int64) throws -> Void
        private var offset: Int64 = 0

        fileprivate init(
            file: OpenContents, length: Int64, report: @escaping @Sendable (Int64) throws -> Void
        ) {
            self.file = file
            self.length = length
            self.report = report
        }

        mutating func next() async throws -> ByteBuffer? {
            guard offset < length else { return nil }
            let size = Int(Swift.min(Int64(FileParts.partSize), length - offset))
            var part = ByteBufferAllocator().buffer(capacity: size)
            try part.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(size)), at: offset)
            }
            offset += Int64(part.readableBytes)
            try report(offset)
            return part
        }
    }
}
