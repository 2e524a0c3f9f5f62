import DocumentClient
import DocumentModel
import Foundation
import SystemPackage

extension AttackQuestion {
    /// Each of what is done in them asks the provider at least once.
    static let rounds = 3

    /// Lists, reads, writes, makes and renames. What fails is told clearly, and succeeds when it is done once more; in the end
    /// everything is here and with the provider.
    func useAll(_ client: DocumentClient) async throws {
        let target = top.appending(try ItemName("target.txt"))
        var contents = Self.expected
        for round in 0..<Self.rounds {
            try await twice { try await list(client) }
            try await twice { try await expect(contents, at: target, client) }
            contents = Data("edit \(round)".utf8)
            try await twice { [contents] in
                try await client.coordinate(writingItemAt: target) { path, _ in
                    try contents.write(to: URL(fileURLWithPath: path.string))
                }
            }
            try await sent(client)
            let source = "\(folder)/work/\(domain)-\(round).txt"
            try Data("made \(round)".utf8).write(to: URL(fileURLWithPath: source))
            let made = top.appending(try ItemName("made \(round).txt"))
            try await twice { _ = try await client.exportDocument(FilePath(source), to: made) }
            try await sent(client)
            let renamed = top.appending(try ItemName("renamed \(round).txt"))
            try await twice { try await client.rename(itemAt: made, to: renamed) }
            try await sent(client)
            // From the provider, and not from here.
            for place in [target, renamed] { try await twice { _ = try await client.evict(place) } }
        }
        try await twice { try await expect(contents, at: target, client) }
        for round in 0..<Self.rounds {
            let place = top.appending(try ItemName("renamed \(round).txt"))
            try await twice { try await expect(Data("made \(round)".utf8), at: place, client) }
        }
        let names = try await list(client)
        let expected = Set(["folder", "good.txt", "target.txt"] + (0..<Self.rounds).map { "renamed \($0).txt" })
        guard names == expected else {
            throw CheckFailure("Other documents are there than were made.", detail: "\(names.sorted())")
        }
    }

    /// Does it, and once more if the provider is at fault.
    private func twice(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DocumentError {
            try expectMishap(error)
            try await body()
        }
    }

    /// What could not be sent is sent a little later, unasked.
    private func sent(_ client: DocumentClient) async throws {
        var failure: DocumentError?
        let isSent = try await eventually(within: .seconds(20)) {
            do {
                try await client.waitUntilSent(top)
                return true
            } catch let error as DocumentError {
                try expectMishap(error)
                failure = error
                try await Task.sleep(for: .milliseconds(50))
                return false
            }
        }
        guard isSent else {
            throw CheckFailure(
                "A change is not sent though the provider is well again.", detail: failure.map { "\($0)" } ?? "no error"
            )
        }
    }

    private func expect(_ contents: Data, at place: Location, _ client: DocumentClient) async throws {
        let found = try await client.coordinate(readingItemAt: place) { path, _ in
            try Data(contentsOf: URL(fileURLWithPath: path.string))
        }
        guard found == contents else {
            throw CheckFailure("A document has other contents than were written.", detail: "\(place): \(found.count)")
        }
    }

    private func expectMishap(_ error: DocumentError) throws {
        guard [.internal, .providerDied, .providerUnavailable].contains(error.code) else {
            throw CheckFailure("The caller is told of \(error.code), which is not what happened.", detail: "\(error)")
        }
        try ErrorClarity.check(error)
    }
}
