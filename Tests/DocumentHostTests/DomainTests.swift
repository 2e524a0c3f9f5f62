import DocumentModel
import DocumentTransport
import DocumentWire
import Logging
import SystemPackage
import Testing

@testable import DocumentHost
@testable import ProviderLauncher

@Suite("What a domain has heard of its provider")
struct DomainTests {
    private struct NoRequests: RequestHandler {
        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
            throw DocumentError(.unimplemented, "Not in this test.")
        }
    }

    /// With a provider that is never started.
    private func withDomain(
        capabilities: String = "", isFollowed: Bool = false, _ body: (Domain) throws -> Void
    ) throws {
        let loop = EventLoop(name: "domain-tests")
        let blocking = BlockingPool(threads: 1, name: "domain-block")
        defer {
            blocking.shutdown()
            loop.shutdown()
        }
        let manifest = try Manifest(
            text:
                "identifier = \"org.example.photos\"\nname = \"Photos\"\nexecutable = \"photos\"\nmodes = [\"open\"]\n"
                + "capabilities = [\(capabilities)]\n",
            file: "F")
        let bundle = ProviderBundle(manifest: manifest, folder: "/nowhere", executable: "/nowhere/photos")
        let name = try DomainName("work")
        let settings = SessionSettings(
            providerID: manifest.identifier, domain: name, settings: [:], stateFolder: "/nowhere",
            storageRoot: "/nowhere", stagingFolder: "/nowhere")
        let supervisor = ProviderSupervisor(
            ProviderSupervisor.Configuration(bundle: bundle, settings: settings),
            in: LaunchContext(
                loop: loop, blocking: blocking, trampoline: "/nowhere", environment: [:], software: "tests",
                logger: Logger(label: "domain-tests") { _ in SwiftLogNoOpLogHandler() }),
            handler: NoRequests())
        try body(
            Domain(
                name: name, bundle: bundle, rootID: .root, supervisor: supervisor, isRunning: true,
                isFollowed: isFollowed))
    }

    @Test("Rule 55: what one process has told of is not taken for what the next one knows")
    func restart() throws {
        try withDomain { domain in
            #expect(domain.caughtUp(with: domain.beginCatchingUp()))
            #expect(domain.isCaughtUp)
            domain.took(.died(DocumentError(.providerDied, "It ended.")))
            #expect(!domain.isCaughtUp && !domain.isRunning)
            let news = domain.beginCatchingUp()
            domain.took(.stopped)
            #expect(!domain.caughtUp(with: news), "what was asked of the process before says nothing")
        }
    }

    @Test("what is signalled is asked for by those who begin to ask after it, not by those who have begun before")
    func asked() throws {
        try withDomain { domain in
            let first = domain.beginCatchingUp()
            #expect(domain.isAsked(since: first))
            _ = domain.signal()
            #expect(!domain.isAsked(since: domain.news))
            _ = domain.beginCatchingUp()
            #expect(domain.isAsked(since: domain.news) && domain.isAsked(since: first))
        }
    }

    @Test("a feed is relied upon when it was read, and asked for until somebody says that there is none")
    func feed() throws {
        try withDomain { domain in
            domain.foundFeed()
            #expect(!domain.hasFeed && !domain.mayHaveFeed, "its manifest says nothing of one")
        }
        try withDomain(capabilities: "\"changes\"", isFollowed: true) { domain in
            #expect(domain.hasFeed && domain.mayHaveFeed)
        }
        try withDomain(capabilities: "\"changes\"") { domain in
            #expect(!domain.hasFeed && domain.mayHaveFeed)
            domain.foundFeed()
            domain.took(.stopped)
            #expect(domain.hasFeed && domain.mayHaveFeed)
            domain.foundNoFeed(asOf: domain.beginCatchingUp())
            #expect(!domain.hasFeed && !domain.mayHaveFeed)
        }
    }

    @Test("that there is no feed is known also of the next process, until something is signalled")
    func noFeed() throws {
        try withDomain(capabilities: "\"changes\"") { domain in
            domain.foundNoFeed(asOf: domain.beginCatchingUp())
            domain.took(.stopped)
            domain.took(.died(DocumentError(.providerDied, "It ended.")))
            #expect(!domain.hasFeed && !domain.mayHaveFeed)
            _ = domain.signal()
            #expect(!domain.hasFeed && domain.mayHaveFeed, "folders are listed until there is an answer")
            let news = domain.beginCatchingUp()
            _ = domain.signal()
            domain.foundNoFeed(asOf: news)
            #expect(domain.mayHaveFeed, "it has signalled once more since it was asked")
            domain.foundNoFeed(asOf: domain.beginCatchingUp())
            #expect(!domain.mayHaveFeed)
            _ = domain.signal()
            domain.foundFeed()
            #expect(domain.hasFeed)
        }
    }
}
