#if DEBUG
    import DocumentModel
    import DocumentTestSupport
    import Glibc
    import SystemPackage
    import Testing

    @testable import DocumentStorage

    /// Documents that a program has made unreadable while no host ran.
    struct UnreadableFileTests {
        private let storage: StorageFixture

        init() throws { storage = try StorageFixture() }

        @Test(
            "INV-1: an edit, or a new document, that was not sent is still to be when nobody may read its file at the start",
            arguments: [false, true])
        func unsent(isNew: Bool) throws {
            if isNew {
                let (_, change) = try storage.store.makeDocument(
                    named: ItemName("a.txt"), in: .root, of: storage.domain)
                try storage.write("mine", to: storage.tree.path(of: storage.location("a.txt")))
                _ = try storage.store.recordChange(change)
            } else {
                let item = try storage.item("a", "a.txt", contents: "one")
                try storage.tell(item)
                try storage.provide(item, "one")
                try storage.edit("a", "mine")
            }
            let location = try storage.location("a.txt")
            try #require(chmod(storage.tree.path(of: location).string, 0o200) == 0)
            try storage.reopen()
            // The test may be run by somebody who may read everything.
            let plan = FaultPlan()
            plan.fail(.getAttribute, with: EACCES)
            let report = try FaultPlan.$current.withValue(plan) { try storage.store.reconcile() }
            #expect(plan.calls.contains(.getAttribute))
            #expect(report.missing == 0 && report.unknownFiles == [], "\(report)")
            let known = try #require(try storage.index.read { try $0.item(at: location) })
            #expect(known.state == .changed && known.problem == nil)
            #expect(known.local?.inode == (try storage.tree.inode(at: location)))
        }

        @Test("DOWN-3: one that has another place is followed while it is what it was, and else given up by nobody")
        func moved() throws {
            for (id, other) in [("a", "c"), ("b", "d")] {
                let item = try storage.item(id, "\(id).txt", contents: "one")
                try storage.tell(item)
                try storage.provide(item, "one")
                let (from, to) = (try storage.location("\(id).txt"), try storage.location("\(other).txt"))
                if id == "b" { try storage.write("mine, and longer", to: storage.tree.path(of: from)) }
                try FileSystemMoves.rename(storage.tree.path(of: from), storage.tree.path(of: to))
            }
            try storage.reopen()
            let plan = FaultPlan()
            plan.fail(.getAttribute, with: EACCES)
            let report = try FaultPlan.$current.withValue(plan) { try storage.store.reconcile() }
            #expect(report.moved.map(\.id.rawValue) == ["a"])
            #expect(report.missing == 0, "\(report)")
            #expect(report.findings.contains { $0.contains("work:/b.txt has no file") && $0.contains("d.txt") })
            #expect(try storage.indexed("b").local != nil)
            // Once it can be read, it is found.
            try storage.reopen()
            let next = try storage.store.reconcile()
            #expect(next.moved.map(\.id.rawValue).contains("b"))
            #expect(try storage.indexed("b").state == .changed)
        }
    }
#endif
