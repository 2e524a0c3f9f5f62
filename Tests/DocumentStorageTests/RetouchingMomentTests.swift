#if DEBUG
    import CDocentShims
    import DocumentModel
    import DocumentTestSupport
    import Glibc
    import Synchronization
    import SystemPackage
    import Testing

    @testable import DocumentStorage

    /// What programs do to a file in the very moment in which it is looked at, stamped, copied or compared.
    struct RetouchingMomentTests {
        private let storage: StorageFixture
        private let item: Item
        private let path: FilePath
        private let plan = FaultPlan()

        init() throws {
            storage = try StorageFixture()
            item = try storage.item("a", "a.txt", contents: "one")
            path = storage.tree.path(of: try storage.location("a.txt"))
            try storage.tell(item)
            try storage.provide(item, "one")
        }

        /// A program that has mapped the file, and stores into it without any call.
        private final class Mapping: Sendable {
            private let address: UInt

            init(_ path: FilePath) throws {
                let file = try FileDescriptor.open(path, .readWrite)
                defer { try? file.close() }
                guard let pages = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0),
                    pages != MAP_FAILED
                else { throw Errno(rawValue: errno) }
                address = UInt(bitPattern: pages)
            }

            deinit { if let pages = UnsafeMutableRawPointer(bitPattern: address) { munmap(pages, 4096) } }

            func store(_ text: String) {
                guard let pages = UnsafeMutableRawPointer(bitPattern: address) else { return }
                for (index, byte) in text.utf8.enumerated() {
                    pages.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
                }
            }
        }

        @Test(
            "XFER-13: what is written in the moment in which a touched file is stamped is not taken for what was read")
        func writtenWhileStamped() throws {
            // Another time of modification, so that it is read, and stamped once more.
            let time = timespec(tv_sec: 1_600_000_000, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, path.string, [time, time], 0) == 0)
            let path = path
            plan.before(.setAttribute) { try? TemporaryFile.write("six", to: path) }
            try FaultPlan.$current.withValue(plan) {
                _ = try storage.store.recordChange(of: item.id, in: storage.domain)
            }
            #expect(try storage.document("a.txt") == "six")
            #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
        }

        @Test("VER-13: what a program stores into its mapping while what was sent is compared is an edit of it")
        func storedWhileCompared() throws {
            try storage.edit("a", "two")
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            // The same once more: touched, and to be compared. From here on its stores need not be told of.
            let mapping = try Mapping(path)
            mapping.store("two")
            var answer = item
            answer.version = try ItemVersion(content: [2])
            // The file is read first, and then what was sent.
            plan.before(.read, passing: 2) { mapping.store("six") }
            try FaultPlan.$current.withValue(plan) { _ = try storage.store.finish(sending, as: answer) }
            #expect(plan.calls.filter { $0 == .read }.count > 2)
            #expect(try storage.document("a.txt") == "six")
            #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
        }

        @Test("VER-13: a copy that ends too early is made again, and has nothing of what was in its file before")
        func copiedInPart() throws {
            // Another one is under way, so that what the first one needed is used again.
            for id in ["b", "c"] {
                let other = try storage.item(id, "\(id).txt", contents: "one")
                try storage.tell(other)
                try storage.provide(other, "one")
                try storage.edit(id, "old")
            }
            try storage.edit("a", "new")
            let (b, c) = (try ItemIdentifier("b"), try ItemIdentifier("c"))
            _ = try storage.store.beginSending(c, in: storage.domain)
            let first = try storage.store.beginSending(b, in: storage.domain)
            var answer = try storage.item("b", "b.txt", contents: "old")
            answer.version = try ItemVersion(content: [2])
            _ = try storage.store.finish(first, as: answer)
            plan.fail(.clone, with: EOPNOTSUPP)
            plan.fail(.copyRange, with: 0, times: 1)
            let second = try FaultPlan.$current.withValue(plan) {
                try storage.store.beginSending(item.id, in: storage.domain)
            }
            #expect(plan.calls.contains(.copyRange))
            #expect(try storage.read(second.snapshot.path) == "new")
        }

        @Test("A document that cannot be read keeps no host from starting, nor the others from being looked at")
        func unreadableAtStart() throws {
            let other = try storage.item("b", "b.txt", contents: "one")
            try storage.tell(other)
            try storage.provide(other, "one")
            #expect(chmod(path.string, 0o640) == 0)
            try storage.write("more", to: storage.tree.path(of: storage.location("b.txt")))
            try storage.reopen()
            plan.fail(.read, with: EIO, times: 1)
            try FaultPlan.$current.withValue(plan) { _ = try storage.store.reconcile() }
            #expect(try storage.indexed("b").state == .changed)
            // It could not be told from others: kept, and to be sent.
            #expect(try storage.indexed("a").state == .changed)
            #expect(try storage.document("a.txt") == "one")
        }

        @Test("XFER-13: a digest that is taken later is none of what is being changed, nor of what was touched before")
        func digestOfChanging() throws {
            try storage.forgetDigest(of: "a")
            let path = path
            plan.before(.read) { try? TemporaryFile.write("six", to: path) }
            try FaultPlan.$current.withValue(plan) {
                try storage.store.takeDigest(of: item.id, in: storage.domain)
            }
            #expect(try storage.indexed("a").proof.digest == nil)
            try storage.store.takeDigest(of: item.id, in: storage.domain)
            #expect(try storage.indexed("a").proof.digest == nil)
            #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
        }

        @Test("A reading for a digest ends when somebody wants the document, and is begun anew later")
        func digestGivesWay() throws {
            guard storage.store.canProve else { return }
            try storage.forgetDigest(of: "a")
            #expect(try storage.index.read { try $0.lackingDigest(in: storage.domain) }.map(\.id) == [item.id])
            #expect(try !storage.store.takeDigest(of: item.id, in: storage.domain) { true })
            #expect(try storage.indexed("a").proof.digest == nil)
            #expect(try storage.store.takeDigest(of: item.id, in: storage.domain))
            #expect(try storage.indexed("a").proof.digest != nil)
            #expect(try storage.index.read { try $0.lackingDigest(in: storage.domain) }.isEmpty)
        }

        @Test("What has changes that were not sent, and what is no more than a name, lacks no digest")
        func lackingNone() throws {
            try storage.tell(storage.item("b", "b.txt", contents: "one"))
            try storage.edit("a", "two")
            #expect(try storage.index.read { try $0.lackingDigest(in: storage.domain) }.isEmpty)
        }
    }
#endif
