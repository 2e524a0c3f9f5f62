import CDocentShims
import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage

/// A document takes the place of another one, as editors save: the other one lives on, with new contents.
///
/// The files change places in the storage root, in one step, under a claim on both; then the one that was renamed goes. At
/// each moment both contents are there, or with the remote, and the journal says that the document was being written.
extension MountedTree {
    /// - Parameter bringing: whether the contents that are to stand there may be brought for it.
    func replace(
        _ there: ItemStatus, at destination: Location, with origin: Location, _ node: UInt64, bringing: Bool
    ) async throws {
        let writer = try await writer(of: node, at: origin, bringing: bringing, isOpened: false)
        defer { writers.leave(node) }
        // What is not here is not wanted either, nor what is just coming for somebody. Of what is outdated the newest version is
        // replaced, and brought for that.
        let isHere = ![.placeholder, .materialising].contains(there.state)
        let hold = try await link.with { session in
            isHere
                ? try await self.hold(destination, .writing, within: session.patience, session)
                : try await session.hold(destination, .replacing, within: session.patience)
        }
        let target = hold.path.string
        do {
            let path = try await known(at: origin).path
            guard try await disk.run({ writer.isAt(path) }) else { throw Errno.staleNFSFileHandle }
            // The contents that are going to stand alone, before the old ones go: nobody may have flushed them.
            try await disk.run { try writer.flush() }
            try await exchange(path, target)
            try await remove(origin, withFileAt: path, undo: { [self] in try await undo(path, target, writer) })
        } catch {
            await hold.endAndWait()
            throw error
        }
        // From now on it is the other document that is written.
        writer.take(hold).end()
    }

    /// Both are as they were, if they were exchanged.
    private func undo(_ source: String, _ target: String, _ writer: Writer) async throws {
        if try await disk.run({ writer.isAt(target) }) { try await exchange(target, source) }
    }

    /// Removes a document whose file is open for writing, or is not the one that the host knows: it is out of the way
    /// meanwhile, and is back, when the document cannot be removed, before the host looks at it again.
    ///
    /// - Parameter undo: what is done when it was not removed. Where nobody knows whether it was, because the host has ended, nothing
    ///   is: the next host is asked, and finds what is to stay where it is to stay.
    func remove(
        _ location: Location, withFileAt path: String, undo: (@Sendable () async throws -> Void)? = nil
    ) async throws {
        // By its name a host that comes meanwhile knows that it is on its way out, and keeps what nobody else has of it.
        let aside = "\(address.root)/.docent/staging/leaving-mount-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        var (removal, file) = (Removal.isNot, FileState?.none)
        do {
            try await link.with { session in
                try await session.remove(location) { remove in
                    if try await rename(path, aside) { file = try await disk.run { FileState(at: aside) } }
                    let mayBeGone = file != nil || removal == .mayBe
                    do {
                        removal = .mayBe
                        try await remove()
                    } catch let error as DocumentError where error.code == .noSuchItem && mayBeGone {
                        // It was new, and whoever has just recorded that its file is gone has recorded its end. Or the host before
                        // has removed it.
                    } catch {
                        // Back at its place, what is to stay would go with it.
                        if undo != nil, (error as? DocumentError)?.code == .hostUnavailable { throw error }
                        // A new host has taken away what was aside: each of the contents stays where it is then, and is found there.
                        if file != nil, try await !rename(aside, path), undo != nil { throw error }
                        try await undo?()
                        removal = .isNot
                        throw error
                    }
                    removal = .is
                }
            } ifDone: { refusal in
                // The host before has removed it, or this one has not found its file, which is back, and nobody's.
                guard refusal.code == .noSuchItem, file != nil || removal == .mayBe else { return nil }
                if let file { try await disk.run { if FileState(at: path)?.isFile(of: file) == true { unlink(path) } } }
                return ()
            }
        } catch  where removal == .is {
            // Only the end of the access failed, with its host.
        } catch {
            // Also when it could not even be asked for, as by a program that was interrupted meanwhile.
            if removal == .isNot { try? await undo?() }
            throw error
        }
        _ = try await disk.run { docent_unlinkat(AT_FDCWD, aside, 0) }
    }

    /// Whether a document was removed.
    private enum Removal { case isNot, mayBe, `is` }

    /// - Returns: whether there is such a file.
    private func rename(_ one: String, _ other: String) async throws -> Bool {
        try await disk.run {
            let result = docent_renameat2(AT_FDCWD, one, AT_FDCWD, other, UInt32(DOCENT_RENAME_NOREPLACE))
            guard result == 0 || result == -ENOENT else { throw Errno(rawValue: -result) }
            return result == 0
        }
    }

    /// A file takes another one's place, and that one its own; where there is no other one, it just moves.
    private func exchange(_ one: String, _ other: String) async throws {
        let isExchanged = try await disk.run {
            let result = docent_renameat2(AT_FDCWD, one, AT_FDCWD, other, UInt32(DOCENT_RENAME_EXCHANGE))
            guard result == 0 || result == -ENOENT else { throw Errno(rawValue: -result) }
            return result == 0
        }
        if isExchanged { return }
        guard try await rename(one, other) else { throw Errno.noSuchFileOrDirectory }
    }
}
