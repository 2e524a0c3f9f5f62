internal import CDocentShims
internal import DocumentModel
internal import Glibc

/// Contents that come part by part.
extension StagingRequest {
    /// Makes the file that a provider is to fill, with its size: a hole as yet.
    func makeFile(size: Int64) throws -> StagedFile {
        guard
            let file = try makeFile(
                attempts: 1,
                {
                    try $0.truncate(to: size)
                    return true
                })
        else { throw DocumentError(.internal, "The staging file of \(name) was not made.") }
        return file
    }

    /// Looks at parts that a provider has filled: in the same regular file, ours, with one name, of the whole's size, and
    /// every byte of them written.
    ///
    /// - Parameters:
    ///   - size: of the whole.
    ///   - parts: which bytes they are.
    ///   - digesting: whether their digests are wanted.
    /// - Returns: the digest of each; an empty one where it is not wanted.
    /// - Throws: `contractBroken`.
    func digests(
        of parts: [Range<Int64>], in file: StagedFile, size: Int64, digesting: Bool = true
    ) throws -> [[UInt8]] {
        guard let open = try openStaged(file) else { throw broken("is gone: a provider must not remove or rename it") }
        let status = try open.status()
        try check(status, file)
        guard status.raw.size == size else {
            throw broken("has \(status.raw.size) bytes where \(size) were to stay: a part changes no size")
        }
        // Looked for once where they lie side by side.
        var hole: Int64 = 0
        return try parts.map { part in
            if hole < part.upperBound { hole = try open.firstHole(from: part.lowerBound, size: size) }
            guard hole >= part.upperBound else {
                throw broken("has a hole at byte \(hole): a provider must write every byte of a part")
            }
            return digesting ? try digest(of: open, part) : []
        }
    }

    /// The file as it is when nobody can write to it any more who had it open. What is written to it later shows in the
    /// time of its inode's change: it is older than the system's clock is coarse.
    func settled(_ file: StagedFile) throws -> FileIdentity {
        guard let open = try openStaged(file) else { throw broken("is gone: a provider must not remove or rename it") }
        try check(try open.status(), file)
        guard try isClosed(open) else { throw stillOpen }
        var last = try open.status().identity
        for _ in 0..<Self.settlingAttempts {
            usleep(Self.clockTick)
            let now = try open.status().identity
            if now == last { return now }
            last = now
        }
        throw changedAfterwards
    }

    private static let settlingAttempts = 8
    /// In microseconds; at least as long as file systems take one time for.
    private static let clockTick: UInt32 = 12_000
}
