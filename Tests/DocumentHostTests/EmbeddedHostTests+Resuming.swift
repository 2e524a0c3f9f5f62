import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentHost

/// The end of a pause as somebody decides it, while others do something with the document (VER-14).
extension EmbeddedHostTests {
    /// A paused document that is “ours” here and “theirs” on the remote, and somebody who writes it.
    private func whileWritten(
        _ body: @Sendable (DocumentHost, Location, FilePath, _ finish: () async throws -> Void) async throws -> Void
    ) async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "one")
            let request = AccessRequest(location: location, intent: .writing)
            for text in ["ours", "ours again"] {
                let access = try await host.beginAccess(request, for: tool)
                if text == "ours" { try await host.setPaused(true, at: location) }
                try TemporaryFile.write(text, to: FilePath(access.items[0].path))
                if text == "ours" {
                    try await host.endAccess(access.number, of: tool)
                    try TemporaryFile.write("theirs, longer", to: file)
                } else {
                    try await body(host, location, file) { try await host.endAccess(access.number, of: tool) }
                }
            }
            host.disconnect(tool)
        }
    }

    private func untilResuming(_ location: Location, _ host: DocumentHost) async throws {
        for _ in 0..<500 {
            if let item = try host.storage.read({ try $0.item(at: location) }), host.pauses.isResuming(item) {
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("Nobody resumes \(location).")
    }

    private func untilWaiting(_ count: Int, _ host: DocumentHost) async throws {
        for _ in 0..<500 where host.broker.explanations.count < count { try await Task.sleep(for: .milliseconds(10)) }
        #expect(host.broker.explanations.count >= count, "\(host.broker.explanations)")
    }

    private func isPaused(_ location: Location, _ host: DocumentHost) throws -> Bool {
        try host.storage.read { index in
            try index.item(at: location).map { try index.marks(of: $0).isPausedItself } ?? false
        }
    }

    func code(of body: () async throws -> Void) async -> DocumentError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    @Test("VER-14: fail-on-conflict waits for whoever writes, and takes what they wrote for what is here")
    func refusedAfterWriting() async throws {
        try await whileWritten { host, location, file, finish in
            async let resumed = code { try await host.resume(location, .failOnConflict) }
            try await untilResuming(location, host)
            let second = await code { try await host.resume(location, .dropLocal) }
            #expect(second == .busy, "one of them at a time")
            try await finish()
            let first = await resumed
            #expect(first == .localVersionConflicting)
            #expect(try TemporaryFile.read(file) == "theirs, longer")
            #expect(try isPaused(location, host))
            #expect(try TemporaryFile.read(host.root.tree.path(of: location)) == "ours again")
            // It can be decided anew.
            try await host.resume(location, .keepLocal)
            #expect(try TemporaryFile.read(file) == "ours again")
            #expect(try !isPaused(location, host))
        }
    }

    @Test(
        "VER-14: who pauses it anew, or a folder around it, ends what was decided: nothing is sent or dropped",
        arguments: [ResumeBehavior.keepLocal, .failOnConflict, .dropLocal], ["d:/a.txt", "d:/"])
    func pausedAnew(_ behavior: ResumeBehavior, _ paused: String) async throws {
        try await whileWritten { host, location, file, finish in
            async let resumed = code { try await host.resume(location, behavior) }
            try await untilResuming(location, host)
            try await host.setPaused(true, at: Location(paused))
            try await finish()
            let outcome = await resumed
            #expect(outcome == .cannotSynchronize)
            #expect(try TemporaryFile.read(file) == "theirs, longer")
            #expect(try TemporaryFile.read(host.root.tree.path(of: location)) == "ours again")
            #expect(try isPaused(location, host))
        }
    }

    @Test("VER-14: who pauses it anew, and decides otherwise, is heard; what was decided before that is over")
    func decidedOtherwise() async throws {
        try await whileWritten { host, location, file, finish in
            async let first = code { try await host.resume(location, .dropLocal) }
            try await untilResuming(location, host)
            try await host.setPaused(true, at: location)
            async let second = code { try await host.resume(location, .keepLocal) }
            try await untilResuming(location, host)
            try await finish()
            let outcomes = await (first, second)
            #expect(outcomes.0 == .cannotSynchronize)
            #expect(outcomes.1 == nil)
            #expect(try TemporaryFile.read(file) == "ours again")
            #expect(try !isPaused(location, host))
        }
    }

    @Test("VER-14: what is written after an edit was dropped began from what took its place, and is sent")
    func writtenAfterDropping() async throws {
        try await whileWritten { host, location, file, finish in
            try await finish()
            let (reader, next) = (host.connect(tool: "reader"), host.connect(tool: "next"))
            let reading = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: reader)
            async let dropped = code { try await host.resume(location, .dropLocal) }
            try await untilWaiting(1, host)
            // It waits behind who drops.
            async let access = host.beginAccess(AccessRequest(location: location, intent: .writing), for: next)
            try await untilWaiting(2, host)
            try await host.endAccess(reading.number, of: reader)
            let granted = try await access
            let path = FilePath(granted.items[0].path)
            #expect(try TemporaryFile.read(path) == "theirs, longer")
            try TemporaryFile.write("theirs, and mine", to: path)
            try await host.endAccess(granted.number, of: next)
            let outcome = await dropped
            #expect(outcome == nil)
            try await host.waitUntilSent(location)
            #expect(try TemporaryFile.read(host.root.tree.path(of: location)) == "theirs, and mine")
            #expect(try TemporaryFile.read(file) == "theirs, and mine")
            host.disconnect(reader)
            host.disconnect(next)
        }
    }

    @Test("VER-8: what is fetched beside a document is brought while others work on that")
    func fetchedBeside() async throws {
        try await whileWritten { host, location, file, finish in
            let root = file.removingLastComponent().removingLastComponent().appending("root")
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await host.locks.withLock(item.key) { () async throws(DocumentError) in
                    group.addTask { try await host.fetchRemoteVersion(at: location) }
                    let isBrought = await isStaged("theirs, longer", root)
                    #expect(isBrought)
                }
                try await group.waitForAll()
            }
            let versions = try await host.versions(at: location)
            #expect(versions.contains { $0.kind == .remote && $0.path != nil })
            try await finish()
        }
    }

    private func isStaged(_ text: String, _ root: FilePath) async -> Bool {
        let staging = root.appending(".docent").appending("staging")
        var names: [String] = []
        for _ in 0..<500 {
            names = FileManager.default.enumerator(atPath: staging.string)?.compactMap { $0 as? String } ?? []
            if names.contains(where: { (try? TemporaryFile.read(staging.appending($0))) == text }) { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("The staging folder has \(names).")
        return false
    }
}
