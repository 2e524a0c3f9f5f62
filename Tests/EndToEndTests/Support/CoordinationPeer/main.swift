// A host tool for the tests of coordination between processes: does what its words say, and prints each thing that
// happens to it as a line.
//
//   hold read|write LOCATION GATE       holds the document until the file GATE is there
//   holdAsking LOCATION FOLDER          writes the document, and asks what is in the folder meanwhile
//   nest OUTER INNER GATE               reads OUTER, waits for GATE, then writes INNER inside
//   write LOCATION TEXT                 writes a text
//   put LOCATION TEXT GATE              writes a text, or nothing for "-", where nothing need be, and goes on when GATE is there
//   replace LOCATION TEXT GATE          the same, for replacing what is there
//   create LOCATION TEXT GATE           the same, where nothing may be
//   folder LOCATION GATE                makes a folder with documents in it where nothing is, and goes on when GATE is there
//   place FROM TO GATE                  moves the item to a free place, both in one step, when GATE is there
//   mkdir LOCATION                      makes a folder at once
//   present LOCATION answer|save|hang|trap MILLISECONDS GATE
//                                       presents the document until GATE is there
//   swap ONE OTHER COUNT                writes both in one step, so many times
//   move FROM TO GATE                   moves the item inside of a write for moving it, when GATE is there
//   delete LOCATION                     removes the item inside of a write for deleting it
//   trapped LOCATION OTHER              asks inside of a write for what would wait for it
//   cancelled LOCATION GATE             reads the document, and cancels that when GATE is there
//   trappedReader LOCATION GATE         asks inside of a read, when GATE is there, for what would wait for it
//   upload LOCATION COPY GATE           reads for uploading: copies the snapshot, and goes on when GATE is there
//   settle LOCATION                     waits until everything there is sent
//   watch FOLDER GATE                   presents a folder until GATE is there
//   crowd DOMAIN DOCUMENTS SECONDS SEED LOG mortal|immortal FOLDER
//                                       one of many that read and write the same documents
//   share DOMAIN DOCUMENTS ROUNDS NAME LOG
//                                       adds lines to documents that others change through a host of their own

import DocumentClient
import DocumentModel
import Foundation
import Glibc
import SystemPackage

@Sendable func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
}

func wait(for gate: String) async throws {
    while access(gate, F_OK) != 0 { try await Task.sleep(for: .milliseconds(5)) }
}

/// Says what it is told, and answers in the way that it was made for.
final class Editor: RelinquishingFilePresenter, SavingFilePresenter, VersionPresenter {
    let presentedItemLocation: Location?
    let patience: Duration
    private let style: String
    private let client: DocumentClient

    init(_ location: Location, style: String, patience: Duration, client: DocumentClient) {
        presentedItemLocation = location
        self.style = style
        self.patience = patience
        self.client = client
    }

    func relinquishPresentedItemToReader() async throws { say("reader") }
    func relinquishPresentedItemToWriter() async throws { say("writer") }
    func reacquirePresentedItem() async { say("reacquire") }
    func presentedItemDidChange() async { say("changed") }
    func presentedItemDidMove(to location: Location) async { say("moved to \(location)") }
    func presentedItemDidGainVersion(_ version: String) async { say("gained") }
    func presentedItemDidLoseVersion(_ version: String) async { say("lost") }
    func presentedItemDidResolveConflictVersion(_ version: String) async { say("resolved") }
    func presenterWasDropped(because reason: String) async { say("dropped: \(reason)") }

    func savePresentedItemChanges() async throws {
        say("save")
        guard let location = presentedItemLocation else { return }
        switch style {
        case "save", "trap":
            // A trap: without its presenter, the write waits for the read that waits for the answer.
            let coordinator = FileCoordinator(client, presenter: style == "save" ? self : nil)
            try await coordinator.coordinate(writingItemAt: location) { path, _ in
                try "saved".write(toFile: path.string, atomically: false, encoding: .utf8)
            }
        case "hang": try await Task.sleep(for: .seconds(600))
        default: break
        }
    }
}

/// Says what happens in its folder.
final class Watcher: FolderPresenter {
    let presentedItemLocation: Location?

    init(_ location: Location) { presentedItemLocation = location }

    func presentedSubitemDidAppear(at location: Location) async { say("appeared \(location)") }
    func presentedSubitemDidChange(at location: Location) async { say("changed \(location)") }
    func presentedSubitem(at location: Location, didMoveTo destination: Location) async {
        say("moved \(location) to \(destination)")
    }
}

/// The code of the error that a call ends with.
func code(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "none"
    } catch {
        return (error as? DocumentError).map { "\($0.code)" } ?? "\(error)"
    }
}

let words = CommandLine.arguments

@Sendable func put(_ path: FilePath, _ status: ItemStatus) async throws {
    say("granted")
    say("item \(status.state), \(status.item.size.map { "\($0) bytes" } ?? "no size")")
    if words[3] != "-" { try words[3].write(toFile: path.string, atomically: true, encoding: .utf8) }
    say("written")
    try await wait(for: words[4])
}

do {
    try await withDocumentClient(tool: words[1], start: .never) { client in
        client.onDeadlock { say("deadlock: \($0)") }
        let coordinator = FileCoordinator(client)
        switch words[1] {
        case "hold":
            let location = try Location(words[3])
            if words[2] == "read" {
                try await coordinator.coordinate(readingItemAt: location) { path, _ in
                    say("granted \(try String(contentsOfFile: path.string, encoding: .utf8))")
                    try await wait(for: words[4])
                }
            } else {
                try await coordinator.coordinate(writingItemAt: location) { _, _ in
                    say("granted")
                    try await wait(for: words[4])
                }
            }
        case "nest":
            let (outer, inner) = (try Location(words[2]), try Location(words[3]))
            try await coordinator.coordinate(readingItemAt: outer) { _, _ in
                say("outer")
                try await wait(for: words[4])
                try await coordinator.coordinate(writingItemAt: inner) { _, _ in say("inner") }
            }
        case "write":
            try await coordinator.coordinate(writingItemAt: try Location(words[2])) { path, _ in
                try words[3].write(toFile: path.string, atomically: false, encoding: .utf8)
            }
        case "put": try await coordinator.coordinate(writingItemAt: try Location(words[2]), put)
        case "replace":
            try await coordinator.coordinate(writingItemAt: try Location(words[2]), for: .forReplacing, put)
        case "create": try await coordinator.coordinate(creatingItemAt: try Location(words[2]), put)
        case "folder":
            try await coordinator.coordinate(writingItemAt: try Location(words[2])) { path, _ in
                let inner = path.appending("inner").string
                try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
                try "one".write(toFile: path.appending("one.txt").string, atomically: false, encoding: .utf8)
                try "two".write(toFile: inner + "/two.txt", atomically: true, encoding: .utf8)
                say("written")
                try await wait(for: words[3])
            }
        case "holdAsking":
            let (location, folder) = (try Location(words[2]), try Location(words[3]))
            try await coordinator.coordinate(writingItemAt: location) { _, _ in
                say("granted")
                // Not inside of the access.
                try await Task.detached { for try await _ in client.items(in: folder, refresh: true) {} }.value
            }
        case "place":
            let (from, to) = (try Location(words[2]), try Location(words[3]))
            try await coordinator.coordinate(
                writingItemAt: from, for: .forMoving, writingItemAt: to, for: .forReplacing
            ) { _, _ in
                say("granted")
                try await wait(for: words[4])
                try await client.rename(itemAt: from, to: to)
                say("moved")
            }
        case "mkdir": try await client.makeFolder(at: try Location(words[2]), atOnce: true)
        case "present":
            let editor = Editor(
                try Location(words[2]), style: words[3], patience: .milliseconds(Int(words[4]) ?? 0), client: client)
            try await client.addPresenter(editor)
            say("presents")
            try await wait(for: words[5])
            try await client.removePresenter(editor)
        case "swap":
            let (one, other) = (try Location(words[2]), try Location(words[3]))
            for _ in 0..<(Int(words[4]) ?? 0) {
                try await coordinator.coordinate(writingItemAt: one, writingItemAt: other) { first, second in
                    let text = try String(contentsOfFile: first.string, encoding: .utf8)
                    try String(contentsOfFile: second.string, encoding: .utf8)
                        .write(toFile: first.string, atomically: false, encoding: .utf8)
                    try text.write(toFile: second.string, atomically: false, encoding: .utf8)
                }
            }
        case "move":
            let (from, to) = (try Location(words[2]), try Location(words[3]))
            try await coordinator.coordinate(writingItemAt: from, for: .forMoving) { _, _ in
                say("granted")
                try await wait(for: words[4])
                try await client.rename(itemAt: from, to: to)
                say("moved")
            }
        case "delete":
            let location = try Location(words[2])
            try await coordinator.coordinate(writingItemAt: location, for: .forDeleting) { _, _ in
                try await client.remove(itemAt: location, recursive: true)
            }
        case "trapped":
            let (location, other) = (try Location(words[2]), try Location(words[3]))
            try await coordinator.coordinate(writingItemAt: location) { path, _ in
                try "changed".write(toFile: path.string, atomically: false, encoding: .utf8)
                say("rename \(await code { try await client.rename(itemAt: location, to: other) })")
                say("remove \(await code { try await client.remove(itemAt: location) })")
                say("sent \(await code { try await client.waitUntilSent(location) })")
                say("download \(await code { try await client.download(location) })")
                say("evict \(await code { try await client.evict(location) })")
                say("resolve \(await code { try await client.resolveConflict(at: location, keeping: .local) })")
            }
            say("sent afterwards \(await code { try await client.waitUntilSent(location) })")
        case "cancelled":
            let location = try Location(words[2])
            let reading = Task {
                await code { try await coordinator.coordinate(readingItemAt: location) { _, _ in say("granted") } }
            }
            try await wait(for: words[3])
            coordinator.cancel()
            say("read \(await reading.value)")
        case "trappedReader":
            let location = try Location(words[2])
            try await coordinator.coordinate(readingItemAt: location) { _, _ in
                say("granted")
                try await wait(for: words[3])
                say("sent \(await code { try await client.waitUntilSent(location) })")
                say("download \(await code { try await client.download(location) })")
            }
        case "upload":
            try await coordinator.coordinate(readingItemAt: try Location(words[2]), options: .forUploading) { path, _ in
                try FileManager.default.copyItem(atPath: path.string, toPath: words[3])
                say("granted \(path.string)")
                try await wait(for: words[4])
            }
        case "settle": try await client.waitUntilSent(try Location(words[2]))
        case "watch":
            let watcher = Watcher(try Location(words[2]))
            try await client.addPresenter(watcher)
            say("presents")
            try await wait(for: words[3])
        case "crowd":
            let log = open(words[6], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            var crowd = Crowd(
                client: client, domain: words[2], documents: Int(words[3]) ?? 2, log: log,
                isMortal: words[7] == "mortal", folder: words[8],
                random: Crowd.Random(state: UInt64(words[5]) ?? 0))
            try await crowd.run(for: .seconds(Int(words[4]) ?? 0))
        case "share":
            let log = open(words[6], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            try await Sharing(
                client: client, domain: words[2], documents: Int(words[3]) ?? 1, rounds: Int(words[4]) ?? 1,
                name: words[5], log: log
            ).run()
        default: say("unknown: \(words)")
        }
    }
    say("done")
} catch let error as DocumentError {
    say("error \(error.code): \(error.message)")
    exit(1)
} catch {
    say("error: \(error)")
    exit(1)
}
