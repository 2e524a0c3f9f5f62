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
        // What the server has made of contents that were sent, and is something else.
        var damaged: EntityTag?
        while true {
            var condition = ("If-None-Match", "*")
            let look = try await link.lookIfThere(path)
            if let damaged, let look, look.properties.tag == damaged {
                guard let tag = try await settledTag(look, path) else { continue }
                condition = ("If-Match", tag)
            } else if let base {
                guard let look else { return .refused(.gone) }
                guard try look.properties.version(at: path).satisfies(base) else {
                    if let made = try await madeBefore(contents, path, look.properties) { return .done(made) }
                    return .refused(.changed)
                }
                guard let tag = try await settledTag(look, path) else { continue }
                condition = ("If-Match", tag)
            } else if let there = look?.properties {
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
                // RS-4: what a connection that ended has left is no measure for what is there now.
                switch try await made(contents, path, tag, isClean: failures == 0 && !wasBegun) {
                case .whole(let made): return .done(made)
                // Without a tag it is not said that anything was stored: what is there tells whether it was.
                case .another where tag == nil: break
                case .another: return .refused(.changed)
                case .damaged: damaged = tag
                }
            }
            logger.debug("A change was not made.", metadata: ["document": "\(path.quoted)", "answer": "\(answer)"])
            // Looked at again, it is either there, or another version is, or it can be tried once more.
            failures += 1
            guard failures < Self.mostAttempts else {
                throw damaged == nil ? answer.failure : ServerFailure.damaged
            }
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

    private enum Made {
        case whole(Properties)
        /// Of somebody else.
        case another
        /// The server says that it is what was sent, and it is not.
        case damaged
    }

    /// What is there of what was just sent.
    ///
    /// - Parameter isClean: it was sent once. Then the server's own strong tag and the length are enough: it was seen to put
    ///   contents in their place only when it has all of them.
    private func made(
        _ contents: FileParts, _ path: RemotePath, _ tag: EntityTag?, isClean: Bool
    ) async throws -> Made {
        guard let there = try await link.lookIfThere(path)?.properties else { return .another }
        let isOurs = tag?.condition != nil && tag == there.tag
        if isOurs, isClean, there.length ?? contents.length == contents.length { return .whole(there) }
        if let made = try await madeBefore(contents, path, there) { return .whole(made) }
        return isOurs ? .damaged : .another
    }

    /// Equal contents are no conflict, whoever wrote them.
    private func madeBefore(
        _ contents: FileParts, _ path: RemotePath, _ there: Properties
    ) async throws -> Properties? {
        guard !there.isFolder, there.length ?? contents.length == contents.length,
            try await link.hasContents(path, of: contents, isWaiting: isWaiting),
            let after = try await link.lookIfThere(path)?.properties, after.contentVersion == there.contentVersion
        else { return nil }
        return after
    }
}
