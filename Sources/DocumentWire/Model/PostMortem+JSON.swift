package import DocumentModel
import FoundationEssentials

extension PostMortem {
    /// As it is kept and shown: one JSON object, indented, its members in alphabetical order.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding fails only for figures that are none, and there are no such.
        let data: Data? = try? encoder.encode(self)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// - Throws: `localStorage` for what is no record.
    package init(json: String) throws(DocumentError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
        } catch {
            throw DocumentError(
                .localStorage, "The record of a provider's failure cannot be read; remove it, or update Docent.",
                detail: "\(error)")
        }
    }
}
