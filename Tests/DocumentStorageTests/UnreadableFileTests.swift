#if DEBUG
    import DocumentModel
    import DocumentTestSupport
    import Foundation
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

        /// What is in staging itself, of what was leaving the tree.
        private func leaving() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: storage.rootPath.appending(".docent/staging").string)
                .filter { $0.hasPrefix(DocumentTree.leavingPrefix) }
        }

        /// What the versions hold that such files were kept as.
        private func rescued(_ report: ReconciliationReport) throws -> [String?] {
            try report.findings.filter { $0.contains("is kept as") }.map { finding in
                try storage.read(FilePath(String((finding.split(separator: " ").last ?? "").dropLast())))
            }
        }

        @Test(
            "INV-1: a file that was leaving the tree, and that nobody may read, keeps no other from being rescued, and stays"
        )
        func leavingTheTree() throws {
            let staging = storage.rootPath.appending(".docent/staging")
            try storage.write("mine", to: staging.appending("leaving-0123"))
            try storage.write("mine", to: staging.appending("leaving-4567"))
            try storage.reopen()
            let plan = FaultPlan()
            plan.fail(.getAttribute, with: EACCES, times: 1)
            let report = try FaultPlan.$current.withValue(plan) { try storage.store.reconcile() }
            #expect(try rescued(report) == ["mine"])
            let left = try leaving()
            #expect(left.count == 1)
            #expect(report.findings.contains { $0.contains("\(left.first ?? "none") was just being replaced") })
            // Once it can be read, it is kept, too.
            try storage.reopen()
            let next = try storage.store.reconcile()
            #expect(try rescued(next) == ["mine"])
            #expect(try leaving() == [])
        }

        @Test(
            "INV-1: a file that was exchanged for newer contents, and cannot be kept at the start, is kept at the next one"
        )
        func exchanged() throws {
            let item = try storage.item("a", "a.txt", contents: "one")
            try storage.tell(item)
            storage.observe(StopAt(.materialiseVerified))
            #expect(throws: StoppedByObserver.self) { try storage.provide(item, "one") }
            let name = try #require(try storage.index.read { try $0.journal() }.first?.payload.staging)
            let leaf = try #require(name.split(separator: "/").last.map(String.init))
            let request = storage.rootPath.appending(".docent/staging").appending(leaf)
            try storage.save("mine", to: request.appending(StagingRequest.contents))
            try storage.reopen()
            let plan = FaultPlan()
            plan.fail(.flush, with: EIO, times: 1)
            let report = try FaultPlan.$current.withValue(plan) { try storage.store.reconcile() }
            #expect(try rescued(report) == [])
            #expect(try leaving().count == 1)
            try storage.reopen()
            let next = try storage.store.reconcile()
            #expect(try rescued(next) == ["mine"])
        }
    }
#endif
