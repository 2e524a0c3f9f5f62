import DocumentClient
import DocumentModel
import Foundation
import Testing

/// What tests of picker sessions share: a machine with domains to choose in.
protocol PickerSuite {}

extension PickerSuite {
    /// A machine with `work` (a folder), `book` (a provider that writes down what it is asked) and `drop` (a drop box).
    func withDomains(
        settings: [String] = [], _ body: (Machine, DocumentClient) async throws -> Void
    ) async throws {
        try await Machine.with { (machine: Machine) async throws in
            try machine.installRecordingProvider()
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/Letters", withIntermediateDirectories: false)
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.write("two\n", to: machine.remote + "/Letters/two.txt")
            try machine.write("no picture", to: machine.remote + "/photo.png")
            try machine.write("a report", to: machine.folder + "/work/report.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let more = settings.flatMap { ["--set", $0] }
            let added = try machine.run(
                machine.folder + "/bin/docent",
                ["domain", "add", "book", "--provider", "org.example.recording"] + more)
            try #require(added.status == 0, "\(added.errors)\n\(machine.logTail)")
            try machine.succeed("domain", "add", "drop", "--provider", "org.example.drop-box")
            try await machine.client { try await body(machine, $0) }
        }
    }

    func root(_ session: PickerSession, _ domain: String) throws -> PickerEntryID {
        try #require(session.roots.first { $0.domain.rawValue == domain }).id
    }

    /// A folder's entries by name, when the provider has told all of them.
    func entries(_ session: PickerSession, _ folder: PickerEntryID) async throws -> [String: PickerEntry] {
        for _ in 0..<100 {
            let listing = try await session.listing(of: folder)
            if listing.isLoading {
                try await Task.sleep(for: .milliseconds(50))
                continue
            }
            return Dictionary(
                uniqueKeysWithValues: listing.entries.map { ($0.status.item.name?.rawValue ?? "", $0) })
        }
        return [:]
    }

    func code(_ body: () async throws -> some Any) async -> DocumentError.Code? { await failure(body)?.code }

    func failure(_ body: () async throws -> some Any) async -> DocumentError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? DocumentError
        }
    }
}
