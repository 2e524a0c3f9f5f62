import DocumentModel

/// How media types and uniform type identifiers stand to each other.
enum MediaTypes {
    /// Those that have an identifier of their own.
    static let identifiers: [String: String] = [
        "text/plain": "public.plain-text", "text/html": "public.html", "application/xhtml+xml": "public.html",
        "application/xml": "public.xml", "text/xml": "public.xml", "application/json": "public.json",
        "text/csv": "public.comma-separated-values-text", "text/markdown": "net.daringfireball.markdown",
        "application/rtf": "public.rtf", "text/rtf": "public.rtf", "application/pdf": "com.adobe.pdf",
        "image/png": "public.png", "image/jpeg": "public.jpeg", "image/gif": "com.compuserve.gif",
        "image/svg+xml": "public.svg-image", "image/tiff": "public.tiff", "audio/mpeg": "public.mp3",
        "video/mp4": "public.mpeg-4", "application/zip": "public.zip-archive",
        "application/gzip": "org.gnu.gnu-zip-archive", "application/x-tar": "public.tar-archive",
        "application/vnd.oasis.opendocument.text": "org.oasis-open.opendocument.text",
        "application/vnd.oasis.opendocument.spreadsheet": "org.oasis-open.opendocument.spreadsheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
            "org.openxmlformats.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
            "org.openxmlformats.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation":
            "org.openxmlformats.presentationml.presentation",
        "application/octet-stream": "public.data", "inode/directory": "public.folder",
    ]

    private static let prefix = "dyn."
    /// What identifiers cannot hold, and what stands for it: `-` and two digits.
    private static let escaped: [(Character, String)] = [
        ("-", "-2d"), ("+", "-2b"), ("_", "-5f"), ("!", "-21"), ("#", "-23"), ("$", "-24"), ("&", "-26"), ("^", "-5e"),
    ]

    /// `dyn.application.x-2dkrita`: one to one, so that the media type can be told from it.
    static func dynamicIdentifier(of mediaType: String) -> String {
        var text = ""
        var isInSubtype = false
        for character in mediaType {
            if character == "/" {
                text += "."
                isInSubtype = true
            } else if !isInSubtype, character == "." {
                text += "-2e"
            } else {
                text += escaped.first { $0.0 == character }?.1 ?? String(character)
            }
        }
        return prefix + text
    }

    /// The media type that a dynamic identifier was made of; nil for other identifiers.
    static func mediaType(ofDynamic identifier: String) -> String? {
        guard identifier.hasPrefix(prefix) else { return nil }
        let rest = identifier.dropFirst(prefix.count)
        guard let dot = rest.firstIndex(of: ".") else { return nil }
        return unescaped(rest[..<dot]) + "/" + unescaped(rest[rest.index(after: dot)...])
    }

    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let character = rest.first {
            if character == "-" {
                let code = String(rest.prefix(3))
                if code == "-2e" {
                    result += "."
                } else {
                    result += escaped.first { $0.1 == code }.map { String($0.0) } ?? code
                }
                rest = rest.dropFirst(3)
            } else {
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// What a media type's first half says.
    static func general(_ mediaType: String) -> ContentType? {
        let half = mediaType.prefix { $0 != "/" }
        let identifier: String
        switch half {
        case "text": identifier = "public.plain-text"
        case "image": identifier = "public.image"
        case "audio": identifier = "public.audio"
        case "video": identifier = "public.movie"
        case "inode": return nil
        default: identifier = "public.data"
        }
        return try? ContentType(identifier)
    }
}
