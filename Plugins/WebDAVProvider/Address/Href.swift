internal import DocumentModel

/// The address that a server gives one resource of an answer, compared with the folder that was asked about.
///
/// Only the path counts: servers behind others often name the wrong scheme or computer.
enum Href: Hashable, Sendable {
    /// What was asked about.
    case itself
    /// Something in it.
    case child(RemoteName)
    /// In it, with a name that no item may have.
    case unusable(String)
    /// Somewhere else, or no address at all: nothing that was asked about.
    case foreign

    init(_ text: String, in path: RemotePath, of address: ServerAddress) {
        guard let segments = Self.segments(of: text) else {
            self = .foreign
            return
        }
        let expected = address.segments + path.names.map(\.unescaped)
        guard segments.starts(with: expected) else {
            self = .foreign
            return
        }
        let rest = segments.dropFirst(expected.count)
        guard let last = rest.first else {
            self = .itself
            return
        }
        guard rest.count == 1 else {
            self = .foreign
            return
        }
        do throws(DocumentError) {
            self = .child(try RemoteName(segment: last))
        } catch {
            self = .unusable(error.message)
        }
    }

    /// Where it is below the top folder, however deep; nil when it is nothing of the domain's, or has a name that no item
    /// may have.
    static func place(_ text: String, of address: ServerAddress) -> RemotePath? {
        guard let segments = segments(of: text), segments.starts(with: address.segments) else { return nil }
        var path = RemotePath.root
        for segment in segments.dropFirst(address.segments.count) {
            guard let name = try? RemoteName(segment: segment) else { return nil }
            path = path.appending(name)
        }
        return path
    }

    /// The segments of an address' path, decoded; nil when it is none.
    private static func segments(of text: String) -> [[UInt8]]? {
        var path = text[...]
        if !path.hasPrefix("/") {
            let lowered = text.prefix(8).lowercased()
            guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else { return nil }
            path = text.dropFirst(scheme.count)
            guard let slash = path.firstIndex(of: "/") else { return [] }
            path = path[slash...]
        }
        guard !path.utf8.contains(UInt8(ascii: "?")), !path.utf8.contains(UInt8(ascii: "#")) else { return nil }
        var segments: [[UInt8]] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let segment = PercentCoding.decode(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }
}
