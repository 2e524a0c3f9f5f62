import Foundation
import Testing

/// The page that documents the manifest, against the code that reads it.
@Suite("The manifest's reference")
struct ManifestReferenceTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    /// The keys that the readers ask for, as they stand in the code, tables included.
    private static func knownKeys() throws -> Set<String> {
        let folder = "Sources/ProviderLauncher/Manifest"
        var keys: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: package.appending(path: folder).path)
        where file != "ManifestReader.swift" {
            for match in try text("\(folder)/\(file)").matches(of: /(?:reader\.\w+|named)\("([a-z0-9-]+)"/) {
                keys.insert(String(match.1))
            }
        }
        return keys
    }

    /// The keys that the page has a row or a section for.
    private static func documentedKeys() throws -> Set<String> {
        var keys: Set<String> = []
        for line in try text("Sources/DocumentProvider/DocumentProvider.docc/ManifestReference.md").split(
            separator: "\n")
        {
            if let match = line.firstMatch(of: /^\| `([a-z0-9-]+)` \|/) { keys.insert(String(match.1)) }
            if let match = line.firstMatch(of: /^## \[+([a-z0-9-]+)\]+/) { keys.insert(String(match.1)) }
        }
        return keys
    }

    @Test("every key that is read has its place in the reference, and no other has")
    func keys() throws {
        let known = try Self.knownKeys()
        #expect(known.isSuperset(of: ["identifier", "modes", "settings", "permissions", "connect", "contents"]))
        #expect(try Self.documentedKeys() == known)
    }
}
