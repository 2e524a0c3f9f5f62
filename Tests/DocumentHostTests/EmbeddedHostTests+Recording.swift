import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// What was written in an access to several documents.
extension EmbeddedHostTests {
    @Test("COORD-33: what was written to a document is recorded also where that of another one of the access cannot be")
    func recordingOfOthers() async throws {
        let observer = FailingOnce()
        try await withHost(observer: observer) { host, remote in
            for name in ["a.txt", "b.txt", "c.txt"] { try TemporaryFile.write("one", to: remote.appending(name)) }
            let tool = host.connect(tool: "one")
            var request = AccessRequest(location: try Location("d:/a.txt"), intent: .writing)
            for name in ["b", "c"] {
                request.also.append(.init(location: try Location("d:/\(name).txt"), intent: .writing))
            }
            let access = try await host.beginAccess(request, for: tool)
            for item in access.items { try TemporaryFile.write("mine, and longer", to: FilePath(item.path)) }
            observer.isArmed.withLock { $0 = true }
            await #expect(throws: DocumentError.self) { try await host.endAccess(access.number, of: tool) }
            for name in ["b", "c"] {
                let item = try host.storage.read { try $0.item(at: try Location("d:/\(name).txt")) }
                #expect(item?.local?.size == 16, "\(name)")
            }
            host.disconnect(tool)
        }
    }

    @Test(
        "XFER-10, COORD-19: what was written in place of contents that were not here, and could not be recorded at its end, is recorded and sent as soon as it can be"
    )
    func replacingRecordedLater() async throws {
        try await withHost { host, remote in
            try TemporaryFile.write("theirs", to: remote.appending("a.txt"))
            let location = try Location("d:/a.txt")
            let tool = host.connect(tool: "one")
            let access = try await host.beginAccess(
                AccessRequest(location: location, intent: .writing, writingOption: .forReplacing), for: tool)
            let path = FilePath(access.items[0].path)
            #expect(try host.storage.read { try $0.item(at: location) }?.local == nil, "nothing was to come")
            // For as long as it lies there nothing can be recorded.
            try #require(mkfifo(path.string, 0o600) == 0)
            let error = await #expect(throws: DocumentError.self) {
                try await host.endAccess(access.number, of: tool)
            }
            #expect(error?.code == .localStorage)
            host.disconnect(tool)
            // Once in vain.
            try await Task.sleep(for: .milliseconds(1500))
            let told = try await host.status(below: location).items
            #expect(told.map(\.problem?.code) == [.localStorage])
            let mine = remote.removingLastComponent().appending("mine")
            try TemporaryFile.write("mine", to: mine)
            try #require(rename(mine.string, path.string) == 0)
            for _ in 0..<1_000 where try host.storage.read({ try $0.item(at: location) })?.state != .materialised {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try TemporaryFile.read(remote.appending("a.txt")) == "mine")
            #expect(try await host.status(below: location).items.map(\.problem) == [nil])
        }
    }
}

/// The first change cannot be recorded.
private final class FailingOnce: StepObserver {
    let isArmed = Mutex(false)

    func reached(_ step: JournalStep) throws {
        guard step == .changeRecorded else { return }
        let fails = isArmed.withLock { isArmed in
            defer { isArmed = false }
            return isArmed
        }
        if fails { throw DocumentError(.localStorage, "Not this one.") }
    }
}
