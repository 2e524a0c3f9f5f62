import DocumentModel
import DocumentWire

/// Makes values at random, the same ones for the same seed (SplitMix64).
struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func bool() -> Bool { Bool.random(using: &self) }
    mutating func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
        (0..<int(range)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
    mutating func one<Value>(of values: [Value]) -> Value {
        values[int(0...(values.count - 1))]
    }
    mutating func optional<Value>(_ make: (inout Generator) throws -> Value) rethrows -> Value? {
        bool() ? try make(&self) : nil
    }
    mutating func many<Value>(_ range: ClosedRange<Int>, _ make: (inout Generator) throws -> Value) rethrows -> [Value]
    {
        var values: [Value] = []
        for _ in 0..<int(range) { values.append(try make(&self)) }
        return values
    }

    /// Text with accents in both Unicode forms, emoji, quotes and separators other than a slash.
    mutating func prompt() throws -> Prompt {
        Prompt(
            message: text(1...40), url: optional { _ in "https://example.org/code" },
            fields: (0..<int(0...8)).map { number in
                Prompt.Field(key: "k\(number)", label: "Label \(number)", isSecret: bool())
            })
    }

    mutating func text(_ range: ClosedRange<Int>) -> String {
        let alphabet = ["a", "Z", "0", " ", ".", "é", "e\u{301}", "日", "👩‍👧", "\"", "\\", ":", "-", "_", "%", "\u{200D}"]
        return (0..<int(range)).map { _ in one(of: alphabet) }.joined()
    }

    mutating func path() -> String {
        "/" + many(1...4) { $0.text(1...8) }.filter { $0 != "." && $0 != ".." }.joined(separator: "/")
    }

    mutating func identifier() throws -> ItemIdentifier { try ItemIdentifier("/" + text(1...20)) }

    mutating func entryID() throws -> PickerEntryID { try PickerEntryID(bytes(1...40)) }

    /// A PNG as far as its header goes, and noise behind that.
    mutating func picture() throws -> Thumbnail {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        let size = [0, 0, 0, UInt8(int(1...255)), 0, 0, 0, UInt8(int(1...255))]
        return try Thumbnail(signature + Array("IHDR".utf8) + size + bytes(9...300))
    }

    mutating func name() throws -> ItemName { try ItemName("n" + text(0...18)) }

    mutating func timestamp() -> Timestamp {
        Timestamp(seconds: Int64(int(-62_135_596_800...253_402_300_799)), nanoseconds: UInt32(int(0...999_999_999)))
    }

    mutating func version() throws -> ItemVersion {
        try ItemVersion(content: bytes(1...128), metadata: bytes(0...128))
    }

    mutating func item() throws -> Item {
        let kind = one(of: ItemKind.allCases)
        let isTop = kind == .folder && int(0...9) == 0
        return Item(
            id: try ItemIdentifier("child" + text(0...20)),
            parentID: isTop ? nil : try ItemIdentifier("parent" + text(0...20)),
            name: isTop ? nil : try name(),
            kind: kind,
            contentType: try optional { try ContentType("public.kind-\($0.int(0...99))") },
            size: kind == .folder ? 0 : optional { Int64($0.int(0...Int.max)) },
            modified: timestamp(),
            created: timestamp(),
            version: try version(),
            capabilities: ItemCapabilities(rawValue: UInt32(int(0...31))),
            savedBy: optional { "device \($0.int(0...9))" },
            conflictVersions: kind == .document ? int(0...64) : 0
        )
    }

    mutating func providedVersion() -> ProvidedVersion {
        ProvidedVersion(
            id: "version \(int(0...999))", role: one(of: ProvidedVersion.Role.allCases),
            size: optional { Int64($0.int(0...Int.max)) }, modified: timestamp(),
            savedBy: optional { "device \($0.int(0...9))" }, sha256: optional { $0.bytes(32...32) })
    }

    mutating func picker() throws -> ProviderCall.PickerCall {
        let mode = one(of: PickerMode.allCases)
        let choosesDocuments = mode.choosesDocuments
        return ProviderCall.PickerCall(
            session: "picker-\(int(1...99))", mode: mode, validTypes: choosesDocuments ? [.text, .data] : nil,
            originalPath: choosesDocuments ? nil : path(),
            originalSize: choosesDocuments ? nil : optional { Int64($0.int(0...Int.max)) }, hasFileHalf: bool())
    }

    mutating func location() throws -> Location {
        Location(domain: try domain(), components: try many(0...4) { try $0.name() })
    }

    mutating func domain() throws -> DomainName { try DomainName("d\(int(0...999))-x.y") }

    mutating func provider() throws -> ProviderIdentifier { try ProviderIdentifier("org.example.p\(int(0...999))") }

    mutating func settings() -> [String: String] {
        Dictionary(many(0...5) { ("key\($0.int(0...99))", $0.text(0...30)) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func error() throws -> DocumentError {
        DocumentError(
            DocumentError.Code(rawValue: one(of: [101, 205, 301, 414, 506, 999, 12345])),
            "m" + text(0...40),
            detail: text(0...40),
            retryAfter: optional { .milliseconds($0.int(1...Int(UInt32.max))) },
            causes: many(0...4) { $0.text(0...20) },
            itemID: try optional { try $0.identifier() }
        )
    }
}

/// Runs a body with a generator of its own for each of many seeds.
func forEachSeed(_ count: UInt64 = 200, _ body: (inout Generator) throws -> Void) rethrows {
    for seed in 0..<count {
        var generator = Generator(seed: seed)
        try body(&generator)
    }
}
