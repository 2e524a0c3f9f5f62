import DocumentClient
import DocumentModel
import Foundation
import SystemPackage

extension AttackQuestion {
    private static let good = Data("good\n".utf8)

    /// After a success all is there that the provider does well: the top folder is listed as it is, and the document that
    /// no behaviour deviates on has its contents.
    func expectGood(_ attack: HostAttack, _ client: DocumentClient) async throws {
        let names = try await list(client, refresh: false)
        if case .listing(let expected) = attack.expectation {
            guard names == expected else {
                throw CheckFailure(
                    "The top folder is not listed as the provider tells it.", detail: "\(names.sorted())")
            }
        } else {
            let expected: Set<String> = [
                "folder", "good.txt", attack.question == .rename ? "renamed.txt" : "target.txt",
            ]
            let gone: Set<String> = attack.question == .remove ? ["good.txt"] : []
            guard names.isSuperset(of: expected.subtracting(gone)) else {
                throw CheckFailure(
                    "A document that the provider has is not listed.",
                    detail: "\(expected.subtracting(gone).subtracting(names).sorted())")
            }
        }
        guard names.contains("good.txt") else { return }
        do {
            try await readGood(client)
        } catch let error as DocumentError {
            // A provider that has died of its deed, or is still at it, gives nothing; whoever asks is told.
            guard [.providerDied, .providerUnavailable, .protocolViolation, .deadlineExceeded].contains(error.code)
            else { throw CheckFailure("A good document cannot be read.", detail: "\(error)") }
            try ErrorClarity.check(error)
        }
    }

    /// Reads the document that the provider cannot be had for, and then the good one, whatever came of the first.
    func readThenGood(_ client: DocumentClient) async throws {
        var failure: DocumentError?
        do { try await read(client) } catch let error as DocumentError { failure = error }
        try await readGood(client)
        if let failure { throw failure }
    }

    private func readGood(_ client: DocumentClient) async throws {
        let good = top.appending(try ItemName("good.txt"))
        let contents = try await client.coordinate(readingItemAt: good) { path, _ in
            try Data(contentsOf: URL(fileURLWithPath: path.string))
        }
        guard contents == Self.good else {
            throw CheckFailure("A good document has other contents than the provider's.", detail: "\(contents.count)")
        }
    }
}
