import AsyncHTTPClient
import DocumentModel
import NIOHTTP1
import Testing

@testable import WebDAVProvider

/// Changes under a claim at which others look in each of their moments, and hosts that die there, or are slow.
@Suite("Changes under a claim, and hosts that look, die or are slow in their middle", .serialized)
struct ClaimDeathTests {
    enum Change: String, CaseIterable, Sendable {
        case edit, rename, move, moveOfEdited, removal

        var target: String {
            switch self {
            case .edit, .removal: "x"
            case .rename: "y"
            case .move, .moveOfEdited: "F/y"
            }
        }

        /// What the target has afterwards.
        var text: String? {
            switch self {
            case .edit, .moveOfEdited: "two"
            case .rename, .move: "one"
            case .removal: nil
            }
        }

        func make(_ host: WritingFixture) async throws {
            switch self {
            case .edit: _ = try await host.change("x", "two", base: .none)
            case .rename, .move: _ = try await host.move("x", to: target, base: .none)
            case .moveOfEdited: _ = try await host.move("x", to: target, "two", base: .none)
            case .removal: try await host.delete("x", base: .none)
            }
        }
    }

    /// Apache lists claims; of nginx they have to be asked for by name.
    private static let kinds: [RealServer.Kind] = [.apache, .nginx]

    /// The document is at exactly one place, with its contents, and nowhere twice.
    ///
    /// - Parameter isAnswered: the change was answered as done.
    private func expectWhole(_ scene: ClaimScene, _ change: Change, isAnswered: Bool, _ what: String) throws {
        let (source, target) = (try scene.text("x"), try scene.text(change.target))
        let isDone = target == change.text && (change.target == "x" || source == nil)
        let isUndone = source == "one" && (change.target == "x" || target == nil)
        #expect(isDone || !isAnswered && isUndone, "\(what): “\(source ?? "-")”, “\(target ?? "-")”")
        let kept = scene.paths.filter { $0.name?.rawValue.contains("kept by Docent") == true }
        #expect(kept.isEmpty, "\(what): \(kept)")
    }

    /// - Returns: whether the change was answered as done.
    private func isMade(_ change: Change, _ host: WritingFixture) async -> Bool {
        do {
            try await change.make(host)
            return true
        } catch {
            return false
        }
    }

    /// A host that has changed something, and died when the document was in its claim.
    private func takeAway(_ scene: ClaimScene, _ change: Change) async throws {
        try await scene.host { way, _, _ in
            if scene.hasTaken { way.die() }
        } _: { host, _ in
            let isAnswered = await isMade(change, host)
            #expect(!isAnswered)
        }
        #expect(scene.hasTaken)
    }

    /// Somebody who has seen a claim for long enough by now.
    private func watch(_ scene: ClaimScene, _ host: WritingFixture) async throws {
        let error = await failure { try await host.domain.item(for: ItemIdentifier("x")) }
        #expect(error?.code.errorClass == .transient, "\(error as Any)")
        scene.pass(ClaimScene.age)
    }

    @Test(
        "PROV-22: whoever looks at any moment of a change is told of the document, or to ask again, and not that it is gone",
        arguments: Change.allCases, [RealServer.Kind.lighttpd, .apache, .nginx])
    func looks(_ change: Change, _ kind: RealServer.Kind) async throws {
        let scene = try ClaimScene(kind)
        try await scene.host { other, _ in
            _ = try await other.names()
            try await scene.host { _, _, number in
                _ = try await other.names()
                let error = await failure { try await other.domain.item(for: ItemIdentifier("x")) }
                guard let error else { return }
                if error.code == .noSuchItem {
                    let isDone = try change != .edit && scene.text(change.target) == change.text
                    // What new contents have replaced goes last of all, when the claim is gone.
                    let isKept = change != .moveOfEdited && scene.hasTaken
                    #expect(isDone && !isKept, "it is said to be gone at request \(number)")
                } else {
                    #expect(error.code.errorClass == .transient, "\(error)")
                }
            } _: { host, _ in
                try await change.make(host)
            }
        }
        try expectWhole(scene, change, isAnswered: true, "at the end")
        let left = scene.paths.filter { $0.names.contains(where: OwnNames.isOwn) }
        #expect(left.isEmpty, "\(left)")
    }

    @Test(
        "RS-5: a host that dies at any step of a change leaves the document at one place, as it has answered",
        arguments: Change.allCases, kinds)
    func deaths(_ change: Change, _ kind: RealServer.Kind) async throws {
        for lifetime in 0..<200 {
            let scene = try ClaimScene(kind)
            let (isAnswered, isAlive) = try await scene.host(lifetime: lifetime) { host, way in
                let isAnswered = await isMade(change, host)
                return (isAnswered, !way.isDead)
            }
            try await scene.settle()
            try expectWhole(scene, change, isAnswered: isAnswered, "dead after \(lifetime) requests")
            if isAlive { return }
        }
        Issue.record("it does not end")
    }

    @Test("a name that a dead host has reserved is free again in the end, and its document is at one place")
    func deadReservations() async throws {
        for lifetime in 0..<200 {
            let scene = try ClaimScene(.apache)
            let isAlive = try await scene.host(lifetime: lifetime) { host, way in
                _ = await isMade(.move, host)
                return !way.isDead
            }
            let error = try await scene.host { other, _ in
                var last: DocumentError?
                for _ in 0..<8 {
                    last = await failure { try await other.create("F/y", "theirs") }
                    guard last?.code.errorClass == .transient else { break }
                    scene.pass(ClaimScene.age)
                }
                return last
            }
            try await scene.settle()
            let (source, target) = (try scene.text("x"), try scene.text("F/y"))
            if error == nil {
                #expect(source == "one" && target == "theirs", "dead after \(lifetime) requests")
            } else {
                #expect(error?.code == .nameCollision, "\(error as Any)")
                #expect(source == nil && target == "one", "dead after \(lifetime) requests")
            }
            if isAlive { return }
        }
        Issue.record("it does not end")
    }

    @Test(
        "who ends a dead claim and dies at any step of that leaves the document where the next one finds it",
        arguments: Change.allCases, kinds)
    func deadEnds(_ change: Change, _ kind: RealServer.Kind) async throws {
        for lifetime in 0..<200 {
            let scene = try ClaimScene(kind)
            try await takeAway(scene, change)
            let isAlive = try await scene.host { host, way in
                try await watch(scene, host)
                way.live(for: lifetime)
                _ = await failure { try await host.domain.item(for: ItemIdentifier("x")) }
                return !way.isDead
            }
            try await scene.settle()
            #expect(try scene.text("x") == "one", "dead after \(lifetime) requests")
            try expectWhole(scene, change, isAnswered: false, "dead after \(lifetime) requests")
            if isAlive { return }
        }
        Issue.record("it does not end")
    }

    @Test(
        "of two who end the same dead claim at the same time both find the document, once", arguments: Change.allCases,
        kinds)
    func twoEnds(_ change: Change, _ kind: RealServer.Kind) async throws {
        for moment in 0..<200 {
            let scene = try ClaimScene(kind)
            try await takeAway(scene, change)
            let isReached = Flag(false)
            try await scene.host { second, _ in
                let isEnding = Flag(false)
                let asked = Counter()
                try await scene.host { _, _, _ in
                    guard isEnding.value else { return }
                    asked.increase()
                    guard asked.value == moment + 1 else { return }
                    isReached.set(true)
                    _ = await failure { try await second.domain.item(for: ItemIdentifier("x")) }
                } _: { first, _ in
                    // Both have seen it for long enough.
                    _ = await failure { try await second.domain.item(for: ItemIdentifier("x")) }
                    try await watch(scene, first)
                    isEnding.set(true)
                    _ = await failure { try await first.domain.item(for: ItemIdentifier("x")) }
                }
            }
            try await scene.settle()
            #expect(try scene.text("x") == "one", "at request \(moment)")
            try expectWhole(scene, change, isAnswered: false, "at request \(moment)")
            if !isReached.value { return }
        }
        Issue.record("it does not end")
    }

    @Test(
        "a host that goes on after it was taken for dead has either made its change or not, and says so",
        arguments: Change.allCases, kinds)
    func slowness(_ change: Change, _ kind: RealServer.Kind) async throws {
        for moment in 0..<200 {
            let scene = try ClaimScene(kind)
            let isReached = Flag(false)
            let isAnswered = try await scene.host { other, _ in
                _ = try await other.names()
                return try await scene.host { _, _, number in
                    guard number == moment else { return }
                    isReached.set(true)
                    for _ in 0..<4 {
                        _ = await failure { try await other.domain.item(for: ItemIdentifier("x")) }
                        _ = try await other.names()
                        scene.pass(ClaimScene.age)
                    }
                } _: { host, _ in
                    await isMade(change, host)
                }
            }
            try await scene.settle()
            try expectWhole(scene, change, isAnswered: isAnswered, "slow at request \(moment)")
            if !isReached.value { return }
        }
        Issue.record("it does not end")
    }

    @Test("a removal that was answered is one, also when what was taken away could not be removed", arguments: kinds)
    func brokenOffRemoval(_ kind: RealServer.Kind) async throws {
        let scene = try ClaimScene(kind)
        try await scene.host { _, request, _ in
            if request.method == .DELETE { throw HTTPClientError.remoteConnectionClosed }
        } _: { host, _ in
            try await host.delete("x", base: .none)
        }
        try await scene.settle()
        #expect(try scene.text("x") == nil)
        let left = scene.paths.filter { $0.name == ClaimNames.old || $0.name == ClaimNames.gone }
        // What is not listed is not found to be removed.
        #expect(kind == .nginx || left.isEmpty, "\(left)")
    }
}
