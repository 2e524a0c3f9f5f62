import DocumentClient
import DocumentModel
import Glibc
import Synchronization

/// Says on the terminal what a command waits for until it has a document: how far the download is, or who has the document,
/// when a second has passed in silence. Until then the download can be given up (Ctrl-C).
final class WaitNotice: Sendable {
    private let location: Location
    private let bar: ProgressBar
    private let isWaiting = Atomic(true)
    private let isDownloading = Atomic(false)

    /// People wonder after about so long.
    private static let silence = Duration.seconds(1)

    init(_ location: Location) {
        self.location = location
        bar = ProgressBar("Downloading \(location)")
    }

    func report(_ progress: TransferProgress) {
        isDownloading.store(true, ordering: .relaxed)
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
        var told = ""
        while true {
            do { try await Task.sleep(for: Self.silence) } catch { return }
            guard isSilent else { continue }
            let reason = await reason(client)
            guard isSilent, reason != told else { continue }
            told = reason
            Console.complain(ErrorText.visible(reason))
        }
    }

    private var isSilent: Bool { isWaiting.load(ordering: .relaxed) && !isDownloading.load(ordering: .relaxed) }

    private func reason(_ client: DocumentClient) async -> String {
        do throws(DocumentError) {
            let process = "(process \(getpid()))"
            let waits = try await client.coordinationStatus().waits
            // This command is who waits, and not one of those who are waited for.
            let own = waits.first { $0.split(separator: " waits to ", maxSplits: 1).first?.contains(process) == true }
            if let own { return "docent: " + own }
            let item = try await client.status(location).items.first { $0.location == location }
            if item?.transfers.download?.wait == .resume {
                return "docent: \(location) is paused: docent resume \(location), or what is paused around it."
            }
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

/// Runs a closure that waits for a document, and says meanwhile on a terminal what for. It says when the document is there.
func whileWaiting<Value>(
    for location: Location, _ client: DocumentClient, _ body: (WaitNotice) async throws -> Value
) async throws -> Value {
    let notice = WaitNotice(location)
    Interruption.begin()
    defer { notice.end() }
    guard Console.errorsGoToATerminal else { return try await body(notice) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await notice.watch(client) }
        defer { group.cancelAll() }
        return try await body(notice)
    }
}
