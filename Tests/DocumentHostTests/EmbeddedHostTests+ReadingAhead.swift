import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// What is fetched ahead of programs that open the documents of a folder one after the other (DOWN-9).
extension EmbeddedHostTests {
    private static let count = 30

    /// A host with a folder of documents that is known, and none of them here.
    private func withFolder(
        size: Int = 100, observer: (any StepObserver)? = nil,
        _ body: (DocumentHost, DocumentHost.Tool) async throws -> Void
    ) async throws {
        try await withHost(observer: observer) { host, remote in
            let folder = remote.appending("folder")
            try #require(mkdir(folder.string, 0o700) == 0)
            for number in 0..<Self.count {
                try TemporaryFile.write(String(repeating: "x", count: size), to: folder.appending("\(number).txt"))
            }
            _ = try await host.items(in: Location("d:/folder"), page: nil, suggestedCount: 100, refreshing: false)
            let tool = host.connect(tool: "mount")
            try await body(host, tool)
            host.disconnect(tool)
        }
    }

    private func location(_ number: Int) throws -> Location { try Location("d:/folder/\(number).txt") }

    /// As the mount asks for somebody.
    private func read(
        _ number: Int, _ host: DocumentHost, _ tool: DocumentHost.Tool,
        options: ReadingOptions = [.asItComes, .readingAhead]
    ) async throws {
        var request = AccessRequest(location: try location(number), intent: .reading)
        request.readingOptions = options
        request.onBehalf = "grep"
        let access = try await host.beginAccess(request, for: tool)
        try await host.endAccess(access.number, of: tool)
    }

    private func isHere(_ number: Int, _ host: DocumentHost) throws -> Bool {
        try host.storage.read { try $0.item(at: try location(number)) }?.local != nil
    }

    /// When nothing is under way any more.
    private func here(_ host: DocumentHost) async throws -> [Int] {
        var before: [Int]?
        while true {
            try await Task.sleep(for: .milliseconds(300))
            let now = try (0..<Self.count).filter { try isHere($0, host) }
            if now == before, host.materialiser.transfers.keys.isEmpty { return now }
            before = now
        }
    }

    @Test("DOWN-9: who opens two documents of a folder, one after the other, has the next ones fetched, and is told so")
    func fetchedAhead() async throws {
        try await withFolder { host, tool in
            try await read(0, host, tool)
            #expect(try await here(host) == [0], "nor by listing it")
            try await read(1, host, tool)
            let ahead = try await here(host)
            #expect(ahead.count == 6 && ahead.starts(with: [0, 1]))
            let brought = host.broughtFor(seenBy: tool)
            #expect(brought.map(\.who).sorted() == ["grep, through mount", "grep, through mount, fetched ahead"])
            #expect(brought.map { Int($0.documents) }.sorted() == [2, 4])
            // Each that is used has more of them come; what was counted is not counted again.
            for number in 2..<Self.count { try await read(number, host, tool) }
            #expect(try await here(host).count == Self.count)
            #expect(host.broughtFor(seenBy: tool).reduce(0) { $0 + $1.documents } == UInt64(Self.count))
        }
    }

    @Test("DOWN-9: nothing is fetched ahead for who has not asked for it, nor where nothing is to be looked at unasked")
    func notFetchedAhead() async throws {
        try await withFolder { host, tool in
            for number in 0..<4 { try await read(number, host, tool, options: .asItComes) }
            #expect(try await here(host) == [0, 1, 2, 3])
            try await host.setRules(DomainRuleChange(lookAgain: .zero), of: DomainName("d"))
            for number in 4..<8 { try await read(number, host, tool) }
            #expect(try await here(host) == Array(0..<8))
        }
    }

    @Test("DOWN-9, XFER-10: what is paused, excluded or large is not fetched ahead")
    func notUnasked() async throws {
        try await withFolder { host, tool in
            for number in 4..<Self.count {
                if number.isMultiple(of: 2) {
                    try await host.setPaused(true, at: location(number))
                } else {
                    try await host.setKeeping(.excluded, at: location(number))
                }
            }
            for number in 0..<2 { try await read(number, host, tool) }
            #expect(try await here(host) == [0, 1, 2, 3])
        }
        try await withFolder(size: (1 << 20) + 1) { host, tool in
            for number in 0..<3 { try await read(number, host, tool) }
            #expect(try await here(host) == [0, 1, 2])
        }
    }

    @Test("DOWN-9, XFER-14: nothing is fetched ahead that would make something else leave")
    func noRoom() async throws {
        try await withFolder { host, tool in
            try await host.setSpaceLimits(SpaceLimits(high: 100_000, low: 50_000))
            for number in 0..<3 { try await read(number, host, tool) }
            #expect(try await here(host) == [0, 1, 2])
        }
    }

    @Test("XFER-14: what was fetched ahead and used by nobody leaves first")
    func leavesFirst() async throws {
        try await withFolder { host, tool in
            for number in 0..<2 { try await read(number, host, tool) }
            let ahead = Set(try await here(host)).subtracting([0, 1])
            try #require(ahead.count == 4)
            let used = try #require(ahead.min())
            try await read(used, host, tool)
            let unused = Set(try await here(host)).subtracting([0, 1, used])
            // All that was used may stay.
            try await host.setSpaceLimits(SpaceLimits(high: 350, low: 300))
            for _ in 0..<500 where try unused.contains(where: { try isHere($0, host) }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await here(host) == [0, 1, used])
        }
    }

    @Test("PROV-19: who opens a document while it is fetched ahead joins that, and it is counted for them")
    func joined() async throws {
        let gate = Gate(after: 2)
        try await withFolder(observer: gate) { host, tool in
            try await read(0, host, tool)
            // What is fetched ahead for it may be at the gate before it.
            async let second: Void = read(1, host, tool)
            while gate.waiting < 4 { try await Task.sleep(for: .milliseconds(1)) }
            let next = try #require(
                (2..<Self.count).first { number in
                    host.materialiser.transfers.keys.contains { key in
                        (try? host.storage.read { try $0.item(at: try location(number)) })??.key == key
                    }
                })
            async let read: Void = read(next, host, tool)
            try await Task.sleep(for: .milliseconds(200))
            #expect(try !isHere(next, host))
            gate.open()
            try await second
            try await read
            #expect(try isHere(next, host))
            _ = try await here(host)
            let brought = host.broughtFor(seenBy: tool)
            #expect(brought.first { $0.who == "grep, through mount" }?.documents == 3)
        }
    }
}

/// Holds up the verified contents of all but the first documents until it is opened.
private final class Gate: StepObserver {
    private let free: Int
    private let state = Mutex((passed: 0, waiting: 0, isOpen: false))

    init(after free: Int) { self.free = free }

    var waiting: Int { state.withLock { $0.waiting } }

    func open() { state.withLock { $0.isOpen = true } }

    func reached(_ step: JournalStep) throws {
        guard step == .materialiseVerified else { return }
        let isFree = state.withLock { state in
            state.passed += 1
            if state.passed > free { state.waiting += 1 }
            return state.passed <= free
        }
        while !isFree, !state.withLock({ $0.isOpen }) { usleep(1_000) }
    }
}
