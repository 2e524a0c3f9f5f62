import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import Logging
import ProviderLauncher
import Testing

@testable import DocumentHost

/// A folder that was made here, of whose name there is one on the remote by now.
@Suite struct FolderMadeTwiceTests {
    /// A provider that has one folder.
    private struct Provider: ProviderCalling {
        let provider = "The provider Test (org.example.test)"
        let folder: Item

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            switch call {
            case .create(let new):
                guard new.name != folder.name else {
                    throw DocumentError(.nameCollision, "“\(new.name)” is there.")
                }
                var made = folder
                (made.id, made.name) = (try ItemIdentifier("beside"), new.name)
                return .create(made)
            case .enumerate: return .enumerate(ItemPage(items: [folder]))
            default: throw DocumentError(.unimplemented, "Not here.")
            }
        }

        func noteBroken(_ finding: DocumentError) {}
    }

    private let storage: StorageFixture
    private let theirs: Item

    init() throws {
        storage = try StorageFixture()
        theirs = try storage.item("r", "F", kind: .folder)
    }

    /// Makes what was made here at the provider.
    private func make(_ folder: IndexedItem) async throws {
        let threads = StorageThreads(store: storage.store, threads: 1)
        let reviver = FolderReviver(storage: threads, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let made = try await reviver.make(folder, in: .root, "once", ProviderSession(Provider(folder: theirs)))
        try storage.store.revive(folder.id, as: made.item, isBeside: made.isBeside, in: storage.domain)
    }

    private func makeHere() throws -> IndexedItem {
        let folder = try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        let (_, change) = try storage.store.makeDocument(named: ItemName("mine.txt"), in: folder.id, of: storage.domain)
        _ = try storage.store.recordChange(change)
        return folder
    }

    @Test("VER-15: it is one with the remote's, also when it is known what is in that, which is told anew")
    func joined() async throws {
        let folder = try makeHere()
        try storage.tell(
            theirs, storage.item("t", "theirs.txt", in: "r"), storage.item("s", "sub", in: "r", kind: .folder))
        try storage.tell(storage.item("d", "deep.txt", in: "s"))
        #expect(try storage.indexed("r").state == .nameClash)
        try await make(folder)
        let one = try storage.indexed("r")
        #expect(one.item.name?.rawValue == "F" && one.state == .placeholder)
        #expect(try storage.document("F/mine.txt") != nil)
        #expect(throws: DocumentError.self) { try storage.indexed("t") }
        // What is in it is looked at by whoever looks into it next.
        #expect(try storage.index.read { try $0.listing(of: one.id, in: storage.domain).isComplete } == false)
        let generation = try storage.index.write { try $0.beginListing(of: one.id, in: storage.domain) }
        _ = try storage.store.apply(
            ItemPage(items: [
                storage.item("t", "theirs.txt", in: "r"), storage.item("s", "sub", in: "r", kind: .folder),
            ]),
            of: one.id, in: storage.domain, generation: generation)
        #expect(try storage.document("F/mine.txt") != nil)
        #expect(try storage.placeholder("F/theirs.txt")?.id.rawValue == "t")
        let counts = try storage.index.read { try $0.counts(of: storage.domain) }
        #expect(counts.documents == 2 && counts.folders == 2)
    }

    @Test("VER-15: where something was made in the remote's here, it is another one, and what was made stays")
    func madeInside() async throws {
        // Its name was free for a moment.
        try storage.tell(theirs)
        _ = try storage.store.makeFolder(named: ItemName("sub"), in: theirs.id, of: storage.domain)
        let folder = try storage.store.makeFolder(named: ItemName("G"), in: .root, of: storage.domain)
        try storage.tell(storage.item("r", "G", kind: .folder))
        try storage.store.revive(folder.id, as: storage.item("r", "G", kind: .folder), in: storage.domain)
        #expect(
            try storage.index.read { try $0.children(of: theirs.id, in: storage.domain, limit: 9) }.items.count == 1)
    }

    @Test("VER-15: where the remote's is shown here under another name, it is another one, and keeps what is in it")
    func shown() async throws {
        try storage.tell(storage.item("r", "G", kind: .folder), storage.item("t", "theirs.txt", in: "r"))
        let folder = try makeHere()
        try storage.tell(theirs)
        try await make(folder)
        #expect(try storage.indexed("beside").item.name?.rawValue == "F (folder)")
        #expect(try storage.document("F (folder)/mine.txt") != nil)
        #expect(try storage.indexed("t").state == .placeholder)
    }
}
