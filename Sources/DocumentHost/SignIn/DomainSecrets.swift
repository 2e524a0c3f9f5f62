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
        var own: [String: [UInt8]] = [:]
        for (key, value) in try entries(of: domain) where key.first == Self.mark {
            own[String(key.dropFirst())] = Hexadecimal.bytes(of: value)
        }
        return own
    }

    /// - Parameter value: empty to keep nothing under the name any more.
    /// - Throws: `insufficientQuota` for more names, or a longer value, than a provider may have.
    func keepOwn(_ value: [UInt8], named name: String, of domain: DomainName) throws {
        try change.withLock { trials in
            guard value.count <= Self.longestOwn else { throw Self.tooMuch(domain) }
            if var own = trials[domain] {
                own[name] = value.isEmpty ? nil : value
                guard own.count <= Self.mostOwn else { throw Self.tooMuch(domain) }
                return trials[domain] = own
            }
            var all = try entries(of: domain)
            all["\(Self.mark)\(name)"] = value.isEmpty ? nil : Hexadecimal.text(of: value)
            guard all.keys.count(where: { $0.first == Self.mark }) <= Self.mostOwn else { throw Self.tooMuch(domain) }
            try write(all, of: domain)
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

    private static func tooMuch(_ domain: DomainName) -> DocumentError {
        DocumentError(
            .insufficientQuota,
            "The provider of “\(domain)” may keep \(mostOwn) secrets of at most \(longestOwn) bytes: have it remove one first."
        )
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

/// Bytes as a line of text. There may be much of them, and whoever waits has asked for one.
private enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var place = 0
            for byte in bytes {
                buffer[place] = digits[Int(byte >> 4)]
                buffer[place + 1] = digits[Int(byte & 15)]
                place += 2
            }
            return place
        }
    }

    /// Nil for what is none.
    static func bytes(of text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { digits -> [UInt8]? in
            guard digits.count.isMultiple(of: 2) else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(digits.count / 2)
            var place = 0
            while place < digits.count {
                guard let high = value(digits[place]), let low = value(digits[place + 1]) else { return nil }
                bytes.append(high << 4 | low)
                place += 2
            }
            return bytes
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
