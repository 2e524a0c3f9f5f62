import DocumentModel
import DocumentProvider
import Glibc
import ProviderLauncher

extension MistakenProvider {
    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        try await serve {
            if mistake == .stagingWrittenForNothing {
                let file = try open(stagingFile)
                try file.closeAfter { _ = try file.writeAll("Soon.\n".utf8) }
            }
            let (record, source) = try remote.open(id, contentVersion: contentVersion)
            defer { try? source.close() }
            if record.size == 0, mistake == .emptyDocumentNotProvided {
                throw DocumentError(.internal, "There is nothing in “\(record.name)”.")
            }
            if isSpent(id) { throw DocumentError(.internal, "“\(record.name)” has been given already.") }
            if mistake == .missingStagingIgnored, (try? open(stagingFile).close()) == nil { return try record.item }
            var place = stagingFile
            if mistake == .stagingReplaced { place = stagingFile.removingLastComponent().appending("replacement") }
            let target = try open(place)
            defer { try? target.close() }
            do {
                _ = try await copier.copy(source, to: target, expected: record.size, transfer)
            } catch let error as Errno {
                guard mistake == .fullDiskIgnored else { throw error }
            }
            try spoil(target, stagingFile, record)
            if mistake == .stagingReplaced, rename(place.string, stagingFile.string) != 0 {
                throw Errno(rawValue: errno)
            }
            // A good one vouches for what it gives.
            if mistake == nil, let digest = try? FileDigest.bytes(of: stagingFile) {
                transfer.vouch(forContentsWith: digest)
            }
            return try record.item
        }
    }

    private func open(_ place: FilePath) throws -> FileDescriptor {
        let isNew = mistake == .stagingReplaced || mistake == .revokedStagingRemade
        return try FileDescriptor.open(
            place, .writeOnly,
            options: isNew ? [.create, .truncate, .closeOnExec] : [.truncate, .closeOnExec, .noFollow],
            permissions: isNew ? .ownerReadWrite : nil
        )
    }

    /// What is done wrong with contents that were written well.
    private func spoil(_ target: FileDescriptor, _ stagingFile: FilePath, _ record: RemoteRecord) throws {
        let size = try target.seek(offset: 0, from: .end)
        switch mistake {
        case .contentsShort where size > 0:
            try target.resize(to: size - 1)
        case .contentsLong:
            try target.writeAll([0])
        case .contentsHollow where size > 1_048_576:
            try target.writeAll(toAbsoluteOffset: size / 2, [UInt8](repeating: 0, count: 65_536))
        case .stagingKeptOpen:
            _ = try target.duplicate()
        case .contentsSparse:
            try target.resize(to: 0)
            try target.resize(to: size)
        case .writesBesideStaging:
            let beside = stagingFile.removingLastComponent().appending("left behind")
            try FileDescriptor.open(beside, .writeOnly, options: [.create], permissions: .ownerReadWrite).close()
        case .stagingTouchedLate:
            Task(executorPreference: Program.loop) {
                try await Task.sleep(for: .milliseconds(50))
                let file = try FileDescriptor.open(stagingFile, .writeOnly, options: .append)
                try file.closeAfter { _ = try file.writeAll("late".utf8) }
            }
        default: break
        }
    }
}
