import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("Each call has the deadline of its class")
struct DeadlineClassTests {
    private static let deadlines: Manifest.Deadlines = {
        var deadlines = Manifest.Deadlines()
        deadlines.metadata = .seconds(1)
        deadlines.mutation = .seconds(2)
        deadlines.contents = .seconds(3)
        deadlines.signIn = .seconds(400)
        return deadlines
    }()

    private static func calls() throws -> [(ProviderCall, Deadline)] {
        let item = try ItemIdentifier("a")
        let creation = { (contents: String?) throws in
            ProviderCall.CreateCall(
                parentID: .root, name: try ItemName("n"), kind: contents == nil ? .folder : .document,
                contentsPath: contents, modified: nil, operation: "o")
        }
        let change = { (contents: String?) in
            ProviderCall.ModifyCall(id: item, baseVersion: .none, contentsPath: contents, operation: "o")
        }
        let range = ProviderCall.RangeCall(id: item, stagingPath: "/s", contentVersion: [1], range: 0..<1)
        let picker = ProviderCall.PickerCall(session: "p", mode: .open, validTypes: [])
        let deletion = ProviderCall.DeleteCall(id: item, baseVersion: .none, recursive: true, operation: "o")
        return [
            (.identity, .total(.seconds(1))), (.item(item), .total(.seconds(1))),
            (.enumerate(container: .root, page: nil, suggestedCount: 1), .total(.seconds(1))),
            (.providePlaceholder(item), .total(.seconds(1))), (.itemChanged(item), .total(.seconds(1))),
            (.stopProviding(item), .total(.seconds(1))), (.pathForIdentifier(item), .total(.seconds(1))),
            (.identifierForPath("a"), .total(.seconds(1))), (.currentAnchor, .total(.seconds(1))),
            (.changesSince(try SyncAnchor([1]), suggestedCount: 1), .total(.seconds(1))),
            (.create(try creation(nil)), .stall(.seconds(2))), (.modify(change(nil)), .stall(.seconds(2))),
            (.delete(deletion), .stall(.seconds(2))),
            (.create(try creation("/c")), .stall(.seconds(3))), (.modify(change("/c")), .stall(.seconds(3))),
            (.startProviding(item, stagingPath: "/s", contentVersion: []), .stall(.seconds(3))),
            (.provideRange(range), .stall(.seconds(3))),
            (.preparePicker(picker), .total(.seconds(1))), (.validateChoice(.item(item), picker), .total(.seconds(1))),
            (.endPicker(session: "p"), .total(.seconds(1))), (.quota, .total(.seconds(1))),
            (
                .thumbnails(.init(items: [WantedThumbnail(item, contentVersion: [1])], size: 128)), .stall(.seconds(3))
            ),
            (.listVersions(item), .total(.seconds(1))), (.removeVersion(item, versionID: "v"), .stall(.seconds(2))),
            (.provideVersion(.init(id: item, versionID: "v", stagingPath: "/s")), .stall(.seconds(3))),
            (
                .keepVersion(
                    .init(
                        id: item, contentsPath: "/c", role: .conflict, modified: .zero, savedBy: "", sha256: [],
                        operation: "o")), .stall(.seconds(3))
            ),
        ]
    }

    @Test(
        "WIRE-28: what is asked of metadata has its time in all; what carries contents may go on for as long as it gets on"
    )
    func classes() throws {
        for (call, deadline) in try Self.calls() {
            #expect(call.deadline(Self.deadlines) == deadline, "\(call)")
        }
    }

    @Test("WIRE-28: while somebody signs in a call has the time of people, and a heartbeat extends it")
    func signIn() throws {
        for (call, _) in try Self.calls() {
            #expect(call.deadline(Self.deadlines, isForSignIn: true) == .stall(.seconds(400)), "\(call)")
        }
    }

    @Test("WIRE-28: who fills a staging file gets somewhere by what is in it")
    func filling() throws {
        let folder = try TemporaryFolder()
        let file = folder.path.appending("staged").string
        let item = try ItemIdentifier("a")
        let range = ProviderCall.RangeCall(id: item, stagingPath: file, contentVersion: [1], range: 0..<1)
        let calls: [ProviderCall] = [
            .startProviding(item, stagingPath: file, contentVersion: []), .provideRange(range),
            .provideVersion(.init(id: item, versionID: "v", stagingPath: file)),
        ]
        let meters = try calls.map { try #require($0.bytesOnDisk, "\($0)") }
        #expect(meters.map { $0() } == [0, 0, 0])
        try Data("some".utf8).write(to: URL(fileURLWithPath: file))
        #expect(meters.allSatisfy { $0() > 0 })
        let others = try Self.calls().map(\.0).filter { $0.bytesOnDisk != nil }
        #expect(others.count == calls.count)
    }

    private static func configuration(
        _ change: (inout Manifest) -> Void = { _ in }, environment: [String: String] = [:]
    ) throws -> Connection.Configuration {
        var manifest = try Manifest(text: ManifestTests.text(), file: "F")
        manifest.deadlines = deadlines
        change(&manifest)
        let settings = SessionSettings(
            providerID: manifest.identifier, domain: try DomainName("work"), settings: [:], stateFolder: "/s",
            storageRoot: "/r", stagingFolder: "/t")
        return ProviderHandshake(manifest: manifest, settings: settings).configuration(
            context: try LaunchFixture(environment: environment).context, session: "s")
    }

    @Test("WIRE-28: who may wait for a person may be silent for as long as a sign-in may")
    func silence() throws {
        let usual = try Self.configuration().pongWithin
        #expect(usual < .seconds(400))
        #expect(try Self.configuration { $0.capabilities.insert(.signIn) }.pongWithin == .seconds(400))
        let account = try Manifest(
            text: ManifestTests.text(tables: "[[settings]]\nkey = \"password\"\ntype = \"string\"\nsecret = true\n"),
            file: "F"
        ).settings
        #expect(try Self.configuration { $0.settings = account }.pongWithin == .seconds(400))
        #expect(try Self.configuration { $0.deadlines.contents = .seconds(500) }.pongWithin == .seconds(500))
    }

    @Test("WIRE-15: the handshake has its deadline, but for providers that wait for a debugger")
    func handshake() throws {
        #expect(try Self.configuration { $0.deadlines.start = .seconds(7) }.handshakeTimeout == .seconds(7))
        #expect(try Self.configuration(environment: ["DOCENT_WAIT_FOR_DEBUGGER": "1"]).handshakeTimeout == nil)
    }
}
