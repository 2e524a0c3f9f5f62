package import DocumentModel

extension Manifest {
    /// One thing that a user may, or must, say when a domain is made.
    package struct Setting: Hashable, Sendable {
        package var key: String
        package var type: SettingType
        package var isRequired: Bool
        /// Its value is never shown, nor typed into a command line.
        package var isSecret: Bool
        /// One of those that belong together to sign in; nil for what is set up once. What is secret is always asked for.
        package var signIn: String?
        /// In text form; nil when there is none.
        package var defaultValue: String?
        /// For people.
        package var description: String

        init(reader: inout ManifestReader) throws(ManifestProblem) {
            key = try reader.requiredString("key")
            guard Self.isKey(key) else {
                throw ManifestProblem(
                    "“\(key)” cannot be a setting's key (use up to 64 lower-case letters, digits and “-”, beginning with a letter)"
                )
            }
            let word = try reader.string("type") ?? SettingType.string.rawValue
            guard let type = SettingType(rawValue: word) else {
                let known = SettingType.allCases.map(\.rawValue).joined(separator: ", ")
                throw ManifestProblem("the setting “\(key)” has the unknown type “\(word)”; there are \(known)")
            }
            self.type = type
            isRequired = try reader.bool("required") ?? false
            isSecret = try reader.bool("secret") ?? false
            guard !isSecret || type == .string else {
                throw ManifestProblem("the setting “\(key)” is secret and a \(word); only a string can be secret")
            }
            signIn = try reader.string("sign-in")
            guard signIn.map(Self.isKey) ?? true else {
                throw ManifestProblem(
                    "“sign-in” of the setting “\(key)” names a way to sign in: use up to 64 lower-case letters, digits and “-”, beginning with a letter"
                )
            }
            description = try reader.string("description") ?? ""
            defaultValue = nil
            if let value = try reader.scalar("default") {
                guard !isSecret else {
                    throw ManifestProblem("the setting “\(key)” is secret and has a default; remove one of the two")
                }
                guard !isRequired else {
                    throw ManifestProblem("the setting “\(key)” is required and has a default; remove one of the two")
                }
                guard let text = type.text(of: value), type.problem(with: text) == nil else {
                    throw ManifestProblem("the default of the setting “\(key)” must be \(type.words)")
                }
                defaultValue = type.canonical(text)
            }
        }

        /// Whether it is asked for when somebody signs in, and goes when they sign out.
        package var isForSignIn: Bool { isSecret || signIn != nil }

        private static func isKey(_ key: String) -> Bool {
            let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            return key.utf8.count <= 64 && key.utf8.first.map(letters.contains) == true
                && key.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
        }
    }

    package enum SettingType: String, Sendable, CaseIterable {
        case string, integer, boolean, path
        /// Of a server, by HTTP with or without encryption: its port can be permitted.
        case url

        /// What a value must be, for messages.
        package var words: String {
            switch self {
            case .string: "one line of text"
            case .integer: "a whole number"
            case .boolean: "true or false"
            case .path: "an absolute path"
            case .url: "an address that begins with https:// or http://, without a name or a password in it"
            }
        }

        func text(of scalar: ManifestReader.Scalar) -> String? {
            switch (self, scalar) {
            case (.string, .string(let text)), (.path, .string(let text)), (.url, .string(let text)): text
            case (.integer, .integer(let number)): String(number)
            case (.boolean, .bool(let flag)): String(flag)
            default: nil
            }
        }

        /// Nil when the text is a value of this type.
        func problem(with text: String) -> String? {
            let fits =
                switch self {
                case .string: text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                case .integer: Int64(text) != nil
                case .boolean: text == "true" || text == "false"
                case .path:
                    text.utf8.first == UInt8(ascii: "/") && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                        && !text.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
                case .url: Manifest.port(ofURL: text) != nil
                }
            return fits ? nil : "must be \(words)" + (self == .path ? " without “..”" : "")
        }

        func canonical(_ text: String) -> String {
            self == .integer ? Int64(text).map { String($0) } ?? text : text
        }
    }

    /// Checks what a user gave.
    ///
    /// - Parameter signedOut: what it takes to sign in may be missing, though it is required.
    /// - Returns: all settings of the domain, with the defaults of those that were not given.
    /// - Throws: ``DocumentError`` with the code `invalidArgument` that names the setting.
    package func validate(
        settings given: [String: String], signedOut: Bool = false
    ) throws(DocumentError) -> [String: String] {
        for key in given.keys.sorted() where !settings.contains(where: { $0.key == key }) {
            let known = settings.map { "“\($0.key)”" }.joined(separator: ", ")
            throw DocumentError(
                .invalidArgument,
                "“\(key)” is not a setting of \(name) (\(identifier)); "
                    + (settings.isEmpty ? "it has none." : "it knows \(known).")
            )
        }
        var complete: [String: String] = [:]
        for setting in settings {
            guard let value = given[setting.key] else {
                if setting.isRequired, !(signedOut && setting.isForSignIn) {
                    let hint = setting.description.isEmpty ? "" : " (\(setting.description))"
                    throw DocumentError(
                        .invalidArgument,
                        "\(name) (\(identifier)) needs the setting “\(setting.key)”\(hint): add --set \(setting.key)=\(setting.isSecret ? "@FILE" : "…")"
                    )
                }
                complete[setting.key] = setting.defaultValue
                continue
            }
            let problem = value.isEmpty && setting.isRequired ? "must not be empty" : setting.type.problem(with: value)
            if let problem {
                throw DocumentError(
                    .invalidArgument, "The setting “\(setting.key)” of \(name) (\(identifier)) \(problem).")
            }
            complete[setting.key] = setting.type.canonical(value)
        }
        return complete
    }
}
