package import DocumentModel

/// What a new provider is called, in each of the places that want a name of their own kind.
package struct ProjectName: Hashable, Sendable {
    /// As it was typed: the project's folder.
    package let folder: String
    /// `my-photos`: in file names and identifiers.
    package let word: String
    /// `MyPhotosProvider`: the Swift type and module.
    package let type: String
    /// `org.example.my-photos`.
    package let identifier: ProviderIdentifier

    /// - Throws: `invalidArgument` for what is no name.
    package init(_ name: String) throws(DocumentError) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isWellFormed =
            name.utf8.count <= 64 && name.utf8.first.map { letters.contains($0) || capitals.contains($0) } == true
            && name.utf8.last != UInt8(ascii: "-") && !name.contains("--")
            && name.utf8.allSatisfy {
                letters.contains($0) || capitals.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
            }
        guard isWellFormed else {
            throw DocumentError(
                .invalidArgument,
                """
                “\(ItemName.printable(name))” cannot be a provider's name: use up to 64 letters, digits and single \
                “-”, beginning with a letter, for example photos.
                """)
        }
        var word = ""
        var previous: Character = "-"
        for character in name {
            if character.isUppercase, previous.isLowercase || previous.isNumber { word += "-" }
            word += character.lowercased()
            previous = character
        }
        folder = name
        self.word = word
        let camel = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        type = camel.hasSuffix("Provider") ? camel : camel + "Provider"
        identifier = try ProviderIdentifier("org.example.\(word)")
        // These are the SDK's own.
        guard !["Provider", "DocumentProvider", "ModifyingProvider", "ChangeFeedProvider"].contains(type) else {
            throw DocumentError(
                .invalidArgument, "“\(name)” would be mistaken for a part of Docent: choose another name.")
        }
    }
}
