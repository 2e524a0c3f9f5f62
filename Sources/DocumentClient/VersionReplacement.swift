import DocumentModel
import Glibc
import SystemPackage

/// A version of a document takes the place of something: of the document itself, of another one, or of a local file (VER-7).
struct VersionReplacement: Sendable {
    let client: DocumentClient
    let location: Location
    let version: String
    /// The version is removed when its contents are in their new place.
    let isMove: Bool

    /// - Returns: where the contents are.
    func replace(
        _ target: Location, replacing: Bool, _ progress: DocumentClient.ProgressHandler?
    ) async throws -> Location {
        guard target != location else {
            guard replacing else { throw taken(location) }
            let source = try await chosen(progress)
            try checkMovable(source)
            try await client.restore(version, of: location)
            try await consume()
            return location
        }
        try client.checkNotInside(an: "A replacement", of: target)
        let source = try await chosen(progress)
        try checkMovable(source)
        let place = try await place(target, replacing: replacing, progress)
        do {
            try await write(source, to: place.location, replacing: replacing, progress)
        } catch {
            if place.wasRenamed {
                // It has its old contents, so it gets its old name back; what kept those from being written is the error.
                _ = try? await client.rename(itemAt: place.location, to: target)
            }
            throw error
        }
        try await consume()
        return place.location
    }

    /// A file of the tool's own, which appears there whole and flushed, under just this name.
    func copy(to destination: FilePath, replacing: Bool, _ progress: DocumentClient.ProgressHandler?) async throws {
        try LocalCopy.check(destination, replacing: replacing)
        let source = try await chosen(progress)
        try checkMovable(source)
        let presenters = (try? LocalPath.absolute(destination)).map { client.desk.localPresenters(of: $0) }
        try await (presenters ?? LocalPresenters(all: [])).lettingGo {
            guard let contents = try open(source) else {
                return try await client.importDocument(
                    at: location, to: destination, replacing: replacing, progress: progress)
            }
            defer { try? contents.close() }
            try await LocalCopy.make(of: contents, at: destination, replacing: replacing)
        }
        try await consume()
    }

    // MARK: - The version

    /// The version, with its contents here: those that only the remote has are fetched first (VER-8).
    private func chosen(_ progress: DocumentClient.ProgressHandler?) async throws -> DocumentVersion {
        let found = try await listed()
        guard !found.isInPlace, found.path == nil else { return found }
        _ = try await client.fetchRemoteVersion(of: location, progress: progress)
        let fetched = try await listed()
        guard fetched.path != nil else {
            throw DocumentError(
                .noSuchItem,
                "The contents of version “\(version)” of \(location) are not here, and the remote did not give them: docent versions \(location) shows what there is."
            )
        }
        return fetched
    }

    private func listed() async throws -> DocumentVersion {
        let known = try await client.versions(of: location)
        guard let found = known.first(where: { $0.isNamed(version) }) else { throw missing }
        return found
    }

    private var missing: DocumentError {
        DocumentError(.noSuchItem, "\(location) has no version “\(version)”: docent versions \(location) shows them.")
    }

    private func checkMovable(_ version: DocumentVersion) throws(DocumentError) {
        guard isMove else { return }
        switch version.kind {
        case .current:
            throw DocumentError(
                .invalidArgument,
                "“\(version.id)” is the current version of \(location): copy it, or move the document itself.")
        case .base:
            throw DocumentError(
                .invalidArgument,
                "Changes of \(location) that were not sent began from “\(version.id)”: copy it, or wait until they are sent."
            )
        case .conflict, .older, .remote: return
        }
    }

    private func consume() async throws {
        guard isMove else { return }
        try await client.removeVersions([version], of: location)
    }

    /// The version's file. What is kept is never written to, and an open file outlasts its removal.
    ///
    /// - Returns: nil for what lies in the document's own file, which is read like any other.
    private func open(_ source: DocumentVersion) throws -> FileDescriptor? {
        guard !source.isInPlace, let path = source.path else { return nil }
        do {
            return try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch let error as Errno where error == .noSuchFileOrDirectory {
            throw missing
        } catch let error as Errno {
            throw DocumentError(
                .notPermitted,
                "Version “\(version)” of \(location) cannot be read (\(error)): this program is not let through to what the host keeps."
            )
        }
    }

    // MARK: - The place

    private struct Place {
        var location: Location
        var wasRenamed = false
    }

    /// Where the contents go: what is there keeps its name, but for an ending of another type.
    private func place(
        _ target: Location, replacing: Bool, _ progress: DocumentClient.ProgressHandler?
    ) async throws -> Place {
        let there: Item
        do throws(DocumentError) {
            there = try await client.item(at: target).item
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return Place(location: target)
        }
        guard replacing else { throw taken(target) }
        guard there.kind == .document, let name = target.name, let folder = target.parent else {
            throw DocumentError(
                .invalidArgument, "\(target) is a folder or a package: name a document, or one that is to be made.")
        }
        // What is there becomes a version of it: it is brought for that.
        try await client.download(target, progress: progress)
        let type = try await client.item(at: location).item.contentType
        guard type != there.contentType, let ending = location.name?.pathExtension,
            ending != name.pathExtension
        else { return Place(location: target) }
        let stem = name.pathExtension.map { String(name.rawValue.dropLast($0.count + 1)) } ?? name.rawValue
        let renamed = folder.appending(try ItemName("\(stem).\(ending)"))
        try await client.rename(itemAt: target, to: renamed)
        return Place(location: renamed, wasRenamed: true)
    }

    private func write(
        _ source: DocumentVersion, to target: Location, replacing: Bool,
        _ progress: DocumentClient.ProgressHandler?
    ) async throws {
        let coordinator = FileCoordinator(client)
        let write = FileAccessIntent.writing(target, .forReplacing)
        if let contents = try open(source) {
            defer { try? contents.close() }
            try await coordinator.coordinate(with: [write], progress: progress) { files in
                try await LocalCopy.make(of: contents, at: files[0].path, replacing: replacing)
            }
        } else {
            try await coordinator.coordinate(with: [.reading(location), write], progress: progress) { files in
                let contents = try await client.openAccessed()
                defer { try? contents.close() }
                try await LocalCopy.make(of: contents, at: files[1].path, replacing: replacing)
            }
        }
    }

    private func taken(_ target: Location) -> DocumentError {
        DocumentError(
            .destinationExists, "\(target) exists already: choose another name, or say that it may be replaced.")
    }
}
