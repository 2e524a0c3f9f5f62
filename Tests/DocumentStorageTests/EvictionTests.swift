import DocumentModel
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

/// Looks at the tree at every step.
private final class Watcher: StepObserver {
    let look: @Sendable (JournalStep) -> Void

    init(_ look: @escaping @Sendable (JournalStep) -> Void) {
        self.look = look
    }

    func reached(_ step: JournalStep) throws { look(step) }
}

struct EvictionTests {
    private func prepared() throws -> (StorageFixture, Item) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        return (storage, item)
    }

    @Test("PH-5: at every step of an eviction exactly one of document and placeholder is visible")
    func exactlyOne() throws {
        let (storage, item) = try prepared()
        let (tree, placeholders) = (storage.tree, storage.root.placeholders)
        let location = try storage.location("a.txt")
        let visible = Mutex<[String]>([])
        storage.observe(
            Watcher { step in
                let document = try? tree.file(at: location)
                let placeholder = try? placeholders.read(at: location)
                // The document counts where both are there.
                visible.withLock {
                    $0.append(
                        "\(step): " + (document != nil ? "document" : placeholder != nil ? "placeholder" : "none"))
                }
            })
        _ = try storage.store.evict(item.id, in: storage.domain)
        #expect(
            visible.withLock { $0 } == [
                "evictBegan: document", "evictPlaceholderWritten: document", "evictContentsRemoved: placeholder",
                "evictRecorded: placeholder",
            ])
    }

    @Test("XFER-9: eviction removes local bytes only, and the contents can come back to the same place (ID-1)")
    func evictAndBack() throws {
        let (storage, item) = try prepared()
        let gone = try storage.store.evict(item.id, in: storage.domain)
        #expect(gone.state == .placeholder)
        #expect(gone.item == item)
        #expect(try storage.placeholder("a.txt") == Placeholder(item))
        #expect(try storage.document("a.txt") == nil)
        #expect(try storage.provide(item, "hello").state == .materialised)
        #expect(try storage.document("a.txt") == "hello")
    }

    @Test("XFER-9: a document can be evicted whose provider still has open what it filled")
    func openAtItsProvider() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("hello", to: coming.file.path)
        let reader = try FileDescriptor.open(coming.file.path, .readOnly)
        defer { try? reader.close() }
        #expect(try storage.store.finish(coming, as: item).state == .materialised)
        #expect(try storage.document("a.txt") == "hello")
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
    }

    @Test("XFER-9: evicting what is not here is no error")
    func twice() throws {
        let (storage, item) = try prepared()
        _ = try storage.store.evict(item.id, in: storage.domain)
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
    }

    @Test("XFER-10: an item with changes not yet sent is refused, recorded or not", arguments: [true, false])
    func unsent(isRecorded: Bool) throws {
        let (storage, item) = try prepared()
        if isRecorded {
            try storage.edit("a", "edited")
        } else {
            try storage.write("edited", to: storage.tree.path(of: storage.location("a.txt")))
        }
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "edited")
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test("XFER-12: pinned, or with a hard link, it is refused", arguments: [true, false])
    func pinnedOrLinked(isPinned: Bool) throws {
        let (storage, item) = try prepared()
        if isPinned {
            try storage.index.write { try $0.setPinned(true, of: item.id, in: storage.domain) }
        } else {
            try FileSystemMoves.hardLink(
                storage.tree.path(of: storage.location("a.txt")), storage.folder.appending("other-name"))
        }
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .notPermitted)
        #expect(try storage.document("a.txt") == "hello")
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("XFER-12: while a program has it open it is refused; closed, it goes")
    func open() throws {
        let (storage, item) = try prepared()
        let file = try FileDescriptor.open(storage.tree.path(of: storage.location("a.txt")), .readOnly)
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .busy)
        #expect(try storage.document("a.txt") == "hello")
        #expect(try storage.placeholder("a.txt") == nil)
        try file.close()
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
    }

    @Test("An edit made after the last look is not dropped")
    func editedBetweenLookAndDrop() throws {
        let (storage, item) = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        let fixture = Mutex(0)
        storage.observe(
            Watcher { step in
                guard step == .evictPlaceholderWritten else { return }
                fixture.withLock { $0 += 1 }
                if let file = try? FileDescriptor.open(path, .writeOnly, options: [.truncate]) {
                    _ = try? file.writeAll("edited".utf8)
                    try? file.close()
                }
            })
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .unsyncedEdits)
        #expect(fixture.withLock { $0 } == 1)
        #expect(try storage.document("a.txt") == "edited")
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
    }

    /// Other contents of the same size, with the time that the file had.
    private func editUnseen(_ storage: StorageFixture, _ name: String = "a.txt") throws {
        let path = storage.tree.path(of: try storage.location(name))
        let modified = try #require(try storage.tree.file(at: storage.location(name))).modified
        try storage.write("HELLO", to: path)
        let time = timespec(tv_sec: Int(modified.seconds), tv_nsec: Int(modified.nanoseconds))
        #expect(utimensat(AT_FDCWD, path.string, [time, time], 0) == 0)
    }

    @Test(
        "XFER-13: what was changed, with size and time as they were, is found by reading it, stays, and is to be sent")
    func provenByReading() throws {
        let (storage, item) = try prepared()
        try editUnseen(storage)
        // As if somebody had taken that for nothing but another name.
        let now = try #require(try storage.tree.file(at: storage.location("a.txt")))
        try storage.index.write { try $0.setFile(now, of: item.id, in: storage.domain) }
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .materialised)
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "HELLO")
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test("XFER-13: what was changed so just before the document is renamed is not taken for the rename")
    func renamed() throws {
        let (storage, item) = try prepared()
        try editUnseen(storage)
        var moved = item
        moved.name = try ItemName("b.txt")
        try storage.tell(moved)
        #expect(try storage.document("b.txt") == "HELLO")
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("b.txt") == "HELLO")
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test("XFER-13: what was only renamed, or given a mode, is read and goes", arguments: [true, false])
    func touched(isRenamed: Bool) throws {
        let (storage, item) = try prepared()
        if isRenamed {
            var moved = item
            moved.name = try ItemName("b.txt")
            try storage.tell(moved)
        } else {
            #expect(chmod(storage.tree.path(of: try storage.location("a.txt")).string, 0o640) == 0)
        }
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
        #expect(try storage.document(isRenamed ? "b.txt" : "a.txt") == nil)
    }

    @Test("XFER-13: contents that nobody has read yet stay when they were touched, and are to be sent")
    func withoutDigest() throws {
        let (storage, item) = try prepared()
        let known = try storage.indexed("a")
        let (version, file) = (try #require(known.synced), try #require(known.local))
        try storage.index.write {
            try $0.setMaterialised(item.id, in: storage.domain, version: version, file: file, state: .materialised)
        }
        try editUnseen(storage)
        let error = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "HELLO")
    }

    @Test("XFER-13: what nobody has touched since it came is not read, where the file system tells of all changes")
    func untouched() throws {
        let (storage, item) = try prepared()
        // Who reads it finds another digest.
        try storage.index.write { try $0.setDigest([0], of: item.id, in: storage.domain) }
        guard storage.tree.tellsOfStores else { return }
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
    }

    @Test(
        "XFER-13: an index of the version before says that what is here was what the provider had when it was looked at last"
    )
    func migrated() throws {
        let (storage, item) = try prepared()
        try storage.root.close()
        try DatabaseEdits.execute(
            DatabaseEdits.toVersion16 + "PRAGMA user_version = 16",
            on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        let root = try StorageRoot(at: storage.rootPath, logger: storage.logger)
        defer { try? root.close() }
        let known = try root.index.read { try $0.item(item.id, in: storage.domain) }
        #expect(known?.proof == ContentsProof(digest: nil, changed: known?.local?.changed))
        #expect(known?.proof.changed != nil)
    }

    @Test("On a full disk nothing is written down of what is known: where a file has to be read, and is as recorded")
    func nothingToWrite() throws {
        // Where nothing tells of a program's stores, each is read before its contents go.
        let storage = try StorageFixture(in: "/dev/shm")
        guard !storage.tree.tellsOfStores else { return }
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        let before = storage.index.generation
        #expect(try storage.store.recordChangeProving(of: item.id, in: storage.domain).state == .materialised)
        #expect(storage.index.generation == before)
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
    }

    #if DEBUG
        /// Has an edit of it sent; that is recorded, and to be flushed later.
        private func send(_ item: Item, _ storage: StorageFixture) throws -> Item {
            try storage.edit("a", "edited")
            var answer = item
            answer.version = try ItemVersion(content: [2])
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            #expect(try storage.store.finish(sending, as: answer).state == .materialised)
            return answer
        }

        @Test("XFER-10: that contents were sent is on disk before they are dropped, once for all sent by then")
        func sentJustBefore() throws {
            let (storage, item) = try prepared()
            let beside = try storage.item("b", "b.txt", contents: "beside")
            try storage.tell(beside)
            try storage.provide(beside, "beside")
            let plan = FaultPlan()
            try FaultPlan.$current.withValue(plan) {
                _ = try send(item, storage)
                let sent = plan.calls.count
                _ = try storage.store.evict(item.id, in: storage.domain)
                let evicting = plan.calls[sent...]
                let flushed = try #require(evicting.firstIndex(of: .flushLog))
                let gone = try #require(evicting.firstIndex { $0 == .rename || $0 == .unlink })
                #expect(flushed < gone)
                let evicted = plan.calls.count
                _ = try storage.store.evict(beside.id, in: storage.domain)
                #expect(!plan.calls[evicted...].contains(.flushLog), "nothing was sent since")
            }
        }

        @Test("XFER-10: while that cannot be written to disk, they stay")
        func sentAndNotFlushed() throws {
            let (storage, item) = try prepared()
            _ = try send(item, storage)
            let plan = FaultPlan()
            plan.fail(.flushLog, with: 5, times: 1)
            FaultPlan.$current.withValue(plan) {
                _ = #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
            }
            #expect(try storage.document("a.txt") == "edited")
        }

        @Test("What was sent and is gone on the remote leaves no edit without a file, either")
        func sentAndGone() throws {
            let (storage, item) = try prepared()
            let plan = FaultPlan()
            try FaultPlan.$current.withValue(plan) {
                _ = try send(item, storage)
                let sent = plan.calls.count
                let gone = ItemChanges(updated: [], deleted: [item.id], anchor: try SyncAnchor([1]), more: false)
                _ = try storage.store.apply(gone, in: storage.domain)
                let removing = plan.calls[sent...]
                let flushed = try #require(removing.firstIndex(of: .flushLog))
                #expect(flushed < (try #require(removing.firstIndex { $0 == .rename || $0 == .unlink })))
            }
        }

        @Test(
            "An error of the disk in the middle leaves the contents", arguments: [SystemCall.rename, .unlink, .write])
        func diskError(call: SystemCall) throws {
            let (storage, item) = try prepared()
            let plan = FaultPlan()
            plan.fail(call, with: 5, times: 1)
            let error = FaultPlan.$current.withValue(plan) {
                #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
            }
            #expect(error?.code == .localStorage)
            // The contents are at their place, or have left it and the item is a placeholder at the next start.
            try storage.reopen()
            _ = try storage.store.reconcile()
            let now = try storage.indexed("a")
            if now.state == .materialised {
                #expect(try storage.document("a.txt") == "hello")
            } else {
                #expect(now.state == .placeholder)
                #expect(try storage.placeholder("a.txt") == Placeholder(item))
            }
        }
    #endif
}
