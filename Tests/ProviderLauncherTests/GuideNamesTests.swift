import Foundation
import ProviderLauncher
import Testing

/// The guide for authors in other languages, against the contract that it explains.
@Suite("The guide for providers in other languages")
struct GuideNamesTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    private static func guide() throws -> String { try text("docs/providers-in-other-languages.md") }

    /// The fields of a message's `oneof`.
    private static func fields(of message: String) throws -> Set<String> {
        let proto = try text("Sources/DocumentWire/Protos/docent/provider/v1/provider.proto")
        let body = try #require(proto.firstRange(of: "message \(message) {").map { proto[$0.upperBound...] })
        let end = try #require(body.firstRange(of: "\n}")).lowerBound
        return Set(body[..<end].matches(of: /([a-z_]+) = [0-9]+;/).map { String($0.1) })
    }

    @Test(
        "Every call and every request of a provider's own is named in it",
        arguments: ["ProviderRequest", "HostRequest"])
    func calls(message: String) throws {
        let names = try Self.fields(of: message)
        #expect(names.count >= 4)
        let guide = try Self.guide()
        let missing = names.filter { !guide.contains("`\($0)`") }.sorted()
        #expect(missing == [])
    }

    @Test("Every type of a setting and every permission is in its sample of a manifest")
    func manifest() throws {
        let guide = try Self.guide()
        let types = Manifest.SettingType.allCases.map(\.rawValue)
        #expect(types.filter { !guide.contains("\"\($0)\"") } == [])
        let reader = try Self.text("Sources/ProviderLauncher/Manifest/Manifest+Permissions.swift")
        let permissions = Set(reader.matches(of: /(?:reader\.\w+|named)\("([a-z-]+)"/).map { String($0.1) })
        #expect(permissions.isSuperset(of: ["read", "write", "connect", "watch"]))
        #expect(permissions.filter { guide.firstRange(of: "\n\($0) = ") == nil }.sorted() == [])
    }
}
