import DocumentClient
import DocumentModel
import Foundation
import Glibc
import SystemPackage

/// Asks a host about a domain of the misbehaving provider, whose documents are known.
struct AttackQuestion: Sendable {
    let domain: DomainName
    /// The machine's.
    let folder: String
    /// Whether all of the well-behaved provider's documents must be there.
    let isProper: Bool
    /// Where the provider leaves marks of what it has come to.
    let traffic: AttackTraffic

    var top: Location { Location(domain: domain) }

    func ask(_ question: HostQuestion, _ client: DocumentClient) async throws {
        switch question {
        case .add, .tool: break
        case .list: try await list(client)
        case .listTwice:
            try await list(client)
            try await list(client)
        case .read: try await read(client)
        case .readLarge: try await read(client, expecting: Self.pattern(20 << 20 | 5))
        case .readThenGood: try await readThenGood(client)
        case .readAndCancel: try await readAndCancel(client)
        case .readAgain: try await readAgain(client)
        case .editBetweenListings: try await editBetweenListings(client)
        case .refresh:
            try await list(client)
            try await client.refresh(top)
            try await list(client)
        case .refreshAndFind:
            try await list(client)
            try await client.refresh(top)
            guard try await list(client, refresh: false).contains("later.txt") else {
                throw CheckFailure("What came after an anchor that had expired is not found.")
            }
        case .write: try await write(client)
        case .refreshAndRead: try await refreshAndRead(client)
        case .descend: try await descend(client)
        case .writeUntilTaken: try await writeUntilTaken(client)
        case .useAll: try await useAll(client)
        case .pick: try await pick(client)
        case .thumbnails: try await lookAtThumbnails(client)
        case .sides: try await lookAtSides(client)
        case .chooseSide: try await chooseSide(client)
        case .chooseChangedSide: try await chooseSide(client, changing: true)
        case .quota:
            // Nobody waits for it but who asks for it, and nothing of it is told that cannot be.
            async let listed = list(client)
            async let told = client.quota(of: domain)
            _ = try await listed
            guard try await client.domains().first(where: { $0.name == domain })?.quota == nil else {
                throw CheckFailure("A domain's room is told that its provider cannot have told.")
            }
            _ = try await told
        case .create:
            try await list(client)
            let source = "\(folder)/work/\(domain)-new.txt"
            try Data("created".utf8).write(to: URL(fileURLWithPath: source))
            _ = try await client.exportDocument(FilePath(source), to: top.appending(try ItemName("new.txt")))
            try await client.waitUntilSent(top)
        case .remove:
            try await list(client)
            do {
                try await client.remove(itemAt: top.appending(try ItemName("good.txt")))
                try await client.waitUntilSent(top)
            } catch {
                if error.code.errorClass == .definitive { try await expectListed("good.txt", client) }
                throw error
            }
        case .rename:
            try await list(client)
            try await client.rename(
                itemAt: top.appending(try ItemName("target.txt")), to: top.appending(try ItemName("renamed.txt")))
            try await client.waitUntilSent(top)
        }
    }

    /// Lists the top folder to its end, and looks whether what comes can be.
    ///
    /// - Returns: the names.
    @discardableResult
    func list(_ client: DocumentClient, refresh: Bool = true) async throws -> Set<String> {
        var names: Set<String> = []
        for try await item in client.items(in: top, refresh: refresh) {
            guard let name = item.item.name?.rawValue else { continue }
            names.insert(name)
            guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }),
                !name.contains("/"), name != "..", name != "."
            else { throw CheckFailure("An item has a name that no item can have.", detail: String(reflecting: name)) }
            guard item.path.isEmpty || item.path.contains("/\(domain)/") else {
                throw CheckFailure("An item's place lies outside of its domain.", detail: item.path)
            }
            guard names.count < 100_000 else { throw CheckFailure("A listing has no end.") }
        }
        for name in ["good.txt", "target.txt", "folder"] where isProper && !names.contains(name) {
            throw CheckFailure("A document that the provider has is not listed.", detail: name)
        }
        return names
    }

    /// What the provider did not let go is still there.
    private func expectListed(_ name: String, _ client: DocumentClient) async throws {
        guard try await list(client).contains(name) else {
            throw CheckFailure("A document is gone that the provider did not remove.", detail: name)
        }
    }

    static let edit = Data("edited".utf8)
    static let expected = pattern(131_072)

    /// What the documents of the misbehaving provider hold.
    private static func pattern(_ count: Int) -> Data {
        let block = Data((0..<23 * 1024).map { UInt8(ascii: "a") + UInt8($0 % 23) })
        var bytes = Data(capacity: count)
        while bytes.count < count { bytes.append(block.prefix(count - bytes.count)) }
        return bytes
    }

    /// - Parameter others: contents that are as good.
    func read(_ client: DocumentClient, expecting expected: Data = Self.expected, or others: [Data] = []) async throws {
        let target = top.appending(try ItemName("target.txt"))
        let first = try await client.coordinate(readingItemAt: target) { path, _ -> Data in
            var status = stat()
            guard lstat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw CheckFailure("The document's file is no file.", detail: path.string)
            }
            guard status.st_mode & 0o7133 == 0, status.st_nlink == 1 else {
                throw CheckFailure(
                    "The document's file has permissions, or names, that nobody asked for.",
                    detail: String(status.st_mode, radix: 8))
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: path.string))
            // Whatever a provider still does to it shows within this time.
            try await Task.sleep(for: .milliseconds(200))
            let after = try Data(contentsOf: URL(fileURLWithPath: path.string))
            guard before == after else {
                throw CheckFailure("The document changes after it was given to the caller.")
            }
            return after
        }
        guard first == expected || others.contains(first) else {
            throw CheckFailure("The document has other contents than the provider's.", detail: "\(first.count) bytes")
        }
    }

    /// Whole contents, each time, whatever the provider says of their version.
    private func readAgain(_ client: DocumentClient) async throws {
        try await read(client)
        try await client.evict(top.appending(try ItemName("target.txt")))
        try await read(client, or: [Data(Self.expected.map { $0 ^ 1 })])
    }

    /// What a caller has changed is there whatever the listings after it say.
    private func editBetweenListings(_ client: DocumentClient) async throws {
        try await list(client)
        let path = try await write(client)
        var failure: DocumentError?
        for _ in 0..<2 {
            do { try await list(client) } catch let error as DocumentError { failure = error }
        }
        guard try await isKept(Self.edit, at: path, client) else {
            throw CheckFailure("The caller's edit is lost.", detail: failure.map { "\($0)" } ?? "no error")
        }
        if let failure { throw failure }
    }

    private func readAndCancel(_ client: DocumentClient) async throws {
        let task = Task { try await read(client) }
        try await Task.sleep(for: .seconds(2))
        task.cancel()
        try await task.value
    }

    /// Changes the target. What was acknowledged stays here, whatever the provider makes of it.
    ///
    /// - Returns: the document's place.
    @discardableResult
    private func write(_ client: DocumentClient) async throws -> String {
        let target = top.appending(try ItemName("target.txt"))
        let path = try await client.coordinate(writingItemAt: target) { path, _ in
            try Self.edit.write(to: URL(fileURLWithPath: path.string))
            return path
        }
        var failure: (any Error)?
        do { try await client.waitUntilSent(target) } catch { failure = error }
        guard try await isKept(Self.edit, at: path.string, client) else {
            throw CheckFailure("The caller's edit is lost.", detail: "\(failure.map { "\($0)" } ?? "no error")")
        }
        if let failure { throw failure }
        return path.string
    }

    /// Changes the target, and waits until the provider has taken the change after all.
    private func writeUntilTaken(_ client: DocumentClient) async throws {
        var failure: DocumentError?
        do { try await write(client) } catch let error as DocumentError { failure = error }
        // The provider says that nothing keeps it any more when it is asked for the folder.
        try await list(client)
        let target = top.appending(try ItemName("target.txt"))
        let isTaken = try await eventually(within: .seconds(30)) {
            try await Task.sleep(for: .milliseconds(50))
            return try await client.item(at: target).state == .materialised
        }
        guard isTaken else {
            throw CheckFailure("A change is not sent though nothing keeps it from that any more.")
        }
        if let failure { throw failure }
    }

    /// In its place, or as one side of a conflict.
    func isKept(
        _ edit: Data, at path: String, _ client: DocumentClient
    ) async throws -> Bool {
        if (try? Data(contentsOf: URL(fileURLWithPath: path))) == edit { return true }
        let page = try await client.itemPage(in: top)
        let places = page.items.flatMap { [$0.path, $0.conflictPath ?? ""] }.filter { !$0.isEmpty }
        return places.contains { (try? Data(contentsOf: URL(fileURLWithPath: $0))) == edit }
    }
}
