import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentTestSupport
import DocumentWire
import ProviderLauncher
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// An edit of a document that is gone on the remote, where another one has its name by now.
@Suite struct MadeAnewTests {
    /// A provider that has a document named “a.txt”, and makes others.
    private final class Provider: ProviderCalling {
        let provider = "The provider Test (org.example.test)"
        let other: Item
        let contents: String
        let names = Mutex<[String]>([])

        init(having other: Item, _ contents: String) {
            self.other = other
            self.contents = contents
        }

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            do {
                switch call {
                case .create(let new):
                    names.withLock { $0.append(new.name.rawValue) }
                    guard new.name != other.name else { throw DocumentError(.nameCollision, "“\(new.name)” is there.") }
                    return .create(try Self.item("new", new.name, in: new.parentID, size: 4))
                case .enumerate: return .enumerate(ItemPage(items: [other]))
                case .startProviding(_, let path, _):
                    try TemporaryFile.write(contents, to: FilePath(path))
                    return .startProviding(ProvidedContents(other))
                default: throw DocumentError(.unimplemented, "Not here.")
                }
            } catch {
                throw error as? DocumentError ?? DocumentError(.internal, "\(error)")
            }
        }

        static func item(
            _ id: String, _ name: ItemName, in parent: ItemIdentifier = .root, size: Int64
        ) throws -> Item {
            Item(
                id: try ItemIdentifier(id), parentID: parent, name: name, kind: .document, size: size,
                modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [1], metadata: [1]))
        }

        func noteBroken(_ finding: DocumentError) {}
    }

    private let storage: StorageFixture
    private let threads: StorageThreads
    private let sending: Sending

    /// “a.txt” was changed here, is gone there, and something else has its name.
    init() throws {
        storage = try StorageFixture()
        threads = StorageThreads(store: storage.store, threads: 1)
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "mine")
        try storage.store.recordGone(item.id, in: storage.domain)
        sending = try storage.store.beginSending(item.id, in: storage.domain)
    }

    /// - Parameter isTold: whether the index knows what has the name there.
    private func makeAnew(
        beside contents: String, _ id: String = "b", in folder: ItemIdentifier = .root, isTold: Bool = true,
        taking again: Sending? = nil
    ) async throws -> [String] {
        let other = try Provider.item(id, ItemName("a.txt"), in: folder, size: Int64(contents.utf8.count))
        if isTold { try storage.tell(other) }
        let provider = Provider(having: other, contents)
        let delivery = Delivery.alone(threads)
        try await delivery.make(again ?? sending, modified: nil, with: ProviderTurn(ProviderSession(provider), nil))
        return provider.names.withLock { $0 }
    }

    @Test("VER-15: an edit of what is gone, where something else has its name, survives under a conflict's name")
    func beside() async throws {
        let names = try await makeAnew(beside: "other")
        let name = try #require(names.last)
        #expect(names.count == 2 && names.first == "a.txt")
        #expect(name.hasPrefix("a (conflict "))
        let made = try storage.indexed("new")
        #expect(made.item.name?.rawValue == name && made.state == .materialised && !made.isGone)
        #expect(try storage.document(name) == "mine")
        // What has its name there is shown here, too.
        #expect(try storage.indexed("b").state == .placeholder)
        #expect(try storage.document("a.txt") == nil)
    }

    @Test("VER-15, RS-5: also when that is asked for once more it is where the provider has it, and was not moved here")
    func besideAgain() async throws {
        try storage.store.abandon(sending, because: nil, .open)
        let again = try storage.store.beginSending(sending.item.id, in: storage.domain)
        #expect(again.isRepeated)
        let name = try #require(try await makeAnew(beside: "other", taking: again).last)
        #expect(try storage.indexed("new").item.name?.rawValue == name)
        #expect(try storage.document(name) == "mine")
        #expect(try storage.index.read { try $0.relocations(in: storage.domain) }.isEmpty)
        // Each has a place of its own.
        #expect(try storage.indexed("b").state == .placeholder)
    }

    @Test("VER-15, RS-5: so it is where the folder around it got another name since that was asked for first")
    func besideInRenamedFolder() async throws {
        let item = try storage.item("inside", "a.txt", in: "f", contents: "one")
        try storage.tell(storage.item("f", "Folder", kind: .folder), item)
        try storage.provide(item, "one")
        try storage.edit("inside", "mine")
        try storage.store.recordGone(item.id, in: storage.domain)
        let first = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.store.abandon(first, because: nil, .open)
        try storage.tell(storage.item("f", "Renamed", kind: .folder))
        let again = try storage.store.beginSending(item.id, in: storage.domain)
        #expect(again.isRepeated)
        let name = try #require(
            try await makeAnew(beside: "other", in: ItemIdentifier("f"), taking: again).last)
        #expect(try storage.indexed("new").item.name?.rawValue == name)
        #expect(try storage.document("Renamed/\(name)") == "mine")
        #expect(try storage.index.read { try $0.relocations(in: storage.domain) }.isEmpty)
        #expect(try storage.indexed("b").state == .placeholder)
    }

    @Test("VER-15: so it is in a folder that is made anew for it, and has another identifier by that")
    func besideInFolderMadeAnew() throws {
        let folder = try storage.item("f", "Folder", kind: .folder)
        let item = try storage.item("inside", "b.txt", in: "f", contents: "one")
        try storage.tell(folder, item)
        try storage.provide(item, "one")
        try storage.edit("inside", "mine")
        try storage.store.recordGone(folder.id, in: storage.domain)
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        let again = try storage.item("g", "Folder", kind: .folder)
        try storage.store.revive(folder.id, as: again, in: storage.domain)
        let made = try storage.item("new", "b (conflict).txt", in: "g", contents: "mine")
        _ = try storage.store.finish(sending, asNew: made)
        #expect(try storage.indexed("new").item.name?.rawValue == "b (conflict).txt")
        #expect(try storage.document("Folder/b (conflict).txt") == "mine")
        #expect(try storage.index.read { try $0.relocations(in: storage.domain) }.isEmpty)
    }

    @Test(
        "VER-15, ID-4: what is there again by the identifier that it had is not made anew beside itself",
        arguments: ["mine", "other"])
    func again(contents: String) async throws {
        await #expect(throws: DocumentError.self) { try await makeAnew(beside: contents, "a", isTold: false) }
        let known = try storage.indexed("a")
        #expect(known.item.name?.rawValue == "a.txt" && known.isUnsent)
        #expect(try storage.document("a.txt") == "mine")
    }

    @Test("VER-15: an edit of what is gone, where the same contents lie under its name by now, is that document")
    func same() async throws {
        #expect(try await makeAnew(beside: "mine") == ["a.txt"])
        let made = try storage.indexed("b")
        #expect(made.item.name?.rawValue == "a.txt" && made.state == .materialised)
        #expect(try storage.document("a.txt") == "mine")
        #expect(throws: DocumentError.self) { try storage.indexed("a") }
    }
}
