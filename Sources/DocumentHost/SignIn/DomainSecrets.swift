import DocumentModel
import DocumentStorage
import Synchronization

/// What domains sign in with, and beside it, in the same store, what their providers keep for themselves. All calls block.
final class DomainSecrets: SecretStore {
    /// Bytes that are worth keeping a whole store's limit in mind: as many names, each with so much.
    static let mostOwn = 16
    static let longestOwn = 16_384

    /// No setting's key begins with it.
    private static let mark: Character = ":"
    private let store: any SecretStore
    /// What providers keep while somebody signs in, which is written with what was signed in with. What is read, changed and
    /// written is nobody else's meanwhile.
    private let change = Mutex<[DomainName: [String: [UInt8]]]>([:])

    init(_ store: any SecretStore) {
        self.store = store
    }

    // MARK: What a domain signs in with

    func secrets(of domain: DomainName) throws -> [String: String]? {
        try store.secrets(of: domain)?.filter { $0.key.first != Self.mark }
    }

    /// What the provider keeps for itself stays; and while somebody signs in, it is what the provider has kept since.
    func keep(_ secrets: [String: String], of domain: DomainName) throws {
        try change.withLock { trials in
            // What cannot be read is replaced.
            let own =
                trials[domain].map(Self.entries)
                ?? (try? entries(of: domain).filter { $0.key.first == Self.mark }) ?? [:]
            try write(secrets.merging(own) { $1 }, of: domain)
            trials[domain] = nil
        }
    }

    /// All of it.
    func remove(of domain: DomainName) throws {
        try change.withLock { trials in
            trials[domain] = nil
            try store.remove(of: domain)
        }
    }

    func domains() throws -> [DomainName] { try store.domains() }

    // MARK: What its provider keeps for itself

    /// By name.
    func own(of domain: DomainName) throws -> [String: [UInt8]] {
        if let trial = change.withLock({ $0[domain] }) { return trial }
        return Self.own(in: try entries(of: domain))
    }

    /// - Parameter value: empty to keep nothing under the name any more.
    /// - Throws: `insufficientQuota` for more names, or a longer value, than a provider may have.
    func keepOwn(_ value: [UInt8], named name: String, of domain: DomainName) throws {
        try change.withLock { trials in
            let all = trials[domain] == nil ? try entries(of: domain) : [:]
            var own = trials[domain] ?? Self.own(in: all)
            own[name] = value.isEmpty ? nil : value
            guard value.count <= Self.longestOwn, own.count <= Self.mostOwn else {
                throw DocumentError(
                    .insufficientQuota,
                    "The provider of “\(domain)” may keep \(Self.mostOwn) secrets of at most \(Self.longestOwn) bytes: have it remove one first."
                )
            }
            if trials[domain] != nil {
                trials[domain] = own
            } else {
                try write(all.filter { $0.key.first != Self.mark }.merging(Self.entries(of: own)) { $1 }, of: domain)
            }
        }
    }

    /// Somebody signs in: the provider begins with nothing of its own, and what it keeps is written by
    /// ``keep(_:of:)``, or forgotten by ``endTrial(of:)``.
    func beginTrial(of domain: DomainName) {
        change.withLock { $0[domain] = [:] }
    }

    /// What was there before is there again, unless it was replaced.
    func endTrial(of domain: DomainName) {
        change.withLock { $0[domain] = nil }
    }

    private static func own(in entries: [String: String]) -> [String: [UInt8]] {
        var own: [String: [UInt8]] = [:]
        for (key, value) in entries where key.first == mark {
            own[String(key.dropFirst())] = Hexadecimal.bytes(of: value)
        }
        return own
    }

    private static func entries(of own: [String: [UInt8]]) -> [String: String] {
        var entries: [String: String] = [:]
        for (name, value) in own { entries["\(mark)\(name)"] = Hexadecimal.text(of: value) }
        return entries
    }

    private func entries(of domain: DomainName) throws -> [String: String] { try store.secrets(of: domain) ?? [:] }

    private func write(_ entries: [String: String], of domain: DomainName) throws {
        if entries.isEmpty { try store.remove(of: domain) } else { try store.keep(entries, of: domain) }
    }
}

/// Bytes as a line of text.
private enum Hexadecimal {
    static func text(of bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }

    /// Nil for what is none.
    static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
