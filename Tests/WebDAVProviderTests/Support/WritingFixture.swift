import DocumentModel
import DocumentProvider
import DocumentTestSupport
import SystemPackage

@testable import WebDAVProvider

/// A domain that may be written to, by the way that a kind of server was found fit for.
struct WritingFixture: Sendable {
    let reading: DomainFixture
    private let folder: FilePath

    var domain: WebDAVDomain { reading.domain }
    var log: LogLines { reading.log }

    static func with<Result>(
        _ kind: RealServer.Kind, url: String, state: FilePath? = nil, transport: (any ServerTransport)? = nil,
        adjust: (inout WebDAVSettings, inout Timing) throws -> Void = { _, _ in },
        body: (WritingFixture) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let guarantee: Guarantee = kind == .lighttpd ? .conditionalChanges : .folderMoves
        return try await DomainFixture.with(
            url: url, writing: guarantee, hasExactTags: kind == .lighttpd || kind == .rclone, state: state ?? folder,
            transport: transport
        ) { settings, timing in
            timing.settling = .seconds(2)
            timing.retrying = RetryPlan.Limits()
            try adjust(&settings, &timing)
        } body: {
            try await body(WritingFixture(reading: $0, folder: folder))
        }
    }

    func provide(_ id: String) async throws -> DomainFixture.Provided { try await reading.provide(id) }

    func names() async throws -> [String] { try await reading.names() }

    func create(_ id: String, _ text: String, operation: String = Self.operation()) async throws -> Item {
        try await domain.create(creation(id, .document, try file(text), operation), Transfer())
    }

    func createFolder(_ id: String) async throws -> Item {
        try await domain.create(creation(id, .folder, nil, Self.operation()), Transfer())
    }

    func change(
        _ id: String, _ text: String, base: ItemVersion, operation: String = Self.operation()
    ) async throws -> Item {
        try await domain.modify(
            ItemModification(
                id: try ItemIdentifier(id), baseVersion: base, contents: try file(text), operation: operation),
            Transfer())
    }

    func move(_ id: String, to target: String, _ text: String? = nil, base: ItemVersion) async throws -> Item {
        let path = try Self.path(target)
        var modification = ItemModification(id: try ItemIdentifier(id), baseVersion: base, operation: Self.operation())
        modification.name = path.name?.shown
        modification.parentID = try path.parent?.identifier
        if let text { modification.contents = try file(text) }
        return try await domain.modify(modification, Transfer())
    }

    func delete(
        _ id: String, base: ItemVersion, recursive: Bool = false, operation: String = Self.operation()
    ) async throws {
        try await domain.delete(
            ItemDeletion(id: try ItemIdentifier(id), baseVersion: base, recursive: recursive, operation: operation))
    }

    static func operation() -> String { "test-\(UInt64.random(in: 0 ... .max))" }

    private func creation(
        _ id: String, _ kind: ItemKind, _ contents: FilePath?, _ operation: String
    ) throws -> ItemCreation {
        let path = try Self.path(id)
        guard let name = path.name, let parent = path.parent else { throw Errno.invalidArgument }
        return ItemCreation(
            parentID: try parent.identifier, name: name.shown, kind: kind, contents: contents, modified: nil,
            operation: operation)
    }

    private static func path(_ id: String) throws -> RemotePath {
        guard let path = RemotePath(try ItemIdentifier(id)) else { throw Errno.invalidArgument }
        return path
    }

    func file(_ text: String) throws -> FilePath {
        let file = folder.appending("contents-\(UInt64.random(in: 0 ... .max))")
        try TemporaryFile.write(text, to: file)
        return file
    }
}

extension RealServer {
    func read(_ path: String) throws -> String { try TemporaryFile.read(base.appending(path)) }
}
