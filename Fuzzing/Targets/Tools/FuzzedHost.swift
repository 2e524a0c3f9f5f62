import DocumentHost
import DocumentModel
import DocumentService
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Glibc
import Logging
import SystemPackage

/// A whole host in a temporary folder, with a domain of a few documents whose provider is at the other end of a transport in
/// memory for as long as an input is played.
///
/// It stays from input to input, as a daemon does from tool to tool: what one input leaves, the next one finds.
final class FuzzedHost: Sendable {
    let loop = EventLoop(name: "fuzzed-host")
    private let host: DocumentHost
    private let control = DaemonControl(version: "fuzz")
    private static let quiet = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    /// How long a request may wait for others: those are this input's own.
    private static let patience = Deadline.total(.milliseconds(30))

    private static let manifest = """
        identifier = "org.example.test"
        name = "Test"
        version = "1.0"
        executable = "none"
        protocol-versions = [1]
        modes = ["import", "open", "export", "move"]
        capabilities = ["modifying", "ranges", "thumbnails"]
        """

    /// Of the registered tool: its program is one that every machine has, and that is never run.
    private static let toolProgram = "/bin/sh"
    private static let toolManifest = """
        identifier = "org.example.tool"
        name = "Tool"
        executable = "\(toolProgram)"
        domains = ["work"]
        """
    private let toolManifestPath: FilePath
    private let toolFile: ProgramFile

    /// The fixture's folder is removed with it: it is kept for as long as the host.
    private nonisolated(unsafe) let fixture: StorageFixture

    init() throws {
        fixture = try StorageFixture()
        try fixture.tell(
            try fixture.item("f", "f", kind: .folder), try fixture.item("p", "p.pkg", kind: .package),
            try fixture.item("a", "a.txt", contents: "a"), try fixture.item("b", "b.txt", in: "f", contents: "b"),
            try fixture.item("c", "c.txt", in: "p", contents: "c"), try fixture.item("away", "away.txt"))
        for (id, name, folder) in [("a", "a.txt", "/"), ("b", "b.txt", "f")] {
            try fixture.provide(try fixture.item(id, name, in: folder, contents: id), id)
        }
        try fixture.root.close()
        let bundle = fixture.folder.appending("bundle")
        guard mkdir(bundle.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        try TemporaryFile.write(Self.manifest, to: bundle.appending("provider.toml"))
        let program = bundle.appending("none")
        try TemporaryFile.write("", to: program)
        // What cannot be run is no provider, and its domain is none that can be used.
        guard chmod(program.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        toolManifestPath = fixture.folder.appending("tool.toml")
        try TemporaryFile.write(Self.toolManifest, to: toolManifestPath)
        var status = stat()
        guard stat(Self.toolProgram, &status) == 0 else { throw Errno(rawValue: errno) }
        toolFile = ProgramFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        var configuration = DocumentHost.Configuration(
            root: fixture.rootPath, providerFolders: [], providerBundles: [bundle],
            trampoline: fixture.folder.appending("no-trampoline"), software: "fuzz")
        configuration.parts = WellKnownDocuments.parts
        host = try DocumentHost(configuration, loop: loop, logger: Self.quiet)
        Task(executorPreference: loop) { [host] in await host.run() }
    }

    /// Connects a tool, has it ask what the script says, and ends it.
    ///
    /// - Returns: what did not hold; nil when all did.
    func play(_ script: ToolScript) async -> String? {
        let (one, two) = MemoryEnd.pair(loop: loop)
        var configuration = Connection.Configuration(role: .initiator)
        configuration.context = ToolIdentity(name: "fuzz").serialized()
        let connection = Connection(end: one, loop: loop, configuration: configuration, logger: Self.quiet)
        let served = ToolConnection(host: host, loop: loop, control: control, logger: Self.quiet)
        // An input before this one may have unregistered it.
        if script.isRegistered { _ = try? await host.registerTool(toolManifestPath) }
        let program: ToolProgram =
            script.isRegistered
            ? .known(path: Self.toolProgram, file: toolFile)
            : .known(path: "/usr/bin/fuzz", file: ProgramFile(device: 0, inode: 0))
        let provider = ScriptedProvider([], ledger: DocumentLedger())
        await withTaskGroup(of: Void.self) { group in
            let behind = provide(with: provider, in: &group)
            defer { behind.close(nil) }
            group.addTask {
                await served.serve(two, processID: 1, program: program)
            }
            do throws(DocumentError) {
                _ = try await connection.open()
            } catch {
                connection.close(nil)
                return
            }
            group.addTask { _ = await connection.run(ScriptedTool(manners: script.manners)) }
            await ask(script, connection, provider)
            if script.endsInOrder { await connection.shutdown(grace: .seconds(1)) } else { connection.close(nil) }
        }
        // What was held is free soon after the tool has gone.
        for _ in 0..<2_000 {
            guard host.claimCount > 0 else { break }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return host.claimCount == 0 ? nil : "\(host.claimCount) claims are held, and no tool is connected."
    }

    /// Has the domain's provider be there until the connection that is returned is closed.
    private func provide(with provider: ScriptedProvider, in group: inout TaskGroup<Void>) -> Connection {
        let (ours, theirs) = MemoryEnd.pair(loop: loop)
        let connection = Connection(
            end: theirs, loop: loop, configuration: Connection.Configuration(role: .responder, preface: .sends),
            logger: Self.quiet)
        provider.connect(to: connection)
        group.addTask { [host, domain = fixture.domain] in
            _ = await host.serve(domain, over: ours)
            ours.close()
        }
        group.addTask {
            let capabilities = SessionCapabilities(capabilities: [.modifying, .ranges, .thumbnails])
            guard (try? await connection.open(reply: { _ in capabilities.serialized() })) != nil else { return }
            _ = await connection.run(provider)
        }
        return connection
    }

    private func ask(_ script: ToolScript, _ connection: Connection, _ provider: ScriptedProvider) async {
        let held = HeldNumbers()
        await withDiscardingTaskGroup { group in
            for step in script.steps {
                let body = held.adapt(step.body)
                guard let body else { continue }
                if let mishap = step.mishap { provider.add(mishap) }
                @Sendable func ask() async {
                    guard let answer = try? await connection.request(body, deadline: Self.patience),
                        let reply = try? ServiceReply(serialized: answer)
                    else { return }
                    held.take(reply)
                }
                if step.isBeside { group.addTask { await ask() } } else { await ask() }
            }
        }
    }
}
