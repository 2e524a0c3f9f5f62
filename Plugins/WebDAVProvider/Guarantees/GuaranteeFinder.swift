internal import DocumentModel
internal import SystemPackage

/// Has a server tried once, and keeps what came of it in the provider's state (RS-1). It makes a folder on the server for
/// some seconds.
struct GuaranteeFinder: Sendable {
    let settings: WebDAVSettings
    let stateFolder: FilePath
    var timing = Timing()
    /// How many rounds of each race; tests have fewer.
    var rounds = 200

    /// What is known of the server, tried now unless it was before.
    ///
    /// - Parameter isGettingOn: told how far it is, in percent.
    /// - Throws: `ServerFailure`, `DocumentError`, `Errno`, or `CancellationError`.
    func find(isGettingOn: @escaping @Sendable (Int) -> Void = { _ in }) async throws -> Certificate {
        var own = settings
        // All that race have a connection of their own, so that they begin at the same moment.
        own.connections = 3 * Probe.racers
        let link = try ServerLink(own, timing: timing)
        do {
            let certificate = try await find(link, isGettingOn)
            await link.close()
            return certificate
        } catch {
            await link.close()
            throw error
        }
    }

    private func find(
        _ link: ServerLink, _ isGettingOn: @escaping @Sendable (Int) -> Void
    ) async throws -> Certificate {
        let software = try await link.ask(.properties(of: .root, depth: 0, asFolder: true), accepting: [207]) {
            answer in
            await answer.discard(within: link.timing.silence)
            return answer.header("Server") ?? ""
        }
        let note = TrialNote(in: stateFolder)
        let known = note.names
        let left = await Self.clear(known, on: link)
        if left != known { try? note.write(left) }
        let subject = Certificate.subject(address: settings.address, software: software)
        if let certificate = Certificate.read(in: stateFolder), certificate.subject == subject { return certificate }
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        try note.write(left + [name])
        let probe = Probe(
            link: link, rounds: rounds, isGettingOn: isGettingOn, isGone: { [left] in _ = try? note.write(left) })
        let certificate = Certificate(subject: subject, findings: try await probe.run(name: name))
        try certificate.write(in: stateFolder)
        return certificate
    }

    /// Removes what was left by those who were cut off, all at once: one that the server gives no answer for keeps no other there.
    ///
    /// - Parameter names: the last parts of the folders' names.
    /// - Returns: those that may be there still.
    private static func clear(_ names: [String], on link: ServerLink) async -> [String] {
        let gone = await withTaskGroup(of: String?.self) { group in
            for name in names {
                group.addTask {
                    guard let folder = try? Probe.folder(named: name) else { return nil }
                    return await Probe.clear(folder, on: link) ? name : nil
                }
            }
            var gone: Set<String> = []
            for await name in group {
                if let name { gone.insert(name) }
            }
            return gone
        }
        return names.filter { !gone.contains($0) }
    }
}
