internal import AsyncHTTPClient
internal import DocumentModel
internal import NIOCore
internal import NIOHTTP1

// What lies on the server is compared with what was sent, byte by byte: no server that is known tells a digest (RS-4).

extension ServerLink {
    /// Up to so many bytes all are read back: it takes one request. Of more that would double what goes over the line.
    static let fewBytes: Int64 = 4 << 20
    private static let samples = 8
    private static let sampleSize: Int64 = 1 << 17

    /// Whether what was sent to a name of its own is there as it was sent.
    ///
    /// - Parameter isClean: it was sent once, and the server has said at once that it has it. Then places of something
    ///   large are enough, its end among them, which is what a file lacks that was made in its length and not filled.
    func keeps(
        _ parts: FileParts, at path: RemotePath, isClean: Bool, isWaiting: @Sendable () -> Void
    ) async throws -> Bool {
        guard isClean, parts.length > Self.fewBytes else {
            return try await hasContents(path, of: parts, isWaiting: isWaiting)
        }
        let last = parts.length - Self.sampleSize
        let between = (2..<Self.samples).map { _ in Int64(Double(last) * timing.chance()) }
        for first in [last, 0] + between {
            isWaiting()
            let (isSame, isAll) = try await compare(path, first..<first + Self.sampleSize, of: parts, isWaiting)
            // A server that gives no parts has given the whole.
            guard isSame, !isAll else { return isSame }
        }
        return true
    }

    /// Whether a document on the server has the contents of a file, and no more.
    func hasContents(
        _ path: RemotePath, of parts: FileParts, isWaiting: @Sendable () -> Void = {}
    ) async throws -> Bool {
        // lighttpd goes on sending what was there for a second after a document was emptied; its properties are right.
        if parts.length == 0, let length = try await look(at: path).properties.length { return length == 0 }
        return try await compare(path, nil, of: parts, isWaiting).isSame
    }

    /// - Parameter range: nil for all.
    private func compare(
        _ path: RemotePath, _ range: Range<Int64>?, of parts: FileParts, _ isWaiting: @Sendable () -> Void
    ) async throws -> (isSame: Bool, isAll: Bool) {
        var request = ServerRequest(method: .GET, path: path, timeout: nil)
        if let range { request.headers = [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")] }
        let accepted: Set = range == nil ? [200] : [200, 206]
        return try await ask(request, accepting: accepted, retrying: timing.retrying) { answer in
            let isAll = answer.status == 200
            let asked = isAll ? 0..<parts.length : range ?? 0..<0
            if !isAll {
                let told = answer.header("Content-Range").flatMap(ContentRange.init)
                guard told?.first == asked.lowerBound, told?.last == asked.upperBound - 1 else {
                    return (false, isAll)
                }
            }
            if let length = answer.length, length != Int64(asked.count) { return (false, isAll) }
            var offset = asked.lowerBound
            var isSame = true
            for try await part in answer.body {
                guard isSame else { continue }
                isWaiting()
                isSame = try part.withUnsafeReadableBytes { try parts.file.matches($0, at: offset) }
                offset += Int64(part.readableBytes)
            }
            return (isSame && offset == asked.upperBound, isAll)
        }
    }
}
