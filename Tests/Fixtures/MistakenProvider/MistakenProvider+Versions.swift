import DocumentModel
import DocumentProvider
import Glibc

extension MistakenProvider {
    func versions(of id: ItemIdentifier) async throws -> [ProvidedVersion] {
        try await serve {
            try remote.look { tree in
                if mistake == .versionsOfGoneAreNone, tree.records[id] == nil { return [] }
                _ = try tree.record(id)
                return tree.versions(of: id)
            }
        }
    }

    func provideVersion(
        _ versionID: String, of id: ItemIdentifier, at stagingFile: FilePath, transfer: Transfer
    ) async throws -> ProvidedVersion {
        try await serve {
            let kept = remote.look { $0.kept[versionID] }
            guard let kept, kept.document == id else {
                throw DocumentError(
                    mistake == .goneVersionIsInternalError ? .internal : .versionNoLongerAvailable,
                    "This version is not kept any more.", itemID: id)
            }
            var source = try FileDescriptor.open(remote.place(of: kept), .readOnly, options: .closeOnExec)
            if mistake == .versionIsTheDocument {
                try? source.close()
                source = try remote.open(id, contentVersion: []).1
            }
            defer { try? source.close() }
            let target = try FileDescriptor.open(
                stagingFile, .writeOnly, options: [.truncate, .closeOnExec, .noFollow])
            defer { try? target.close() }
            var version = kept.version
            version.size = try await copier.copy(source, to: target, expected: kept.size, transfer)
            if mistake == .versionIsTheDocument { version.sha256 = nil }
            return version
        }
    }

    func keepVersion(_ keeping: VersionKeeping, transfer: Transfer) async throws -> ProvidedVersion {
        try await serve(stores: true) {
            let file = remote.fresh()
            let size = try await copy(keeping.contents, to: file, transfer)
            defer { unlink(file.string) }
            let kept = try remote.keep(file) { tree in
                _ = try tree.record(keeping.id)
                let earlier = tree.kept.values.first { $0.operation == keeping.operation }
                if let earlier, mistake != .versionKeptTwice { return earlier }
                var kept = KeptContents(
                    id: "v\(tree.sequence + 1)", document: keeping.id, role: keeping.role, size: size,
                    modified: keeping.modified, savedBy: keeping.savedBy ?? "", sha256: keeping.sha256,
                    operation: keeping.operation)
                if mistake == .versionLosesItsDevice { kept.savedBy = "" }
                tree.kept[kept.id] = kept
                tree.recount(keeping.id)
                if mistake == .keptVersionReplacesDocument { tree.records[keeping.id]?.size = size }
                return kept
            }
            signal()
            return kept.version
        }
    }

    func removeVersion(_ versionID: String, of id: ItemIdentifier) async throws {
        try await serve(removes: true) {
            try remote.change { tree in
                guard let kept = tree.kept[versionID], kept.document == id else {
                    guard mistake != .removalOfGoneVersionFails else {
                        throw DocumentError(.versionNoLongerAvailable, "This version is not kept any more.")
                    }
                    return nil
                }
                if mistake != .removedVersionStays { tree.kept[versionID] = nil }
                tree.recount(id)
                return nil
            }
            signal()
        }
    }

    private func copy(_ contents: FilePath, to file: FilePath, _ transfer: Transfer) async throws -> Int64 {
        let source = try FileDescriptor.open(contents, .readOnly, options: .closeOnExec)
        defer { try? source.close() }
        let target = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        defer { try? target.close() }
        return try await copier.copy(source, to: target, transfer)
    }
}
