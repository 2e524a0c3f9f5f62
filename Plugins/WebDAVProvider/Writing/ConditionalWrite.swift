internal import DocumentModel
internal import Logging
internal import NIOHTTP1

/// Sends contents under a condition that the server keeps atomically: what is new replaces exactly what the change began
/// from, or nothing.
struct ConditionalWrite: Sendable {
    private static let mostAttempts = 5

    let link: ServerLink
    let logger: Logger
    var hasExactTags = false
    /// An earlier run may have sent it.
    var wasBegun = false
    var isWaiting: @Sendable () -> Void = {}
    /// Before something is sent whose answer may be lost.
    let noteBegun: @Sendable () throws -> Void

    /// - Parameters:
    ///   - path: where the document is, or is to be.
    ///   - base: nil for a new document.
    /// - Returns: what was made, or why not.
    func put(_ contents: FileParts, to path: RemotePath, base: ItemVersion?) async throws -> ClaimedWrite.Outcome {
        var mayBeThere = wasBegun
        var failures = 0
        while true {
            var condition = ("If-None-Match", "*")
            if let base {
                guard let look = try await link.lookIfThere(path) else { return .refused(.gone) }
                guard try look.properties.version(at: path).satisfies(base) else {
                    if let made = try await madeBefore(contents, path, look.properties) { return .done(made) }
                    return .refused(.changed)
                }
                guard let tag = try await settledTag(look, path) else { continue }
                condition = ("If-Match", tag)
            } else if let there = try await link.lookIfThere(path)?.properties {
                if mayBeThere, let made = try await madeBefore(contents, path, there) { return .done(made) }
                return .refused(.taken)
            }
            try noteBegun()
            mayBeThere = true
            let answer = try await link.change(
                ServerRequest(
                    method: .PUT, path: path, headers: [condition], body: .file(contents), timeout: nil),
                isRepeatable: false)
            if answer.isSuccess, case .status(_, let tag) = answer {
                if let made = try await made(contents, path, tag) { return .done(made) }
                return .refused(.changed)
            }
            logger.debug("A change was not made.", metadata: ["document": "\(path.quoted)", "answer": "\(answer)"])
            // Looked at again, it is either there, or another version is, or it can be tried once more.
            failures += 1
            guard failures < Self.mostAttempts else { throw answer.failure }
            isWaiting()
            try await link.pause(after: answer, atLeast: .milliseconds(50 << failures))
        }
    }

    /// The tag of the version that was looked at, when it is that version's alone (RS-2); nil to look again.
    private func settledTag(_ look: ServerLink.Look, _ path: RemotePath) async throws -> String? {
        guard let tag = look.properties.tag?.condition else {
            isWaiting()
            try await link.timing.pause(.milliseconds(500))
            guard let later = try await link.lookIfThere(path)?.properties.tag?.condition else {
                throw ServerFailure.unusable("it gives \(path.quoted) no strong tag")
            }
            return later == look.properties.tag?.condition ? later : nil
        }
        if hasExactTags || look.isSettled(after: link.timing.settling) ?? true { return tag }
        isWaiting()
        try await link.timing.pause(.milliseconds(500))
        return nil
    }

    /// What was just sent, as it is on the server; nil when somebody has changed it since.
    private func made(_ contents: FileParts, _ path: RemotePath, _ tag: EntityTag?) async throws -> Properties? {
        guard let there = try await link.lookIfThere(path)?.properties else { return nil }
        if let tag, tag == there.tag, there.length ?? contents.length == contents.length { return there }
        return try await madeBefore(contents, path, there)
    }

    /// Equal contents are no conflict, whoever wrote them.
    private func madeBefore(
        _ contents: FileParts, _ path: RemotePath, _ there: Properties
    ) async throws -> Properties? {
        guard !there.isFolder, there.length ?? contents.length == contents.length,
            try await link.hasContents(path, of: contents),
            let after = try await link.lookIfThere(path)?.properties, after.contentVersion == there.contentVersion
        else { return nil }
        return after
    }
}
