import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// A container's data that is to go, and does not at once (CONT-5).
extension EmbeddedHostTests {
    private func withContainer(
        observer: (any StepObserver)? = nil,
        _ body: (DocumentHost, _ file: FilePath, Location, IndexedItem) async throws -> Void
    ) async throws {
        try await withHost(observer: observer) { host, remote in
            let (file, location) = (remote.appending("c/x.txt"), try Location("d:/c"))
            try #require(mkdir(remote.appending("c").string, 0o700) == 0)
            try TemporaryFile.write("data", to: file)
            for place in [try Location("d:/"), location] {
                _ = try await host.items(in: place, page: nil, suggestedCount: 10, refreshing: true)
            }
            let container = try #require(try host.storage.read { try $0.item(at: location) })
            try await body(host, file, location, container)
        }
    }

    private func isClearing(_ host: DocumentHost) throws -> Bool {
        try host.storage.read { try $0.journal() }.contains { $0.action == .clear }
    }

    @Test(
        "CONT-5, PROV-22: what keeps a container's data from going, and passes by itself, is tried again without a signal"
    )
    func clearingIsTriedAgain() async throws {
        let refusals = Refusals(at: .removeBegan)
        try await withContainer(observer: refusals) { host, file, location, container in
            let domain = try #require(host.domains.find(location.domain))
            refusals.left.withLock { $0 = 2 }
            let error = await #expect(throws: DocumentError.self) {
                try await host.clearing.clear(container, at: location, on: domain)
            }
            #expect(error?.message.contains("The rest goes when that is over.") == true)
            #expect(try isClearing(host))
            #expect(access(file.string, F_OK) == 0)
            for _ in 0..<2_000 where try isClearing(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isClearing(host))
            #expect(access(file.string, F_OK) != 0)
            #expect(refusals.left.withLock { $0 } == 0)
        }
    }

    @Test("CONT-5: a container's data in a domain that cannot be used at the start goes when that can be again")
    func clearingOfBrokenDomain() async throws {
        try await withContainer { host, file, location, container in
            let inside = try host.storage.read { try $0.children(of: container.id, in: container.domain, limit: 9) }
                .items
            let known = Dictionary(uniqueKeysWithValues: inside.map { ($0.id, $0.item.version.content) })
            // As a host leaves it that dies then.
            _ = try await host.storage.run { store in
                try store.beginClearing(container.id, in: container.domain, of: known)
            }
            let domain = try #require(host.domains.find(location.domain))
            host.domains.remove(domain.name)
            host.domains.addBroken(
                domain.name, because: DocumentError(.notConfigured, "Its provider is not installed."))
            await host.clearing.resume(nil)
            #expect(try isClearing(host))
            host.domains.add(domain)
            host.resolved(domain.name)
            for _ in 0..<1_000 where try isClearing(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isClearing(host))
            #expect(access(file.string, F_OK) != 0)
        }
    }
}

/// A step fails so many times.
private final class Refusals: StepObserver {
    private let step: JournalStep
    let left = Mutex(0)

    init(at step: JournalStep) { self.step = step }

    func reached(_ step: JournalStep) throws {
        guard step == self.step else { return }
        let isRefused = left.withLock { left in
            defer { left = max(left - 1, 0) }
            return left > 0
        }
        if isRefused { throw DocumentError(.internal, "Not this time.") }
    }
}
