internal import DocumentModel
internal import Logging

extension ServerLink {
    /// Gives what was taken away its place again, or another name where somebody else has taken that.
    func restore(
        _ old: RemotePath, to source: RemotePath, asFolder: Bool = false, _ logger: Logger
    ) async throws {
        for attempt in 0..<ClaimedWrite.mostAttempts {
            let answer = try await move(old, to: source, asFolder: asFolder)
            if answer.isSuccess { return }
            guard try await lookIfThere(old) != nil else { return }
            if try await lookIfThere(source) != nil {
                let kept = try await keep(old, beside: source, asFolder: asFolder, logger)
                guard kept.isSuccess else { throw kept.failure }
                return
            }
            guard attempt + 1 < ClaimedWrite.mostAttempts else { throw answer.failure }
            try await pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
    }

    /// So that no version that somebody wrote is lost.
    func keep(
        _ old: RemotePath, beside source: RemotePath, asFolder: Bool = false, _ logger: Logger
    ) async throws -> Answer {
        guard let folder = source.parent, let name = source.name else { return .status(409, tag: nil) }
        let mark = String(UInt32(truncatingIfNeeded: timing.mark()), radix: 36)
        let kept = folder.appending(try RemoteName.kept(name, mark))
        logger.warning(
            "\(source.quoted) was written by another program meanwhile; what was there is kept as \(kept.quoted).")
        return try await move(old, to: kept, asFolder: asFolder)
    }
}

extension RemoteName {
    /// “report.txt” to “report (kept by Docent, x1).txt”.
    fileprivate static func kept(_ name: RemoteName, _ mark: String) throws(DocumentError) -> RemoteName {
        let text = name.shown.rawValue
        let dot = text.lastIndex(of: ".").flatMap { $0 == text.startIndex ? nil : $0 } ?? text.endIndex
        let addition = " (kept by Docent, \(mark))"
        var stem = text[..<dot]
        while stem.utf8.count + addition.utf8.count + text[dot...].utf8.count > ItemName.maximumLength, !stem.isEmpty {
            stem = stem.dropLast()
        }
        return try RemoteName(stem + addition + text[dot...])
    }
}
