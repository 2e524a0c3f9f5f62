public import DocumentModel
internal import Glibc
public import SystemPackage

/// What a merge is made of (VER-13): files that are read and not changed.
public struct ConflictSides: Sendable {
    public let location: Location
    /// What both sides began from.
    public let base: FilePath
    /// What the document's own file has.
    public let ours: FilePath
    /// The other side.
    public let theirs: FilePath
    /// Why both are kept, in one sentence; nil where it is not known.
    public let reason: String?
}

/// Merges both sides of a conflict into a new file, which is there, and whole, when it returns.
///
/// It throws where the merge is not clear, `inConflict` for choice; what it has written of the file by then is dropped.
public typealias ConflictMerger = @Sendable (_ sides: ConflictSides, _ result: FilePath) async throws -> Void

extension DocumentClient {
    /// What both sides of a conflict are when they are merged (VER-13), in a new file: to be looked at, and offered. Nothing
    /// else changes, and the conflict goes on. The document is claimed for reading meanwhile.
    ///
    /// - Parameters:
    ///   - destination: a new file.
    ///   - merge: knows documents of this type.
    /// - Throws: ``DocumentError``: `destinationExists`; `invalidArgument` for what is not in conflict; `noSuchItem` where
    ///   what both sides began from, or the other side, is not on this device; and what `merge` throws.
    public func mergedVersion(
        of location: Location, into destination: FilePath, by merge: ConflictMerger
    ) async throws {
        try LocalCopy.check(destination, replacing: false)
        let sides = try await conflictSides(of: location)
        try await coordinate(readingItemAt: location) { path, _ in
            try await Self.merge(sides.with(ours: path), by: merge, at: destination, replacing: false)
        }
    }

    /// Merges both sides of a conflict, has the result take the document's place as a change that is sent, and ends the
    /// conflict (VER-5, VER-13). The document is claimed for writing meanwhile; where `merge` throws, nothing has changed.
    ///
    /// - Parameter merge: knows documents of this type.
    /// - Throws: ``DocumentError``: `invalidArgument` for what is not in conflict; `noSuchItem` where what both sides began
    ///   from, or the other side, is not on this device; `localStorage` where the result cannot be written; and what
    ///   `merge` throws.
    public func mergeConflict(at location: Location, by merge: ConflictMerger) async throws {
        let sides = try await conflictSides(of: location)
        try await coordinate(writingItemAt: location) { path, _ in
            try await Self.merge(sides.with(ours: path), by: merge, at: path, replacing: true)
        }
        try await resolveConflict(at: location, keeping: .local)
    }

    private func conflictSides(of location: Location) async throws -> ConflictSides {
        let versions = try await versions(of: location)
        guard let ours = versions.first(where: { $0.isInPlace })?.path,
            let other = versions.first(where: { !$0.isInPlace && ($0.kind == .current || $0.kind == .conflict) })
        else {
            throw DocumentError(.invalidArgument, "\(location) is not in conflict; there is nothing to merge.")
        }
        // What edits here began from says nothing of a conflict of other devices.
        let isOwn = try await item(at: location).state == .conflict
        guard isOwn, let base = versions.first(where: { $0.kind == .base })?.path else {
            throw DocumentError(
                .noSuchItem,
                "What both sides of \(location) began from is not kept here: a program changed it without asking, or another device did. Choose with --keep."
            )
        }
        guard let theirs = other.path else {
            throw DocumentError(
                .noSuchItem,
                "The other side of \(location) is not here: docent versions \(location) --fetch brings it.")
        }
        return ConflictSides(
            location: location, base: FilePath(base), ours: FilePath(ours), theirs: FilePath(theirs),
            reason: versions.lazy.compactMap(\.reason).first)
    }

    /// The result appears at its place whole and flushed, or not at all.
    private static func merge(
        _ sides: ConflictSides, by merge: ConflictMerger, at destination: FilePath, replacing: Bool
    ) async throws {
        var result = destination
        result.extension = (destination.extension.map { $0 + "." } ?? "") + "merge-\(getpid())"
        defer { unlink(result.string) }
        try await merge(sides, result)
        do {
            try LocalCopy.publish(flushing: result, at: destination, replacing: replacing)
        } catch Errno.fileExists {
            throw DocumentError(.destinationExists, "\(destination) exists already: name a new file for the result.")
        } catch {
            throw DocumentError(
                .localStorage,
                "What \(sides.location) is when it is merged cannot be put at \(destination) (\(error)); nothing was changed: make room, or choose another place."
            )
        }
    }
}

extension ConflictSides {
    fileprivate func with(ours: FilePath) -> ConflictSides {
        ConflictSides(location: location, base: base, ours: ours, theirs: theirs, reason: reason)
    }
}
