internal import CSecretService
import DocumentModel
internal import Glibc
import Synchronization

/// Secrets in the keyring of the desktop: the Secret Service, `org.freedesktop.secrets` on the session bus. Nobody is ever
/// asked anything, and no call waits for long: a keyring that is locked is an error. All calls block.
final class SecretService: Sendable {
    private static let largest = 1_048_576

    /// Whose secrets they are: the storage root.
    private let owner: String
    private let bus: String?
    private let limit: Duration
    /// How long one that did not answer in time is not asked again: a host with many domains would wait for each.
    private let rest: Duration
    private let restsUntil = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - bus: the bus's address; nil for the user's session bus.
    ///   - limit: how long a call may take.
    init(owner: String, bus: String? = nil, limit: Duration = .seconds(5), rest: Duration = .seconds(10)) {
        self.owner = owner
        self.bus = bus
        self.limit = limit
        self.rest = rest
    }

    /// Whether it is there, and can be used without asking anybody.
    ///
    /// - Throws: ``DocumentError`` that says why not.
    func check() throws(DocumentError) {
        let (result, reason) = call { docent_secret_service_state($0) }
        if result < 0 { throw Self.error(result, reason, "cannot be used") }
    }

    func text(of domain: DomainName) throws(DocumentError) -> String? {
        var bytes = [UInt8](repeating: 0, count: Self.largest)
        let (count, reason) = bytes.withUnsafeMutableBytes { room in
            call { docent_secret_service_find($0, domain.rawValue, room.baseAddress, room.count) }
        }
        // What is there, and what is not, is told without a reason.
        if count == -Int64(ENOENT), reason.isEmpty { return nil }
        guard count >= 0 else { throw Self.error(Int32(count), reason, "does not tell what “\(domain)” signs in with") }
        guard count <= Self.largest, let text = String(validating: bytes[..<Int(count)], as: UTF8.self) else {
            throw DocumentError(
                .localStorage,
                "What the keyring keeps of “\(domain)” is damaged: sign in anew (docent login \(domain)).")
        }
        return text
    }

    func keep(_ text: String, of domain: DomainName) throws(DocumentError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.largest else {
            throw DocumentError(.invalidArgument, "What “\(domain)” is to sign in with is longer than 1 MiB.")
        }
        let (result, reason) = bytes.withUnsafeBytes { bytes in
            call {
                docent_secret_service_store(
                    $0, domain.rawValue, "Docent: \(domain)", bytes.baseAddress, bytes.count)
            }
        }
        if result < 0 { throw Self.error(result, reason, "does not keep what “\(domain)” signs in with") }
    }

    func remove(of domain: DomainName) throws(DocumentError) {
        let (result, reason) = call { docent_secret_service_remove($0, domain.rawValue) }
        if result < 0 { throw Self.error(result, reason, "does not remove what “\(domain)” signs in with") }
    }

    private func call<Result: FixedWidthInteger>(
        _ body: (UnsafeMutablePointer<docent_secret_call>) -> Result
    ) -> (result: Result, reason: String) {
        let began = ContinuousClock.now
        if let until = restsUntil.withLock({ $0 }), began < until {
            return (Result(-ETIMEDOUT), "it did not answer a moment ago")
        }
        let (seconds, attoseconds) = limit.components
        let (result, reason) = owner.withCString { owner in
            withAddress { address in
                var call = docent_secret_call()
                call.address = address
                call.microseconds = UInt64(max(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, 1))
                call.owner = owner
                let result = body(&call)
                let reason = withUnsafeBytes(of: call.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                return (result, reason)
            }
        }
        let now = ContinuousClock.now
        restsUntil.withLock { $0 = result < 0 && now - began >= limit ? now + rest : nil }
        return (result, reason)
    }

    private func withAddress<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let bus else { return body(nil) }
        return bus.withCString { body($0) }
    }

    private static func error(_ code: Int32, _ reason: String, _ what: String) -> DocumentError {
        let way =
            code == -EACCES
            ? "Unlock it: Docent goes on by itself then" : "Start the desktop's keyring in this session, and try again"
        let why = reason.isEmpty ? "it failed" : reason
        return DocumentError(
            .localStorage,
            "The keyring (Secret Service) \(what): \(why). \(way), or have secrets kept in files from now on: DOCENT_SECRETS=files, and sign in anew."
        )
    }
}
