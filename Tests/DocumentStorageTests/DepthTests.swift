import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// Folders that are nested deeper than anybody could follow.
struct DepthTests {
    private let storage: StorageFixture
    private static let chain = 510

    init() throws {
        storage = try StorageFixture()
    }

    /// Folders in each other, `x1` to `x510` for a chain called `x`.
    private func makeChain(_ name: String) throws {
        let folders = try (1...Self.chain).map { depth in
            try storage.item(
                "\(name)\(depth)", depth == 1 ? name : "n", in: depth == 1 ? "/" : "\(name)\(depth - 1)", kind: .folder)
        }
        let outcome = try storage.index.write { try $0.apply(folders, in: storage.domain) }
        try #require(outcome.rejected.isEmpty)
    }

    private func move(_ id: String, to parent: String) throws -> ApplyOutcome {
        let moved = try storage.item(id, id, in: parent, kind: .folder, version: parent)
        return try storage.index.write { try $0.apply([moved], in: storage.domain) }
    }

    private func parent(of id: String) throws -> String? { try storage.indexed(id).item.parentID?.rawValue }

    @Test("A folder is not moved to where what is in it would lie too deep, however deep it is itself")
    func moveTooDeep() throws {
        try makeChain("x")
        try storage.tell(storage.item("f", "f", kind: .folder), storage.item("d", "d.txt", in: "f"))
        let outcome = try move("f", to: "x510")
        #expect(outcome.rejected.map(\.id.rawValue) == ["f"])
        #expect(outcome.rejected.first?.error.code == .contractBroken)
        #expect(try parent(of: "f") == "/")
        // With one folder less around it, there is room for both.
        #expect(try move("f", to: "x509").rejected.isEmpty)
        #expect(try parent(of: "f") == "x509")
        // From there it may go up again, and to a place that is as deep.
        #expect(try move("f", to: "x1").rejected.isEmpty)
        #expect(try parent(of: "f") == "x1")
    }

    @Test("A chain of folders is not moved into another one that has no room for all of it")
    func moveChain() throws {
        try makeChain("x")
        try makeChain("y")
        #expect(try move("x1", to: "y510").rejected.map(\.id.rawValue) == ["x1"])
        #expect(try move("x1", to: "y2").rejected.map(\.id.rawValue) == ["x1"])
        #expect(try move("x1", to: "y1").rejected.isEmpty)
    }

    @Test("What an index has deeper than anybody could follow does not keep the host from starting")
    func startsWithTooDeep() throws {
        try storage.tell(storage.item("f", "F", kind: .folder))
        for (id, folder) in [("d", "f"), ("e", "/")] {
            let item = try storage.item(id, "\(id).txt", in: folder, contents: "hello")
            try storage.tell(item)
            try storage.provide(item, "hello")
        }
        let chains = ["v", "w", "x", "y", "z"]
        for chain in chains { try makeChain(chain) }
        // One below the other, and the folder below them all: as it could come about before that was refused.
        var around = "z510"
        var moves: [String] = []
        for moved in ["y1", "x1", "w1", "v1", "f"] {
            moves.append(
                "UPDATE item SET parent = (SELECT row FROM item WHERE id = '\(around)') WHERE id = '\(moved)'")
            around = moved.replacing("1", with: "510")
        }
        try DatabaseEdits.execute(
            moves.joined(separator: "; "), on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.missing == 0)
        #expect(try storage.indexed("d").state == .materialised)
        #expect(try storage.indexed("e").state == .materialised)
        #expect(try storage.document("F/d.txt") == "hello")
        #expect(try storage.document("e.txt") == "hello")
        let error = #expect(throws: DocumentError.self) {
            try storage.index.read { try $0.location(of: ItemIdentifier("d"), in: storage.domain) }
        }
        #expect(error?.code == .nameClash)
    }
}
