import DocumentHost
import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Glibc
import Logging
import SystemPackage

/// A whole host in a temporary folder with one domain, whose provider is at the other end of a transport in memory.
final class FuzzedDomain: Sendable {
    private let host: DocumentHost
    private let loop: EventLoop
    private let running: Task<Void, Never>
    private let domain: DomainName
    private let folder: FilePath
    private let ledger = DocumentLedger()
    private static let quiet = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    private static let manifest = """
        identifier = "\(WellKnownDocuments.provider)"
        name = "Test"
        version = "1.0"
        executable = "none"
        protocol-versions = [1]
        modes = ["import", "open", "export", "move"]
        capabilities = ["modifying", "changes", "ranges", "picker", "sign-in", "thumbnails"]
        """

    /// The fixture's folder is removed with it: it is kept for as long as the host.
    private nonisolated(unsafe) let fixture: StorageFixture

    init(loop: EventLoop) throws {
        self.loop = loop
        fixture = try StorageFixture()
        domain = fixture.domain
        folder = fixture.folder
        try fixture.root.close()
        let bundle = folder.appending("bundle")
        guard mkdir(bundle.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        try TemporaryFile.write(Self.manifest, to: bundle.appending("provider.toml"))
        let program = bundle.appending("none")
        try TemporaryFile.write("", to: program)
        // What cannot be run is no provider, and its domain is none that can be used.
        guard chmod(program.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        var configuration = DocumentHost.Configuration(
            root: fixture.rootPath, providerFolders: [], providerBundles: [bundle],
            trampoline: folder.appending("no-trampoline"), software: "fuzz")
        configuration.parts = WellKnownDocuments.parts
        let host = try DocumentHost(configuration, loop: loop, logger: Self.quiet)
        self.host = host
        running = Task(executorPreference: loop) { await host.run() }
    }

    /// Ends the host; the folder goes with the last reference.
    func end() async {
        running.cancel()
        await running.value
    }

    /// Has a provider serve that does what the script says, and callers do what it says.
    ///
    /// - Returns: what did not hold; nil when all did.
    func play(_ script: DomainScript) async -> String? {
        let (ours, theirs) = MemoryEnd.pair(loop: loop)
        let connection = Connection(
            end: theirs, loop: loop, configuration: Connection.Configuration(role: .responder, preface: .sends),
            logger: Self.quiet)
        let provider = ScriptedProvider(script.answers, ledger: ledger)
        provider.connect(to: connection)
        let complaint = await withTaskGroup(of: String?.self) { group -> String? in
            group.addTask { [host, domain] in
                // Of what a provider does wrong the host says what it is.
                let end = await host.serve(domain, over: ours)
                ours.close()
                return end?.message.isEmpty == true ? "The provider's end has no words." : nil
            }
            let capabilities = SessionCapabilities(
                capabilities: [.modifying, .changes, .ranges, .picker, .signIn, .thumbnails, .versions])
            do throws(DocumentError) {
                _ = try await connection.open(reply: { _ in capabilities.serialized() })
            } catch {
                connection.close(nil)
                return "The host's hello was none: \(error)"
            }
            group.addTask {
                _ = await connection.run(provider)
                return nil
            }
            let callers = DomainCallers(host: host, domain: domain, ledger: ledger, work: folder)
            let complaint = await callers.perform(script.acts)
            connection.close(nil)
            return await group.reduce(complaint) { $0 ?? $1 }
        }
        // What was held is free soon after the caller has gone.
        for _ in 0..<24_000 {
            guard host.claimCount > 0 else { break }
            try? await Task.sleep(for: .milliseconds(5))
        }
        if host.claimCount > 0 { return "\(host.claimCount) claims are held, and nobody uses a document." }
        if let complaint { return complaint }
        return await lost()
    }

    /// What a caller has written and no provider has taken is somewhere in the storage root.
    private func lost() async -> String? {
        let unsent = ledger.unsent
        guard !unsent.isEmpty else { return nil }
        var lost = unsent
        // A file that is moved while all are looked at may not be seen.
        for _ in 0..<20 {
            lost = ledger.unsent.intersection(lost).subtracting(DocumentLedger.allContents(below: host.rootPath.string))
            if lost.isEmpty { return nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return lost.first.map { "What a caller wrote is lost: \(String(decoding: $0, as: UTF8.self))" }
    }
}
