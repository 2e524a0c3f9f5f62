import DocumentModel
import DocumentStorage
import DocumentTestSupport
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
