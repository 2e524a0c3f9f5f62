import DocumentClient
import DocumentModel
import Glibc
import Synchronization

/// Says what a command waits for until it has a document: how far the download is, or who has the document, when a second has
/// passed in silence. Where nobody looks on at a terminal, only that it is paused: that ends by nothing but somebody's word.
/// Until then the download can be given up (Ctrl-C).
final class WaitNotice: Sendable {
    private let location: Location
    private let bar: ProgressBar
    private let isWaiting = Atomic(true)
    /// How often it was heard how far the download is.
    private let reports = Atomic<UInt64>(0)

    /// People wonder after about so long.
    private static let silence = Duration.seconds(1)
    /// Nobody is at a terminal: what was said once is looked at again more and more seldom.
    private static let longestSilence = Duration.seconds(30)

    init(_ location: Location) {
        self.location = location
        bar = ProgressBar("Downloading \(location)")
    }

    func report(_ progress: TransferProgress) {
        reports.add(1, ordering: .relaxed)
        bar.report(progress)
    }

    /// The document is there, or will not be.
    func end() {
        guard isWaiting.exchange(false, ordering: .relaxed) else { return }
        Interruption.end()
        bar.end()
    }

    /// Until the task is cancelled.
    func watch(_ client: DocumentClient) async {
        let isTerminal = Console.errorsGoToATerminal
        var (told, heard, pause) = ("", UInt64(0), Self.silence)
        while true {
            do { try await Task.sleep(for: pause) } catch { return }
            guard isSilent(since: heard) else {
                heard = reports.load(ordering: .relaxed)
                continue
            }
            if !isTerminal { pause = min(pause * 2, Self.longestSilence) }
            let paused = (try? await PauseNotice.text(for: location, client)).map { "docent: " + $0 }
            // How far it is stands on the terminal once something has come.
            var reason = paused
            if reason == nil, isTerminal, heard == 0 { reason = await self.reason(client) }
            guard let reason, isSilent(since: heard), reason != told else { continue }
            told = reason
            bar.say(ErrorText.visible(reason))
        }
    }

    private func isSilent(since heard: UInt64) -> Bool {
        isWaiting.load(ordering: .relaxed) && reports.load(ordering: .relaxed) == heard
    }

    private func reason(_ client: DocumentClient) async -> String {
        do throws(DocumentError) {
            let process = "(process \(getpid()))"
            let waits = try await client.coordinationStatus().waits
            // This command is who waits, and not one of those who are waited for.
            let own = waits.first { $0.split(separator: " waits to ", maxSplits: 1).first?.contains(process) == true }
            if let own { return "docent: " + own }
            guard let domain = try await client.domains().first(where: { $0.name == location.domain }) else {
                return general
            }
            if let problem = domain.problem { return "docent: Waiting for \(location): \(problem.message)" }
            guard domain.providerState == .running else {
                return
                    "docent: Waiting for \(location): the provider of \(domain.name) is \(DomainListing.state(of: domain))."
            }
            return general
        } catch {
            return general
        }
    }

    private var general: String {
        "docent: Waiting until the provider of \(location.domain) has answered for \(location)."
    }
}

/// Runs a closure that waits for a document, and says meanwhile what for. It says when the document is there.
func whileWaiting<Value>(
    for location: Location, _ client: DocumentClient, _ body: (WaitNotice) async throws -> Value
) async throws -> Value {
    let notice = WaitNotice(location)
    Interruption.begin()
    defer { notice.end() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await notice.watch(client) }
        defer { group.cancelAll() }
        return try await body(notice)
    }
}
