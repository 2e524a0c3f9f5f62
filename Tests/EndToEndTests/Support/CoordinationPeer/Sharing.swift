import DocumentClient
import DocumentModel
import Foundation
import Glibc

/// One of several who edit the same documents of a server, each through a host of its own: in each round it adds a line to
/// every document, and has it sent. What both have changed it joins, from the two contents that are kept.
struct Sharing: Sendable {
    let client: DocumentClient
    let domain: String
    let documents: Int
    let rounds: Int
    let name: String
    /// Where each line that is safe is noted: "4 ann-17".
    let log: Int32

    func run() async throws {
        for round in 0..<rounds {
            try? await client.refresh(try Location("\(domain):/"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for document in 0..<documents {
                    group.addTask { try await edit(document, "\(name)-\(round)") }
                }
                try await group.waitForAll()
            }
            say("round \(round)")
        }
    }

    private func edit(_ document: Int, _ line: String) async throws {
        let location = try Location("\(domain):/\(document).txt")
        try await patiently("the edit of \(location)") {
            let status = try? await client.item(at: location)
            if status?.state == .conflict { try await join(location) }
            try await FileCoordinator(client).coordinate(writingItemAt: location) { path, item in
                guard let text = try? String(contentsOfFile: path.string, encoding: .utf8) else {
                    throw DocumentError(
                        .contractBroken, "\(location) was granted for writing, and cannot be read at \(path): \(item)")
                }
                try replace(path.string, with: text + line + "\n")
            }
        }
        let note = Array("\(document) \(line)\n".utf8)
        _ = Glibc.write(log, note, note.count)
        try await patiently("the sending of \(location)") {
            do {
                try await client.waitUntilSent(location)
            } catch let error as DocumentError where error.code == .inConflict {
                try await join(location)
                throw error
            }
        }
    }

    /// Both contents are kept and shown: every line of both goes into ours, which is then kept.
    private func join(_ location: Location) async throws {
        let status = try await client.knownItem(at: location)
        guard status.state == .conflict else { return }
        guard let other = status.conflictPath else {
            throw DocumentError(.contractBroken, "\(location) is in conflict, and the other side is not shown.")
        }
        let theirs = try String(contentsOfFile: other, encoding: .utf8).split(separator: "\n")
        try await FileCoordinator(client).coordinate(writingItemAt: location) { path, _ in
            let ours = try String(contentsOfFile: path.string, encoding: .utf8).split(separator: "\n")
            let missing = ours.filter { !theirs.contains($0) }
            try replace(path.string, with: (theirs + missing).joined(separator: "\n") + "\n")
        }
        try await client.resolveConflict(at: location, keeping: .local)
        say("joined \(location)")
    }

    private func replace(_ path: String, with text: String) throws {
        let new = "\(path).\(name)-\(UInt32.random(in: 0 ... .max))"
        try text.write(toFile: new, atomically: false, encoding: .utf8)
        guard rename(new, path) == 0 else {
            throw DocumentError(.internal, "\(path) cannot be replaced: errno \(errno).")
        }
    }

    /// What fails for a while is done again.
    private func patiently(_ what: String, _ body: () async throws -> Void) async throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while true {
            do {
                return try await body()
            } catch let error as DocumentError {
                guard ContinuousClock.now < deadline, error.code != .contractBroken else {
                    throw DocumentError(error.code, "\(what) has not worked: \(error.message)", causes: error.causes)
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 50..<300)))
            }
        }
    }
}
