internal import DocumentModel
internal import NIOHTTP1
internal import Synchronization

/// What a server does with names of a kind, found out in a folder of its own when somebody first wants such a name.
final class NameTrial<Outcome: Sendable>: Sendable {
    fileprivate typealias Attempt = @Sendable (_ link: ServerLink, _ folder: RemotePath) async throws -> Outcome

    private let link: ServerLink
    private let attempt: Attempt
    private let found = Mutex<Outcome?>(nil)

    fileprivate init(_ link: ServerLink, _ attempt: @escaping Attempt) {
        self.link = link
        self.attempt = attempt
    }

    /// - Throws: `ServerFailure`, or `CancellationError`.
    func outcome() async throws -> Outcome {
        if let known = found.withLock({ $0 }) { return known }
        let folder = try Probe.newFolder(on: link)
        do {
            try await link.makeNewFolder(folder)
            let outcome = try await attempt(link, folder)
            await Probe.clear(folder, on: link)
            found.withLock { $0 = outcome }
            return outcome
        } catch {
            await Probe.clear(folder, on: link)
            throw error
        }
    }
}

extension NameTrial<Bool> {
    /// Whether what has a name that begins with a dot is listed; nginx does not.
    static func dotNames(on link: ServerLink) -> NameTrial {
        NameTrial(link) { link, folder in
            let name = try RemoteName(".inner")
            try await link.makeNewFolder(folder.appending(name))
            guard let entries = try await link.entries(of: folder) else {
                throw ServerFailure.interrupted("a folder that was just made is not there")
            }
            return entries.contains { $0.name == name }
        }
    }
}

extension NameTrial<Set<UInt8>> {
    /// What means something in addresses.
    private static var odd: [UInt8] { Array(";?#%/".utf8) }

    /// Which bytes keep something from being moved to a name: WsgiDAV reads some in the address that it is given as if they
    /// were not escaped, and moves to what is left.
    static func misreadNames(on link: ServerLink) -> NameTrial {
        NameTrial(link) { link, folder in
            var misread: Set<UInt8> = []
            for byte in odd {
                let plain = try RemoteName("plain \(byte)")
                let name = try RemoteName(segment: Array("odd \(byte)".utf8) + [byte] + Array("41".utf8))
                // A document: of folders WsgiDAV reads some names right that it misreads of these.
                let request = ServerRequest(method: .PUT, path: folder.appending(plain), body: .bytes([1]))
                let made = try await link.change(request)
                guard made.isSuccess else { throw made.failure }
                let answer = try await link.move(
                    folder.appending(plain), to: folder.appending(name), asFolder: false)
                // What fails for a moment says nothing about names.
                guard let code = answer.code, code != 423, let entries = try await link.entries(of: folder) else {
                    throw answer.failure
                }
                let names = entries.map(\.name)
                if !names.contains(name) || names.contains(plain) { misread.insert(byte) }
            }
            return misread
        }
    }

    static func isOdd(_ name: RemoteName) -> Bool { name.unescaped.contains { odd.contains($0) } }
}

extension ServerLink {
    fileprivate func makeNewFolder(_ folder: RemotePath) async throws {
        let answer = try await makeFolder(folder)
        guard answer.isSuccess else { throw answer.failure }
    }
}
