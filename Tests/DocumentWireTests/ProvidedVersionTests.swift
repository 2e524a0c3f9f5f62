import DocumentModel
import Testing

@testable import DocumentWire

@Suite struct ProvidedVersionTests {
    private static let digest = [UInt8](repeating: 1, count: 32)

    private func reply(_ body: (inout WireProviderProvidedVersion) -> Void) throws -> ProviderReply {
        var version = WireProviderProvidedVersion(
            ProvidedVersion(id: "v", role: .conflict, size: 1, sha256: Self.digest))
        body(&version)
        var answer = WireProviderProviderAnswer()
        answer.listVersions.versions = [version]
        return try ProviderReply(serialized: answer.encoded())
    }

    @Test("PROV-21: of a version that cannot be nothing is believed")
    func hostile() throws {
        let good = try reply { _ in }
        #expect(good == .listVersions([ProvidedVersion(id: "v", role: .conflict, size: 1, sha256: Self.digest)]))
        #expect(throws: DocumentError.self) { try reply { $0.id = "" } }
        #expect(throws: DocumentError.self) { try reply { $0.id = String(repeating: "v", count: 129) } }
        #expect(throws: DocumentError.self) { try reply { $0.id = "a\u{7}" } }
        #expect(throws: DocumentError.self) { try reply { $0.role = .unspecified } }
        #expect(throws: DocumentError.self) { try reply { $0.size = -2 } }
        #expect(throws: DocumentError.self) { try reply { $0.sha256 = collected([1]) } }
        #expect(throws: DocumentError.self) { try reply { $0.modified.nanoseconds = 1_000_000_000 } }
        let long = try reply { $0.savedBy = String(repeating: "d", count: 1000) }
        guard case .listVersions(let versions) = long else { return #expect(Bool(false)) }
        #expect(versions.first.flatMap(\.savedBy).map { $0.utf8.count <= 256 } == true)
    }

    @Test("PROV-21: too many versions, or one twice, are no answer; nor is another version than was asked for")
    func answers() throws {
        let id = try ItemIdentifier("a")
        let call = ProviderCall.listVersions(id)
        func versions(_ count: Int) -> [ProvidedVersion] {
            (0..<count).map { ProvidedVersion(id: "\($0)", role: .older) }
        }
        try ProviderReply.listVersions(versions(64)).check(answers: call)
        #expect(throws: DocumentError.self) { try ProviderReply.listVersions(versions(65)).check(answers: call) }
        #expect(throws: DocumentError.self) {
            try ProviderReply(serialized: ProviderReply.listVersions(versions(65)).serialized())
        }
        #expect(throws: DocumentError.self) {
            try ProviderReply.listVersions(versions(1) + versions(1)).check(answers: call)
        }
        let fetch = ProviderCall.provideVersion(.init(id: id, versionID: "0", stagingPath: "/s"))
        try ProviderReply.provideVersion(versions(1)[0]).check(answers: fetch)
        #expect(throws: DocumentError.self) { try ProviderReply.provideVersion(versions(2)[1]).check(answers: fetch) }
        let keep = ProviderCall.keepVersion(
            .init(
                id: id, contentsPath: "/c", role: .conflict, modified: .zero, savedBy: "", sha256: Self.digest,
                operation: "o"))
        #expect(throws: DocumentError.self) { try ProviderReply.keepVersion(versions(1)[0]).check(answers: keep) }
        #expect(!ProviderReply.removeVersion.fits(keep))
    }

    @Test("VER-2: an item has as many sides of conflicts as may be kept, and a folder has none")
    func items() throws {
        func item(_ kind: ItemKind, _ count: Int) throws -> Item {
            var wire = WireModelItem(
                Item(
                    id: try ItemIdentifier("a"), parentID: .root, name: try ItemName("a"), kind: kind, size: 0,
                    version: try ItemVersion(content: [1])))
            wire.conflictVersions = UInt32(count)
            return try Item(wire)
        }
        #expect(try item(.document, 64).conflictVersions == 64)
        #expect(throws: DocumentError.self) { try item(.document, 65) }
        #expect(throws: DocumentError.self) { try item(.folder, 1) }
    }
}
