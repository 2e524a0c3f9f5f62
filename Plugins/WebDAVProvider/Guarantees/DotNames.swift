internal import DocumentModel
internal import Synchronization

/// Whether a server lists what has a name that begins with a dot (nginx does not), found out when somebody first wants such a
/// name.
final class DotNames: Sendable {
    private let link: ServerLink
    private let found = Mutex<Bool?>(nil)

    init(_ link: ServerLink) {
        self.link = link
    }

    /// - Throws: `ServerFailure`, or `CancellationError`.
    func areListed() async throws -> Bool {
        if let known = found.withLock({ $0 }) { return known }
        let folder = RemotePath.root.appending(
            try ItemName(Probe.prefix + String(UInt64.random(in: .min ... .max), radix: 36)))
        do {
            let areListed = try await tryIn(folder)
            await Probe.clear(folder, on: link)
            found.withLock { $0 = areListed }
            return areListed
        } catch {
            await Probe.clear(folder, on: link)
            throw error
        }
    }

    private func tryIn(_ folder: RemotePath) async throws -> Bool {
        let name = try ItemName(".inner")
        for path in [folder, folder.appending(name)] {
            let answer = try await link.makeFolder(path)
            guard answer.isSuccess else { throw answer.failure }
        }
        return try await link.entries(of: folder)?.contains { $0.name == name } ?? false
    }
}
