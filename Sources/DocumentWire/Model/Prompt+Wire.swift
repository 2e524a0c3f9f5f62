import DocumentModel
import SwiftProtobuf

extension Prompt {
    private static let longestURL = 2048

    /// Made fit for a terminal: whose words these are is not known.
    ///
    /// - Throws: `invalidArgument` for a prompt that nobody could answer.
    init(_ wire: WireModelPrompt) throws(DocumentError) {
        guard !wire.message.isEmpty else { throw Checks.refusal("A prompt says what is wanted: it needs a message.") }
        guard wire.fields.count <= Self.mostFields else {
            throw Checks.refusal("A prompt has at most \(Self.mostFields) fields; this one has \(wire.fields.count).")
        }
        let fields = try mapped(wire.fields) { (field: WireModelPromptField) throws(DocumentError) in
            try Field(field)
        }
        guard Set(fields.map(\.key)).count == fields.count else {
            throw Checks.refusal("The fields of a prompt have different keys.")
        }
        self.init(
            message: Checks.displayable(wire.message, limit: 2048),
            url: wire.url.isEmpty ? nil : try Self.checkedURL(wire.url), fields: fields)
    }

    private static func checkedURL(_ url: String) throws(DocumentError) -> String {
        let isPage = url.hasPrefix("https://") || url.hasPrefix("http://")
        guard isPage, url.utf8.count <= longestURL, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Checks.refusal(
                "The page of a prompt is an address that begins with https:// or http://, in at most \(longestURL) printable ASCII characters."
            )
        }
        return url
    }
}

extension Prompt.Field {
    fileprivate init(_ wire: WireModelPromptField) throws(DocumentError) {
        let isWord = wire.key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard (1...64).contains(wire.key.utf8.count), isWord else {
            throw Checks.refusal("A field of a prompt has a key of 1 to 64 printable ASCII characters.")
        }
        self.init(
            key: wire.key, label: Checks.displayable(wire.label.isEmpty ? wire.key : wire.label, limit: 200),
            isSecret: wire.secret)
    }
}

extension WireModelPrompt {
    init(_ prompt: Prompt) {
        self.init()
        message = prompt.message
        url = prompt.url ?? ""
        fields = prompt.fields.map { field in
            .with {
                $0.key = field.key
                $0.label = field.label
                $0.secret = field.isSecret
            }
        }
    }
}

extension WireModelPromptAnswer {
    private static let longest = 4096

    init(_ values: [String: String]) {
        self.init()
        self.values = values
    }

    /// - Throws: `invalidArgument` for what is longer than anybody types.
    func checked() throws(DocumentError) -> [String: String] {
        guard values.count <= Prompt.mostFields,
            values.allSatisfy({ $0.key.utf8.count <= 64 && $0.value.utf8.count <= Self.longest })
        else {
            throw Checks.refusal(
                "The answer to a prompt has at most \(Prompt.mostFields) values of at most \(Self.longest) bytes.")
        }
        return values
    }
}
