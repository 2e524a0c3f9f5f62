package import DocumentModel

extension Manifest {
    /// The protocol versions of `docent.wire.v1` that this host speaks.
    package static let hostProtocolVersions: [UInt32] = [1]

    /// Reads and checks a manifest.
    ///
    /// - Parameter file: what to call it in messages: its path.
    /// - Throws: ``DocumentError`` with the code `notConfigured`.
    package init(text: String, file: String) throws(DocumentError) {
        do {
            var reader = try ManifestReader(text: text)
            try self.init(reader: &reader)
            try reader.refuseUnknownKeys()
        } catch {
            throw DocumentError(.notConfigured, "The manifest “\(file)” cannot be used: \(error.text).")
        }
    }

    private init(reader: inout ManifestReader) throws(ManifestProblem) {
        let identifier = try reader.requiredString("identifier")
        do {
            self.identifier = try ProviderIdentifier(identifier)
        } catch {
            throw ManifestProblem(
                "“\(identifier)” cannot be an identifier (write it like org.example.photos, in lower case)")
        }
        name = try reader.requiredString("name")
        guard name.utf8.count <= 200, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw ManifestProblem("“name” must be one line of at most 200 bytes")
        }
        version = try reader.string("version") ?? ""
        executable = try Self.executable(&reader)
        arguments = try reader.strings("arguments") ?? []
        protocolVersions = try Self.protocolVersions(&reader)
        modes = try Self.named("modes", PickerMode.self, &reader)
        types = try Self.types(&reader)
        capabilities = try Self.named("capabilities", ProviderCapability.self, &reader)
        hasFileHalf = try reader.bool("file-half") ?? true
        sha256 = try Self.digest(&reader)
        deadlines = try reader.table("deadlines", read: Self.deadlines) ?? Deadlines()
        settings = try reader.tables("settings", read: Setting.init(reader:)) ?? []
        permissions = try reader.table("permissions", read: Permissions.init(reader:)) ?? Permissions()
        limits = try reader.table("limits", read: Limits.init(reader:)) ?? Limits()

        guard !modes.isEmpty else {
            throw ManifestProblem("“modes” is missing or empty; list at least one of import, open, export and move")
        }
        if !hasFileHalf, let mode = [PickerMode.open, .move].first(where: modes.contains) {
            throw ManifestProblem(
                "the mode “\(mode.rawValue)” needs a file half, and “file-half” is false; remove the mode or the line")
        }
        var seen: Set<String> = []
        for setting in settings where !seen.insert(setting.key).inserted {
            throw ManifestProblem("the setting “\(setting.key)” is declared twice")
        }
        try permissions.check(against: settings)
    }

    private static func executable(_ reader: inout ManifestReader) throws(ManifestProblem) -> String {
        let executable = try reader.requiredString("executable")
        guard !executable.utf8.contains(0) else { throw ManifestProblem("“executable” contains a NUL byte") }
        let components = executable.utf8.split(separator: UInt8(ascii: "/"))
        guard !components.isEmpty, !components.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw ManifestProblem("“executable” must be an absolute path, or a relative one without “..”")
        }
        return executable
    }

    private static func protocolVersions(_ reader: inout ManifestReader) throws(ManifestProblem) -> [UInt32] {
        let versions = try reader.integers("protocol-versions", in: 1...Int(UInt32.max)) ?? [1]
        let numbers = versions.map { UInt32($0) }
        guard let newest = numbers.max(), let oldest = numbers.min() else {
            throw ManifestProblem("“protocol-versions” is empty; this page of the protocol is version 1")
        }
        if !numbers.contains(where: hostProtocolVersions.contains) {
            let ours = hostProtocolVersions.map { String($0) }.joined(separator: ", ")
            let theirs = numbers.map { String($0) }.joined(separator: ", ")
            let remedy =
                oldest > hostProtocolVersions.max() ?? 0
                ? "install a newer Docent"
                : newest < hostProtocolVersions.min() ?? 0 ? "install a newer provider" : "install matching ones"
            throw ManifestProblem(
                "the provider speaks version \(theirs) of the protocol and this Docent speaks \(ours); \(remedy)")
        }
        return numbers
    }

    private static func named<Value: RawRepresentable & CaseIterable & Hashable>(
        _ key: String, _ type: Value.Type, _ reader: inout ManifestReader
    ) throws(ManifestProblem) -> Set<Value> where Value.RawValue == String {
        var values: Set<Value> = []
        for word in try reader.strings(key) ?? [] {
            guard let value = Value(rawValue: word) else {
                let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw ManifestProblem("“\(word)” in “\(key)” is not known; there are \(known)")
            }
            values.insert(value)
        }
        return values
    }

    private static func types(_ reader: inout ManifestReader) throws(ManifestProblem) -> [ContentType] {
        guard let words = try reader.strings("types") else { return [.content] }
        guard !words.isEmpty else {
            throw ManifestProblem("“types” is empty; leave it out for all documents (public.content)")
        }
        var types: [ContentType] = []
        for word in words {
            do {
                types.append(try ContentType(word))
            } catch {
                throw ManifestProblem("“\(word)” in “types” is not a type identifier (write it like public.plain-text)")
            }
        }
        return types
    }

    private static func digest(_ reader: inout ManifestReader) throws(ManifestProblem) -> String? {
        guard let digest = try reader.string("sha256") else { return nil }
        let isHexadecimal = digest.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
        guard digest.utf8.count == 64, isHexadecimal else {
            throw ManifestProblem("“sha256” must be 64 hexadecimal digits, as sha256sum prints them")
        }
        return digest.lowercased()
    }

    private static func deadlines(_ reader: inout ManifestReader) throws(ManifestProblem) -> Deadlines {
        var deadlines = Deadlines()
        let range = 1...3600
        deadlines.start = try reader.integer("start", in: range).map { .seconds($0) } ?? deadlines.start
        deadlines.metadata = try reader.integer("metadata", in: range).map { .seconds($0) } ?? deadlines.metadata
        deadlines.mutation = try reader.integer("mutation", in: range).map { .seconds($0) } ?? deadlines.mutation
        deadlines.contents = try reader.integer("contents", in: range).map { .seconds($0) } ?? deadlines.contents
        deadlines.signIn = try reader.integer("sign-in", in: range).map { .seconds($0) } ?? deadlines.signIn
        return deadlines
    }
}
