import DocumentClient
import DocumentModel
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
