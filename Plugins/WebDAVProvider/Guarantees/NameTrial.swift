internal import DocumentModel
internal import Synchronization

/// Whether a server takes names of a kind as they are, found out in a folder of its own when somebody first wants such a name.
final class NameTrial: Sendable {
    private typealias Attempt = @Sendable (_ link: ServerLink, _ folder: RemotePath) async throws -> Bool

    private let link: ServerLink
    private let attempt: Attempt
    private let found = Mutex<Bool?>(nil)

    private init(_ link: ServerLink, _ attempt: @escaping Attempt) {
        self.link = link
        self.attempt = attempt
    }

    /// Whether what has a name that begins with a dot is listed; nginx does not.
    static func dotNames(on link: ServerLink) -> NameTrial {
        NameTrial(link) { link, folder in
            let name = try ItemName(".inner")
            try await make(folder.appending(name), on: link)
            return try await link.entries(of: folder)?.contains { $0.name == name } ?? false
        }
    }

    /// Whether something can be moved to a name with characters that have a meaning in addresses: WsgiDAV reads them in the
    /// address that it is given as if they were not escaped, and moves to what is left.
    static func addresses(on link: ServerLink) -> NameTrial {
        NameTrial(link) { link, folder in
            let (plain, odd) = (folder.appending(try ItemName("plain")), try ItemName("odd;a?b#c%41"))
            try await make(plain, on: link)
            _ = try await link.move(plain, to: folder.appending(odd), asFolder: true)
            return try await link.entries(of: folder)?.map(\.name) == [odd]
        }
    }

    /// Whether a name has a character that addresses give a meaning.
    static func isOddInAddress(_ name: ItemName) -> Bool { name.rawValue.contains { ";?#%".contains($0) } }

    /// - Throws: `ServerFailure`, or `CancellationError`.
    func succeeds() async throws -> Bool {
        if let known = found.withLock({ $0 }) { return known }
        let folder = RemotePath.root.appending(
            try ItemName(Probe.prefix + String(UInt64.random(in: .min ... .max), radix: 36)))
        do {
            try await Self.make(folder, on: link)
            let succeeds = try await attempt(link, folder)
            await Probe.clear(folder, on: link)
            found.withLock { $0 = succeeds }
            return succeeds
        } catch {
            await Probe.clear(folder, on: link)
            throw error
        }
    }

    private static func make(_ folder: RemotePath, on link: ServerLink) async throws {
        let answer = try await link.makeFolder(folder)
        guard answer.isSuccess else { throw answer.failure }
    }
}
