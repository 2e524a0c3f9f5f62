import CDocentShims
import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// What somebody writes at the last moment into a file that is to go, and hides by setting its time of modification back.
struct MovedSourceTests {
    private let storage: StorageFixture
    private var source: FilePath { storage.folder.appending("vault.hc") }

    init() throws { storage = try StorageFixture() }

    /// Writes as much as was there before, in its place.
    private func overwrite(_ path: FilePath, _ text: String, settingBackTo time: Timestamp) throws {
        try storage.write(text, to: path)
        let time = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
        guard utimensat(AT_FDCWD, path.string, [time, time], 0) == 0 else { throw Errno(rawValue: errno) }
    }

    private func problem(of item: IndexedItem) throws -> DocumentError.Code? {
        try storage.index.read { try $0.item(item.id, in: storage.domain) }?.problem?.code
    }

    @Test("CONT-7: what is written at the source while it is moved stays there, also when its time is set back")
    func arrival() throws {
        try storage.write("one", to: source)
        let arrival = try storage.store.beginArrival(
            of: source, to: .root, name: ItemName("vault.hc"), in: storage.domain)
        let copied = try #require(arrival.entry.payload.parts.first?.file)
        try overwrite(source, "two", settingBackTo: copied.modified)
        let item = try storage.store.finish(arrival)
        #expect(try storage.read(source) == "two")
        #expect(try storage.document("vault.hc") == "one")
        #expect(try problem(of: item) == .unsyncedEdits)
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test("CONT-7: a source that a program still has open for writing stays: what it writes next is in it")
    func written() throws {
        try storage.write("one", to: source)
        let writer = try FileDescriptor.open(source, .writeOnly, options: [.append, .closeOnExec])
        let arrival = try storage.store.beginArrival(
            of: source, to: .root, name: ItemName("vault.hc"), in: storage.domain)
        let item = try storage.store.finish(arrival)
        try writer.closeAfter { _ = try writer.writeAll(" two".utf8) }
        #expect(try storage.read(source) == "one two")
        #expect(try storage.document("vault.hc") == "one")
        #expect(try problem(of: item) == .unsyncedEdits)
    }

    @Test("CONT-7: an item says what stays in its old place, and what to do, until nothing is there any more")
    func staying() throws {
        let folder = storage.folder.appending("moving")
        guard mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        let file = folder.appending("is open for writing.txt")
        try storage.write("one", to: file)
        let writer = try FileDescriptor.open(file, .writeOnly, options: [.append, .closeOnExec])
        let arrival = try storage.store.beginArrival(
            of: folder, to: .root, making: [ItemName("made")], name: ItemName("moving"), in: storage.domain)
        let item = try storage.store.finish(arrival)
        try writer.close()
        #expect(item.item.name?.rawValue == "moving" && item.stayingSource != nil)
        let known = try storage.index.read { try $0.item(item.id, in: storage.domain) }
        let source = try #require(known?.stayingSource)
        #expect(source.path == file)
        #expect(source.problem.message.hasPrefix(file.string) && source.problem.message.contains("remove what stays"))
        #expect(!source.isGone)
        try #require(unlink(file.string) == 0 && rmdir(folder.string) == 0)
        // Something else is wrong with it by now.
        try storage.store.forget(StayingSource(at: folder), of: item.id, in: storage.domain)
        #expect(try problem(of: item) == .unsyncedEdits)
        #expect(source.isGone)
        try storage.store.forget(source, of: item.id, in: storage.domain)
        #expect(try problem(of: item) == nil)
    }

    @Test("CONT-7: a folder that holds two names of one file moves as a whole")
    func names() throws {
        let folder = storage.folder.appending("moving")
        guard mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        let (one, other) = (folder.appending("one.txt"), folder.appending("other.txt"))
        try storage.write("both", to: one)
        guard link(one.string, other.string) == 0 else { throw Errno(rawValue: errno) }
        let arrival = try storage.store.beginArrival(
            of: folder, to: .root, name: ItemName("moving"), in: storage.domain)
        let item = try storage.store.finish(arrival)
        #expect(access(folder.string, F_OK) != 0)
        #expect(try storage.document("moving/one.txt") == "both" && storage.document("moving/other.txt") == "both")
        #expect(try problem(of: item) == nil)
    }

    @Test(
        "CONT-7: and when the source is sent first, also when the host ends before it goes", arguments: [false, true])
    func export(isKilled: Bool) throws {
        try storage.write("one", to: source)
        if isKilled { storage.observe(StopAt(.movePublished)) }
        let export = try storage.store.beginExport(
            of: source, to: .root, name: ItemName("vault.hc"), kind: .document, in: storage.domain,
            removingSource: true)
        let copied = try #require(export.contents?.source)
        try overwrite(source, "two", settingBackTo: copied.modified)
        let answer = try storage.item("v", "vault.hc", contents: "one")
        if isKilled {
            #expect(throws: StoppedByObserver.self) { try storage.store.finish(export, as: answer) }
            try storage.reopen()
            _ = try storage.store.reconcile()
        } else {
            _ = try storage.store.finish(export, as: answer)
        }
        #expect(try storage.read(source) == "two")
        #expect(try storage.document("vault.hc") == "one")
        #expect(try problem(of: storage.indexed("v")) == .unsyncedEdits)
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test("CONT-7: after a restart of the machine nobody takes for what was sent what has its size and time only")
    func exportWithoutCopy() throws {
        try storage.write("one", to: source)
        storage.observe(StopAt(.moveRecorded))
        let export = try storage.store.beginExport(
            of: source, to: .root, name: ItemName("vault.hc"), kind: .document, in: storage.domain,
            removingSource: true)
        let contents = try #require(export.contents)
        let copied = try #require(contents.source)
        try overwrite(source, "two", settingBackTo: copied.modified)
        #expect(throws: StoppedByObserver.self) {
            try storage.store.finish(export, as: storage.item("v", "vault.hc", contents: "one"))
        }
        // What lies in staging does not outlive the machine.
        try #require(unlink(contents.path.string) == 0)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.indexed("v").state == .placeholder)
        #expect(try storage.read(source) == "two")
        #expect(try problem(of: storage.indexed("v")) == .unsyncedEdits)
    }

    @Test(
        "CONT-9, CONT-13: what is written to an unsent document that has a copy elsewhere is in the trash, and nothing else",
        arguments: [false, true])
    func discarded(isWritten: Bool) throws {
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        let known = try #require(try storage.edit("a", "two").local)
        docent_wait_past(known.changed.seconds, known.changed.nanoseconds)
        let path = storage.tree.path(of: try storage.location("a.txt"))
        if isWritten { try overwrite(path, "six", settingBackTo: known.modified) }
        let change = try storage.store.beginRemoving(
            item.id, in: storage.domain, discardingEdits: true, skippingTrash: true)
        try storage.store.finishRemoving(change)
        #expect(try storage.document("a.txt") == nil)
        let trash = try storage.index.read { try $0.trash(.all, limit: 10) }.map(\.document)
        let kept = try trash.map { try storage.read(storage.root.trash.path(of: $0.id, in: storage.domain)) }
        #expect(kept == (isWritten ? ["six"] : []))
    }
}
