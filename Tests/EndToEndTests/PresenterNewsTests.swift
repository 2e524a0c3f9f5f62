import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import Testing

/// What presenters are told of changes that others make, and what of a document lasts from one version to the next.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PresenterNewsTests {
    /// Notes what it is told.
    private final class Notes: DeletionAccommodatingFilePresenter, VersionPresenter {
        let presentedItemLocation: Location?
        private let told = Mutex<[String]>([])
        private let versions = Mutex<[String]>([])

        init(_ location: Location) { presentedItemLocation = location }

        var all: [String] { told.withLock { $0 } }
        /// The versions that it was told of, by what they are called.
        var named: [String] { versions.withLock { $0 } }

        private func note(_ text: String) { told.withLock { $0.append(text) } }

        private func note(_ text: String, of version: String) {
            versions.withLock { $0.append(version) }
            note(text)
        }

        func presentedItemDidChange() async { note("changed") }
        func presentedItemDidMove(to location: Location) async { note("moved to \(location)") }
        func accommodatePresentedItemDeletion() async throws { note("to go") }
        func presentedItemDidGainVersion(_ version: String) async { note("gained a version", of: version) }
        func presentedItemDidLoseVersion(_ version: String) async { note("lost a version", of: version) }
        func presentedItemDidResolveConflictVersion(_ version: String) async {}

        func hears(_ wanted: [String]) async throws -> Bool {
            for _ in 0..<500 where all != wanted { try await Task.sleep(for: .milliseconds(20)) }
            // Nothing more comes after it.
            try await Task.sleep(for: .milliseconds(200))
            return all == wanted
        }
    }

    private static let tree = RemoteTree(items: ["f": ["/", "Folder", nil], "a": ["f", "a.txt", "alpha\n"]])

    @Test(
        "COORD-26, COORD-28: of another name on the remote a presenter hears as of a move; of other contents, as of a change"
    )
    func remoteRename() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            var tree = Self.tree
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/Folder")
            #expect(try machine.succeed("cat", "d:/Folder/a.txt") == "alpha\n")
            try await machine.client { client async throws in
                let notes = Notes(try Location("d:/Folder/a.txt"))
                try await client.addPresenter(notes)
                tree.items["a"] = ["f", "b.txt", "alpha\n"]
                tree.feed.append([["a"], []])
                try machine.provide(tree, in: "d")
                try machine.succeed("refresh", "d:/")
                #expect(try await notes.hears(["moved to d:/Folder/b.txt"]), "\(notes.all)")
                tree.items["a"] = ["f", "b.txt", "beta\n"]
                tree.feed.append([["a"], []])
                try machine.provide(tree, in: "d")
                try machine.succeed("refresh", "d:/")
                #expect(try await notes.hears(["moved to d:/Folder/b.txt", "changed"]), "\(notes.all)")
                try await client.removePresenter(notes)
            }
        }
    }

    @Test(
        "COORD-28: of a document with unsent edits, what the remote tells is no change: its contents here are what they were"
    )
    func unsentEdits() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d", isWritable: true)
            var tree = Self.tree
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/Folder")
            #expect(try machine.succeed("cat", "d:/Folder/a.txt") == "alpha\n")
            try await machine.client { client async throws in
                try await client.pauseTransfers(at: Location("d:/"))
                let notes = Notes(try Location("d:/Folder/a.txt"))
                try await client.addPresenter(notes)
                try machine.succeed(
                    "edit", "d:/Folder/a.txt", "--no-wait", "--with", "sh", "-c", "echo mine > \"$1\"", "sh", "{}")
                #expect(try await notes.hears(["changed"]), "\(notes.all)")
                tree.items["a"] = ["f", "a.txt", "theirs\n"]
                tree.feed.append([["a"], []])
                try machine.provide(tree, in: "d")
                try machine.succeed("refresh", "d:/")
                #expect(try await notes.hears(["changed"]), "\(notes.all)")
                try await client.resumeTransfers(at: Location("d:/"))
                for _ in 0..<1_500 where !notes.all.contains("gained a version") {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(notes.all.contains("gained a version"), "\(notes.all)")
                try await client.removePresenter(notes)
            }
        }
    }

    @Test(
        "VER-8, VER-14, COORD-27: of what is fetched, dropped and kept by that, who presents a document hears once each"
    )
    func decidedVersions() async throws {
        try await Machine.with { machine async throws in
            let remote = machine.remote + "/a.txt"
            try machine.write("base\n", to: remote)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "base\n")
            try machine.succeed("pause", "d:/a.txt")
            try machine.succeed(
                "edit", "d:/a.txt", "--no-wait", "--with", "sh", "-c", "echo ours > \"$1\"", "sh", "{}")
            try machine.write("theirs, longer\n", to: remote)
            try await machine.client { client async throws in
                let notes = Notes(try Location("d:/a.txt"))
                try await client.addPresenter(notes)
                for _ in 0..<2 { try machine.succeed("versions", "d:/a.txt", "--fetch") }
                #expect(try await notes.hears(["gained a version"]), "\(notes.all)")
                try machine.succeed("resume", "d:/a.txt", "--drop-local")
                let told = ["to go", "gained a version", "lost a version", "changed"]
                #expect(try await notes.hears(["gained a version"] + told), "\(notes.all)")
                try await client.removePresenter(notes)
            }
        }
    }

    @Test(
        "VER-9: whether a version's contents are here is told, and who presents the document hears when they have come")
    func localContents() async throws {
        try await Machine.with(environment: ["DOCENT_DEVICE_NAME": "ann's"]) { (ann: Machine) async throws in
            try await Machine.with(environment: ["DOCENT_DEVICE_NAME": "ben's"]) { (ben: Machine) async throws in
                try ann.write("first\n", to: ann.remote + "/a.txt")
                for machine in [ann, ben] {
                    try machine.succeed(
                        "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(ann.remote)")
                    try machine.succeed("open", "d:/a.txt")
                }
                try ann.succeed("pause", "d:/a.txt")
                try ann.succeed("edit", "d:/a.txt", "--no-wait", "--with", "sh", "-c", "echo of ann > '{}'")
                try ben.succeed("edit", "d:/a.txt", "--with", "sh", "-c", "echo of ben, longer > '{}'")
                try ann.succeed("resume", "d:/a.txt")
                let place = try Location("d:/a.txt")
                try await ben.client { client async throws in
                    func side() async throws -> DocumentVersion? {
                        try await client.versions(of: place).first { $0.kind == .conflict }
                    }
                    for _ in 0..<1_500 where try await side() == nil { try await Task.sleep(for: .milliseconds(40)) }
                    let before = try #require(try await side(), "\(ann.logTail) \(ben.logTail)")
                    // The name of who has saved it is told of this one in any case.
                    #expect(before.path == nil && before.device == "ann's" && !before.hasThumbnail)
                    let notes = Notes(place)
                    try await client.addPresenter(notes)
                    for _ in 0..<2 { try ben.succeed("versions", "d:/a.txt", "--fetch") }
                    #expect(try await notes.hears(["gained a version"]), "\(notes.all)")
                    let after = try #require(try await side())
                    #expect(after.id == before.id && after.path.flatMap(ben.read) == "of ann\n")
                    #expect(notes.named == [before.id], "it is told by its identifier")
                    try await client.removePresenter(notes)
                    // What was saved before anybody said by whom has no name, and that is no error.
                    let base = try await ann.client { try await $0.versions(of: place) }.first { $0.kind == .base }
                    #expect(base?.device == nil)
                }
            }
        }
    }

    @Test(
        "VER-7, COORD-27: who presents a document hears that versions of it are gone, and need not give it away for that"
    )
    func removedVersions() async throws {
        try await Machine.with { machine async throws in
            try machine.write("one\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            for text in ["two", "three"] {
                try machine.succeed("edit", "d:/a.txt", "--with", "sh", "-c", "echo \(text) > \"$1\"", "sh", "{}")
            }
            try await machine.client { client async throws in
                let place = try Location("d:/a.txt")
                let notes = Notes(place)
                try await client.addPresenter(notes)
                let older = try await client.versions(of: place).filter { $0.kind == .older }.map(\.id)
                try machine.succeed("versions", "d:/a.txt", "--remove-others")
                #expect(try await notes.hears(["lost a version", "lost a version"]), "\(notes.all)")
                #expect(notes.named == older, "COORD-27: by their identifiers")
                try await client.removePresenter(notes)
            }
        }
    }

    @Test(
        "COORD-13, COORD-39: who wants only what is known here does not wait for the remote's news; who waits for them says so"
    )
    func news() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            var tree = Self.tree
            let news = machine.folder + "/news"
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/Folder")
            let bookmark = try Bookmark(
                text: try machine.succeed("bookmark", "create", "d:/Folder/a.txt")
                    .trimmingCharacters(in: .whitespacesAndNewlines))
            try machine.succeed("host", "stop")
            tree.waiting["changes_since"] = news
            try machine.provide(tree, in: "d")
            try machine.succeed("domain", "list")
            try await machine.client { client async throws in
                let a = try Location("d:/Folder/a.txt")
                let reading = Task {
                    try await client.coordinate(readingItemAt: a) { path, _ in machine.read(path.string) }
                }
                #expect(
                    try Machine.eventually {
                        try machine.succeed("status").contains(
                            "waits to read d:/Folder/a.txt until the provider of d has said what is new.")
                    })
                let size = try await client.coordinate(readingItemAt: a, options: AccessOptions(metadataOnly: true)) {
                    $1.item.size
                }
                #expect(size == 6)
                // A bookmark finds it as a path does.
                let metadata = try await client.coordinate(
                    readingItemOf: bookmark, options: AccessOptions(metadataOnly: true)
                ) { $1.item.size }
                #expect(metadata == 6)
                let readingByBookmark = Task {
                    try await client.coordinate(readingItemOf: bookmark) { path, _ in machine.read(path.string) }
                }
                #expect(
                    try Machine.eventually {
                        try machine.succeed("status").components(
                            separatedBy: "waits to read d:/Folder/a.txt until the provider of d has said what is new."
                        ).count == 3
                    })
                try machine.write("", to: news)
                #expect(try await reading.value == "alpha\n")
                #expect(try await readingByBookmark.value == "alpha\n")
                #expect(try !machine.succeed("status").contains("waits to read"))
            }
        }
    }
}
