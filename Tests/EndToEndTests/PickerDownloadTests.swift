import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import Testing

/// What becomes of a download when whoever chose the document is gone before its end.
@Suite(.serialized) struct PickerDownloadTests: PickerSuite {
    @Test(
        "DOWN-5, DOWN-7: a download goes on when the picker that began it is gone; one that is opened again sees how far it is, and takes over its end",
        .timeLimit(.minutes(2)))
    func goesOn() async throws {
        try await withDomains(settings: ["slow=yes"]) { machine, _ in
            let location = try await machine.client { client in
                let chosen = try await choose(client)
                try await client.startDownloading(chosen)
                try await reach(100_000, of: chosen, client)
                return chosen
            }
            try await machine.client { client in
                #expect(try await choose(client) == location)
                let download = try #require(try await status(of: location, client)?.transfers.download)
                #expect(download.done >= 100_000)
                #expect(download.expected == 2_000_000)
                let least = Mutex<UInt64?>(nil)
                try await client.download(location) { progress in
                    least.withLock { $0 = min($0 ?? .max, progress.done) }
                }
                #expect(least.withLock { $0 }.map { $0 >= 100_000 } == true, "it was begun anew: \(machine.logTail)")
                #expect(try await status(of: location, client)?.isDownloaded == true)
            }
            // It came once, for both.
            #expect(machine.calls(of: "book").count { $0.hasPrefix("start_providing") } == 1)
        }
    }

    @Test(
        "DOWN-4: a picker brings what was chosen in it, with its size, its progress, and errors of its own",
        .timeLimit(.minutes(2)))
    func beforeItGoes() async throws {
        try await withDomains(settings: ["slow=yes"]) { machine, client in
            let location = try await choose(client)
            let told = Mutex<[TransferProgress]>([])
            try await client.download(location) { progress in told.withLock { $0.append(progress) } }
            let steps = told.withLock { $0 }
            #expect(steps.count > 1 && steps.contains { $0.expected == 2_000_000 && $0.done < 2_000_000 })
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.done <= $1.done })
            #expect(try await status(of: location, client)?.isDownloaded == true)

            let work = try PickerRequest(.open, types: [.content], domain: try DomainName("work"))
            let gone = try await client.withPickerSession(work) { session in
                let entry = try #require(try await entries(session, try root(session, "work"))["one.txt"])
                return try await session.open(entry.id).location
            }
            try FileManager.default.removeItem(atPath: machine.remote + "/one.txt")
            #expect(await failure { try await client.download(gone) }?.code == .noSuchItem)
        }
    }

    @Test(
        "DOWN-6: a download that ends when nobody is there is found by who comes back, and is not made again",
        .timeLimit(.minutes(2)))
    func endsAlone() async throws {
        try await withDomains(settings: ["slow=yes"]) { machine, _ in
            let location = try await machine.client { client in
                let chosen = try await choose(client)
                try await client.startDownloading(chosen)
                return chosen
            }
            try await machine.client { client in
                while try await status(of: location, client)?.isDownloaded != true {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await status(of: location, client)?.transfers.download == nil, "it is over")
                try await client.download(location)
            }
            #expect(machine.calls(of: "book").count { $0.hasPrefix("start_providing") } == 1)
        }
    }

    @Test(
        "DOWN-5: what was begun in a picker goes on when that is closed in the middle, and lands where it was begun for; what names no such place is refused",
        .timeLimit(.minutes(2)))
    func landsAtItsPlace() async throws {
        try await withDomains(settings: ["slow=yes"]) { machine, _ in
            let place = try Location("book:/First day/Checklist.txt")
            try await machine.client { client in
                for try await _ in client.items(in: try Location("book:/First day")) {}
                let request = try PickerRequest(.open, types: [.content], domain: try DomainName("book"))
                await #expect(throws: CancellationError.self) {
                    try await client.withPickerSession(request) { session in
                        _ = try await entries(session, try root(session, "book"))
                        try await client.startDownloading(place)
                        throw CancellationError()
                    }
                }
                for nowhere in ["none:/a.txt", "drop:/a.txt", "book:/none.txt"] {
                    let refusal = await failure { try await client.startDownloading(try Location(nowhere)) }
                    #expect(refusal != nil, "\(nowhere)")
                }
            }
            #expect(try machine.docent("download", "--background").status != 0)
            let file = machine.root + "/documents/book/First day/Checklist.txt"
            #expect(!FileManager.default.fileExists(atPath: file), "nothing of it is seen before its end")
            try await machine.client { client in
                while try await status(of: place, client)?.isDownloaded != true {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            #expect(machine.read(file)?.isEmpty == false)
            #expect(machine.calls(of: "book").count { $0.hasPrefix("start_providing") } == 1)
        }
    }

    @Test(
        "DOWN-6: what has ended when nobody is there is no news for who comes later: they find it ended, or what went wrong, each told once",
        .timeLimit(.minutes(2)))
    func toldOnce() async throws {
        try await withDomains { machine, _ in
            let (good, bad) = (try Location("work:/one.txt"), try Location("work:/photo.png"))
            try await machine.client { client in
                for try await _ in client.items(in: try Location("work:/")) {}
                try await client.startDownloading(good)
                while try await status(of: good, client)?.isDownloaded != true {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(rename(machine.remote, machine.remote + "-away") == 0)
                try await client.startDownloading(bad)
            }
            try await machine.client { client in
                let events = Mutex<[String]>([])
                let listening = Task {
                    for try await event in try await client.changes(below: Location("work:/")) {
                        events.withLock { $0.append("\(event)") }
                    }
                }
                while try await status(of: bad, client)?.transfers.download?.problem == nil {
                    try await Task.sleep(for: .milliseconds(50))
                }
                let failed = try #require(try await status(of: bad, client))
                #expect(failed.downloadingError?.code == .serverUnreachable && failed.transfers.isDownloadRequested)
                #expect(try await status(of: good, client)?.transfers == ItemTransfers(), "it is over")
                #expect(events.withLock { $0.allSatisfy { !$0.contains("one.txt") } })
                // It comes when it can, without anybody asking again, and what went wrong is over.
                #expect(rename(machine.remote + "-away", machine.remote) == 0)
                while try await status(of: bad, client)?.isDownloaded != true {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await status(of: bad, client)?.transfers == ItemTransfers())
                listening.cancel()
            }
        }
    }

    private func choose(_ client: DocumentClient) async throws -> Location {
        let request = try PickerRequest(.open, types: [.content], domain: try DomainName("book"))
        return try await client.withPickerSession(request) { session in
            let top = try await entries(session, try root(session, "book"))
            let folder = try await entries(session, try #require(top["First day"]).id)
            return try await session.open(try #require(folder["Checklist.txt"]).id).location
        }
    }

    private func status(of location: Location, _ client: DocumentClient) async throws -> ItemStatus? {
        try await client.status(location).items.first { $0.location == location }
    }

    private func reach(_ bytes: UInt64, of location: Location, _ client: DocumentClient) async throws {
        while try await status(of: location, client)?.transfers.download?.done ?? 0 < bytes {
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
