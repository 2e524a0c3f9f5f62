import DocumentClient
import Foundation
import Synchronization

/// Shows how many words a document has, again whenever somebody has changed it. Lines that are typed are added to it: they
/// are written when somebody else is about to read, and at the end.
final class WordCounter: SavingFilePresenter {
    /// Where the document is by now.
    private let place: Mutex<Location>
    private let client: DocumentClient
    private let unsaved = Mutex("")

    init(_ location: Location, client: DocumentClient) {
        place = Mutex(location)
        self.client = client
    }

    var presentedItemLocation: Location? { location }

    private var location: Location { place.withLock { $0 } }

    func add(_ line: String) { unsaved.withLock { $0 += line + "\n" } }

    func count() async throws {
        // Made with this presenter: it is not asked to save because of its own reads.
        let coordinator = FileCoordinator(client, presenter: self)
        try await coordinator.coordinate(readingItemAt: location) { path, item in
            let text = try String(contentsOfFile: path.string, encoding: .utf8) + unsaved.withLock { $0 }
            show("\(text.split(whereSeparator: \.isWhitespace).count) \(item.location)")
        }
    }

    func presentedItemDidChange() async {
        do { try await count() } catch { show("\(error)") }
    }

    func presentedItemDidMove(to location: Location) async {
        place.withLock { $0 = location }
        show("moved to \(location)")
    }

    /// Somebody is about to read the document. Written with this presenter, what was typed goes before that.
    func savePresentedItemChanges() async throws {
        if unsaved.withLock({ $0.isEmpty }) { return }
        let coordinator = FileCoordinator(client, presenter: self)
        try await coordinator.coordinate(writingItemAt: location) { path, _ in
            // Taken out at once: whoever saves beside this finds nothing left to save.
            let text = unsaved.withLock { unsaved in
                defer { unsaved = "" }
                return unsaved
            }
            do {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path.string))
                try file.seekToEnd()
                try file.write(contentsOf: Data(text.utf8))
                try file.close()
            } catch {
                unsaved.withLock { $0 = text + $0 }
                throw error
            }
        }
    }
}

/// At once, also into a pipe or a file.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let location = try Location(CommandLine.arguments[1])
try await withDocumentClient(tool: "LiveCount") { client in
    let counter = WordCounter(location, client: client)
    try await client.addPresenter(counter)
    try await counter.count()
    let (lines, typed) = AsyncStream.makeStream(of: String.self)
    // To wait for what is typed blocks: on a thread of its own.
    Thread.detachNewThread {
        while let line = readLine() { typed.yield(line) }
        typed.finish()
    }
    for await line in lines {
        counter.add(line)
        try await counter.count()
    }
    try await counter.savePresentedItemChanges()
}
