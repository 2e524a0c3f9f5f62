import DocumentModel
import DocumentProvider
import Glibc
import SystemPackage
import Testing

@testable import FolderProvider

/// What is done when the process ends.
enum CrashCase: String, CaseIterable, CustomTestStringConvertible {
    case create, createFolder, replace, replaceAndRename, rename, delete, deleteFolder

    var testDescription: String { rawValue }
}

/// A folder with something in it, and an operation on it that always has the same name.
struct CrashScene {
    let fixture: FolderFixture
    let item: Item
    let folder: Item
    let new: FilePath
    let kind: CrashCase

    init(_ kind: CrashCase) async throws {
        self.kind = kind
        fixture = try FolderFixture()
        try fixture.write("old", to: "a")
        try fixture.makeFolder("f")
        try fixture.write("x", to: "f/x")
        new = try fixture.contents("new")
        let domain = try fixture.domain()
        item = try domain.item(for: try #require(try domain.persistentIdentifier(forItemAt: "a")))
        folder = try domain.item(for: try #require(try domain.persistentIdentifier(forItemAt: "f")))
    }

    func run(_ domain: FolderDomain) throws -> Item? {
        func creation(_ kind: ItemKind) throws -> ItemCreation {
            ItemCreation(
                parentID: .root, name: try ItemName("made"), kind: kind, contents: kind == .folder ? nil : new,
                modified: nil, operation: "op")
        }
        func modification(_ contents: FilePath?, _ name: String?) throws -> ItemModification {
            ItemModification(
                id: item.id, baseVersion: item.version, contents: contents, name: try name.map { try ItemName($0) },
                operation: "op")
        }
        switch kind {
        case .create: return try domain.create(try creation(.document), .none)
        case .createFolder: return try domain.create(try creation(.folder), .none)
        case .replace: return try domain.modify(try modification(new, nil), .none)
        case .replaceAndRename: return try domain.modify(try modification(new, "b"), .none)
        case .rename: return try domain.modify(try modification(nil, "b"), .none)
        case .delete, .deleteFolder:
            let item = kind == .delete ? item : folder
            try domain.delete(
                ItemDeletion(id: item.id, baseVersion: item.version, recursive: true, operation: "op"))
            return nil
        }
    }

    /// The folder as it was, or as it is to be.
    func state() throws -> [String: String] {
        var state: [String: String] = [:]
        for name in try fixture.names().map(\.string) {
            state[name] = access(fixture.path(name) + "/.", F_OK) == 0 ? "folder" : try fixture.read(name)
        }
        return state
    }

    var before: [String: String] { ["a": "old", "f": "folder"] }

    var after: [String: String] {
        switch kind {
        case .create: ["a": "old", "f": "folder", "made": "new"]
        case .createFolder: ["a": "old", "f": "folder", "made": "folder"]
        case .replace: ["a": "new", "f": "folder"]
        case .replaceAndRename: ["b": "new", "f": "folder"]
        case .rename: ["b": "old", "f": "folder"]
        case .delete: ["f": "folder"]
        case .deleteFolder: ["a": "old"]
        }
    }
}

extension FolderNames {
    /// Those of a file system that renames over whatever has a name, and exchanges none, as those of networks do.
    ///
    /// - Parameter beforeCall: comes before each call, and may answer it.
    static func plain(_ beforeCall: @escaping @Sendable (Call) -> Int32? = { _ in nil }) -> FolderNames {
        FolderNames { call in
            if let answer = beforeCall(call) { return answer }
            if case .rename(let flags) = call, flags != 0 { return -EINVAL }
            return nil
        }
    }
}
