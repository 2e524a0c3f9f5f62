import DocumentModel
import DocumentWire
import Testing

@Suite("What is secret is blanked out in frames")
struct FrameRedactionTests {
    private static let secret = "correct-horse-battery"

    private static func hello() throws -> Frame {
        var hello = Frame.Hello()
        hello.versions = [1]
        hello.software = "docentd 1"
        hello.context = SessionSettings(
            providerID: try ProviderIdentifier("org.example.photos"), domain: try DomainName("work"),
            settings: ["token": secret, "open": "true"], stateFolder: "/state", storageRoot: "/root",
            stagingFolder: "/staging"
        ).serialized()
        return Frame(.hello(hello))
    }

    private static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        guard bytes.count >= text.count else { return false }
        return (0...(bytes.count - text.count)).contains { bytes[$0..<($0 + text.count)].elementsEqual(text) }
    }

    @Test("§10.7: the settings in a hello are blanked out, and the rest of it stays as it was")
    func settings() throws {
        var redaction = FrameRedaction()
        var body = try Self.hello().generalBody()
        let length = body.count
        redaction.redact(frame: &body, .toProvider)
        #expect(!Self.holds(body, Self.secret))
        #expect(body.count == length)
        guard case .hello(let hello) = try body.withUnsafeBytes({ try Frame(body: $0) }).kind else {
            Issue.record("no hello"); return
        }
        let settings = try SessionSettings(serialized: hello.context)
        #expect(settings.settings == ["token": String(repeating: "*", count: 21), "open": "****"])
        #expect(settings.stateFolder == "/state" && settings.domain.rawValue == "work")
    }

    @Test("What was found in a secret field is blanked out in all that follows, both ways")
    func learned() throws {
        var redaction = FrameRedaction()
        var body = try Self.hello().generalBody()
        redaction.redact(frame: &body, .toProvider)
        var log = Frame(
            .notification(
                body: ProviderEvent.log(level: .info, message: "true: \(Self.secret)!", metadata: [:]).serialized())
        ).generalBody()
        redaction.redact(frame: &log, .toHost)
        #expect(!Self.holds(log, Self.secret))
        #expect(Self.holds(log, "true: *"), "short values are no secrets elsewhere")
        #expect(redaction.redact("It said \(Self.secret).") == "It said *********************.")
    }

    @Test("Values named beforehand are blanked out wherever they are")
    func named() {
        let redaction = FrameRedaction(secrets: ["", "abc", "abcdef"])
        #expect(redaction.redact("xabcdefabcab") == "x*********ab")
    }

    @Test("A hello that is cut off anywhere gives nothing away")
    func tornHello() throws {
        let whole = try Self.hello().generalBody()
        for length in 0..<whole.count {
            var body = Array(whole[..<length])
            var redaction = FrameRedaction()
            redaction.redact(frame: &body, .toProvider)
            #expect(!Self.holds(body, "correct"), "cut after \(length) bytes")
        }
    }

    @Test("Frames of random bytes are redacted without harm")
    func randomBytes() {
        var generator = SystemRandomNumberGenerator()
        var redaction = FrameRedaction(secrets: [Self.secret])
        for _ in 0..<2000 {
            var body = (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let length = body.count
            redaction.redact(frame: &body, Bool.random() ? .toProvider : .toHost)
            #expect(body.count == length)
        }
    }

    /// How it is to be, found by comparing at each place.
    private static func blanked(_ text: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        var (text, place) = (text, 0)
        while place + secret.count <= text.count {
            guard text[place..<(place + secret.count)].elementsEqual(secret) else {
                place += 1
                continue
            }
            for index in place..<(place + secret.count) { text[index] = UInt8(ascii: "*") }
            place += secret.count
        }
        return text
    }

    @Test("A value is found wherever it is, also where it nearly is again and again")
    func everywhere() {
        for seed in 0..<2000 as Range<UInt64> { compare(seed) }
    }

    private func compare(_ seed: UInt64) {
        var generator = Generator(seed: seed)
        // Few letters, so that they repeat.
        func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: range, using: &generator)).map { _ in UInt8.random(in: 97...98, using: &generator) }
        }
        let (secret, text) = (bytes(1...6), bytes(0...60))
        var found = text
        FrameRedaction(secrets: [String(decoding: secret, as: UTF8.self)]).redact(bytes: &found)
        #expect(found == Self.blanked(text, secret), "seed \(seed)")
    }

    @Test("§10.7: values that are chosen to make looking for them slow do not", .timeLimit(.minutes(1)))
    func slowValues() {
        // Compared at each place, these would be 16 times 4,000,000,000 bytes.
        let secrets = (0..<16).map { String(repeating: "a", count: 65_536 + $0) + "b" }
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 131_072)
        FrameRedaction(secrets: secrets).redact(bytes: &bytes)
        #expect(bytes.allSatisfy { $0 == UInt8(ascii: "a") })
    }
}
