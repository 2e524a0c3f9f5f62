import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import SystemPackage
import Testing

/// Presenters of tools that lose the right to what they present.
extension EntitlementTests {
    private final class Listener: FilePresenter {
        let presentedItemLocation: Location?
        private let words = Mutex<[String]>([])

        init(_ location: Location) { presentedItemLocation = location }

        var heard: [String] { words.withLock { $0 } }

        func presentedItemDidChange() async { words.withLock { $0.append("changed") } }
        func presentedItemDidMove(to location: Location) async { words.withLock { $0.append("moved to \(location)") } }
        func presenterWasDropped(because reason: String) async { words.withLock { $0.append("dropped: \(reason)") } }

        func hears(_ start: String) async throws -> Bool {
            for _ in 0..<1200 {
                if heard.contains(where: { $0.hasPrefix(start) }) { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
    }

    /// Of something local, to begin with.
    private final class LocalListener: LocalFilePresenter {
        let presentedItemLocation: Location? = nil
        let presentedLocalPath: FilePath?
        private let words = Mutex<[String]>([])

        init(_ path: String) { presentedLocalPath = FilePath(path) }

        var heard: [String] { words.withLock { $0 } }

        func presentedItemDidMove(to location: Location) async { words.withLock { $0.append("moved to \(location)") } }
        func presenterWasDropped(because reason: String) async { words.withLock { $0.append("dropped") } }
    }

    @Test("CONT-8, CONT-2: of what moves to where a tool may not read, its presenter is dropped and told no place")
    func movedOutOfSight() async throws {
        try await withDomains { machine async throws in
            try register("domains = [\"work\"]", on: machine)
            for name in ["seen", "unseen"] { try machine.write("text", to: machine.folder + "/work/\(name).txt") }
            try await machine.client { client async throws in
                let seen = LocalListener(machine.folder + "/work/seen.txt")
                let unseen = LocalListener(machine.folder + "/work/unseen.txt")
                for presenter in [seen, unseen] { try await client.addPresenter(presenter) }
                try machine.succeed("move", "--no-wait", "seen.txt", "work:/seen.txt")
                try machine.succeed("move", "--no-wait", "unseen.txt", "store:/unseen.txt")
                #expect(Machine.eventually { !seen.heard.isEmpty && !unseen.heard.isEmpty })
                #expect(seen.heard == ["moved to work:/seen.txt"])
                #expect(unseen.heard == ["dropped"])
            }
        }
    }

    private func bookmark(of place: String, on machine: Machine) throws -> Bookmark {
        let made = try machine.succeed("bookmark", "create", place, "--for", "org.example.notes")
        return try Bookmark(text: made.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test(
        "BOOK-5, CONT-2: a presenter whose bookmark is revoked or stopped is dropped, and keeps nothing here any more")
    func revokedPresenter() async throws {
        try await withDomains { machine async throws in
            try register("", on: machine)
            let (store, home) = (try Location("store:/a.txt"), try Location("home:/a.txt"))
            let (revoked, stopped) = (
                try bookmark(of: "store:/a.txt", on: machine), try bookmark(of: "home:/a.txt", on: machine)
            )
            for place in ["store:/a.txt", "home:/a.txt"] { try machine.succeed("download", place) }
            try await machine.client { client async throws in
                for bookmark in [revoked, stopped] { #expect(try await client.startAccessing(bookmark)) }
                let (first, second) = (Listener(store), Listener(home))
                for listener in [first, second] { try await client.addPresenter(listener) }
                #expect(try machine.docent("evict", "store:/a.txt").status != 0, "it is presented")
                let listed = try #require(try machine.json("bookmark", "list") as? [[String: Any]])
                let number = listed.first { $0["location"] as? String == "store:/a.txt" }?["number"] as? String
                try machine.succeed("bookmark", "revoke", try #require(number))
                #expect(try await first.hears("dropped: What it presents is no longer the tool's"))
                try machine.succeed("evict", "store:/a.txt")
                try await client.stopAccessing(stopped)
                #expect(try await second.hears("dropped: "))
                #expect(await code { try await client.addPresenter(Listener(home)) } == .notPermitted)
            }
        }
    }

    @Test("CONT-2, COORD-30: a presenter of what leaves the tool's container is dropped, and does not hear where to")
    func leftPresenter() async throws {
        try await withDomains { machine async throws in
            let documents = machine.remote + "/store/Containers/\(Self.notes)/Documents"
            try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
            for name in ["out.txt", "kept.txt"] { try machine.write("x", to: documents + "/" + name) }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            try register("containers = [\"\(Self.notes)\"]", on: machine)
            try await machine.client { client async throws in
                let folder = try #require(try await client.location(forContainer: nil)).appending(ItemName("Documents"))
                let (out, kept) = (
                    folder.appending(try ItemName("out.txt")), folder.appending(try ItemName("kept.txt"))
                )
                let within = folder.appending(try ItemName("renamed.txt"))
                let (first, second) = (Listener(out), Listener(kept))
                for listener in [first, second] { try await client.addPresenter(listener) }
                try machine.succeed("rename", kept.description, within.description)
                #expect(try await second.hears("moved to \(within)"))
                try machine.succeed("rename", out.description, "store:/elsewhere.txt")
                #expect(try await first.hears("dropped: "))
                #expect(!first.heard.joined().contains("elsewhere"), "\(first.heard)")
                try machine.succeed("tool", "unregister", "org.example.notes")
                #expect(try await second.hears("dropped: "))
            }
        }
    }
}
