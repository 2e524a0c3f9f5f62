import DocumentClient
import DocumentModel
import Foundation
import SystemPackage

extension AttackQuestion {
    private static let others = Data("another side\n".utf8)
    private static let changedElsewhere = Data("changed elsewhere\n".utf8)
    /// Nobody is told of more: 64 of the remote's, and what the host has itself.
    private static let mostVersions = 80
    private static let longestDevice = 256

    private var target: Location {
        get throws { top.appending(try ItemName("target.txt")) }
    }

    /// Looks at what the remote keeps of the target, and has what other devices have left there brought. What is told can be, and
    /// what is brought is what they have left.
    func lookAtSides(_ client: DocumentClient) async throws {
        try await list(client)
        // The host asks by itself: a first time, and as the errors say.
        _ = try await eventually(within: .seconds(5)) {
            if traffic.has("deviated") { return true }
            return try await client.versions(of: target).contains { $0.kind == .conflict }
        }
        // Time to ask on and on, if it does.
        try await Task.sleep(for: .seconds(2))
        for version in try await client.versions(of: target) { try expectPossible(version) }
        _ = try await client.fetchRemoteVersion(of: target)
        let versions = try await client.versions(of: target)
        guard versions.count <= Self.mostVersions else {
            throw CheckFailure("A document has more versions than its remote may keep.", detail: "\(versions.count)")
        }
        for version in versions {
            try expectPossible(version)
            guard [.conflict, .current].contains(version.kind), !version.isInPlace, let path = version.path else {
                continue
            }
            guard try Data(contentsOf: URL(fileURLWithPath: path)) == Self.others else {
                throw CheckFailure("A side of a conflict has other contents than its device has left.", detail: path)
            }
        }
        try await read(client)
    }

    private func expectPossible(_ version: DocumentVersion) throws {
        for text in [version.id, version.device ?? "", version.reason ?? ""]
        where text.utf8.count > Self.longestDevice || text.unicodeScalars.contains(where: ErrorClarity.isUnfit) {
            throw CheckFailure("A version is told in words that no version can have.", detail: String(reflecting: text))
        }
        guard version.size ?? 0 >= 0, abs(version.modified.seconds) < 1 << 40 else {
            throw CheckFailure("A version has a size, or a time, that no version can have.", detail: "\(version)")
        }
        guard version.path?.hasPrefix(folder + "/root/") != false else {
            throw CheckFailure("A version's contents lie outside of the storage root.", detail: version.path ?? "")
        }
    }

    /// Changes the target while somebody else does. Both sides stay here whatever the remote makes of them, until this one is
    /// chosen; then it is everywhere.
    ///
    /// - Parameter isChanging: whether this side is changed once more before it is chosen.
    func chooseSide(_ client: DocumentClient, changing isChanging: Bool = false) async throws {
        try await list(client)
        var edit = Self.edit
        try await write(edit, client)
        do {
            try await client.waitUntilSent(target)
            throw CheckFailure("A change is sent over another one, which is lost.")
        } catch let error as DocumentError {
            guard error.code == .inConflict else { throw error }
        }
        _ = try await eventually(within: .seconds(5)) { traffic.has("deviated", "kept") }
        if isChanging {
            edit = Data("edited again".utf8)
            try await write(edit, client)
            guard try await eventually(within: .seconds(10), { traffic.has("kept-again") }) else {
                throw CheckFailure("A side of a conflict that is changed is not kept anew.")
            }
        }
        try await list(client)
        // Time to ask on and on, if it does, and to follow what it is told.
        try await Task.sleep(for: .seconds(1))
        try await list(client)
        try await Task.sleep(for: .milliseconds(500))
        if try await client.item(at: target).state == .conflict {
            try await expectSides([edit, Self.changedElsewhere], client)
            try await client.resolveConflict(at: target, keeping: .local)
        } else {
            // It was resolved elsewhere, as the remote says.
            try await read(client, expecting: Self.changedElsewhere)
            guard let kept = try await versions(client).first(where: { $0.contents == edit }) else {
                throw CheckFailure("The caller's edit is lost when the remote does not keep it any more.")
            }
            try await client.restore(kept.id, of: target)
        }
        try await client.waitUntilSent(target)
        _ = try await eventually(within: .seconds(5)) { traffic.has("deviated") }
        try await Task.sleep(for: .seconds(1))
        _ = try await client.evict(target)
        try await read(client, expecting: edit)
    }

    private func write(_ contents: Data, _ client: DocumentClient) async throws {
        try await client.coordinate(writingItemAt: target) { path, _ in
            try contents.write(to: URL(fileURLWithPath: path.string))
        }
    }

    private func versions(_ client: DocumentClient) async throws -> [(id: String, contents: Data)] {
        try await client.versions(of: target).compactMap { version in
            guard let path = version.path else { return nil }
            return (version.id, try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    private func expectSides(_ sides: [Data], _ client: DocumentClient) async throws {
        for version in try await client.versions(of: target) { try expectPossible(version) }
        let contents = Set(try await versions(client).map(\.contents))
        for side in sides where !contents.contains(side) {
            throw CheckFailure(
                "One side of a conflict is not here any more.", detail: String(decoding: side, as: UTF8.self))
        }
    }
}
