import DocumentModel
import DocumentStorage
import DocumentTransport
import Glibc
import ProviderLauncher
import Synchronization
import SystemPackage

/// The registered tools, where containers are, and which of them each connection has opened.
final class ToolRegistry: Sendable {
    private struct State {
        var tools: [ToolIdentifier: ToolDescription] = [:]
        var containerPlace: Location?
        /// By connection.
        var opened: [UInt64: Set<ContainerIdentifier>] = [:]
        /// By registered programs' paths: what looks there, and what was found last.
        var looks: [String: UnboundedCalls] = [:]
        var seen: [String: ProgramFile] = [:]
    }

    /// How long a registered program is looked at.
    private static let patience = Duration.seconds(1)

    private let state = Mutex(State())
    private let ownPrograms: [FilePath]
    private let admitsUnregistered: Bool
    private let look: @Sendable (FilePath) -> ProgramFile?

    /// - Parameter look: says which file a registered program's path names. May block, for ever.
    init(
        ownPrograms: [FilePath], admitsUnregistered: Bool,
        look: @escaping @Sendable (FilePath) -> ProgramFile? = { ToolRegistry.file($0) }
    ) {
        self.ownPrograms = ownPrograms
        self.admitsUnregistered = admitsUnregistered
        self.look = look
    }

    /// - Returns: what is wrong with registrations that cannot be used: those tools may do nothing.
    func load(_ records: [ToolRecord], containerPlace: Location?) -> [String] {
        var problems: [String] = []
        for record in records {
            do throws(DocumentError) {
                var tool = try ToolManifest.tool(text: record.manifest, file: record.id.rawValue, folder: "/")
                tool.executable = record.executable
                state.withLock { $0.tools[record.id] = tool }
            } catch {
                problems.append("The tool \(record.id) may do nothing: \(error.message) Register it anew.")
                guard let nothing = try? Entitlements() else { continue }
                let tool = ToolDescription(
                    id: record.id, name: record.id.rawValue, executable: record.executable, entitlements: nothing)
                state.withLock { $0.tools[record.id] = tool }
            }
        }
        state.withLock { $0.containerPlace = containerPlace }
        return problems
    }

    var all: [ToolDescription] { state.withLock { $0.tools.values.sorted { $0.id < $1.id } } }

    func find(_ id: ToolIdentifier) -> ToolDescription? { state.withLock { $0.tools[id] } }

    func add(_ tool: ToolDescription) { state.withLock { $0.tools[tool.id] = tool } }

    func remove(_ id: ToolIdentifier) { state.withLock { $0.tools[id] = nil } }

    /// Looks at the registered programs on disk. One that gives no answer, as on a network that is gone, keeps no tool waiting for
    /// long: it is what was found there last.
    ///
    /// - Returns: by their paths.
    func registeredFiles(within patience: Duration = ToolRegistry.patience) async -> [String: ProgramFile] {
        let paths = Set(all.map(\.executable))
        return await withTaskGroup(of: (String, ProgramFile?).self) { group in
            for path in paths { group.addTask { (path, await self.file(of: path, within: patience)) } }
            var files: [String: ProgramFile] = [:]
            for await (path, file) in group { files[path] = file }
            return files
        }
    }

    private func file(of path: String, within patience: Duration) async -> ProgramFile? {
        let (looks, before) = state.withLock { state in
            // One that hangs is not repeated for each tool.
            let looks = state.looks[path] ?? UnboundedCalls(name: "docent-lookup", mostHanging: 1)
            state.looks[path] = looks
            return (looks, state.seen[path])
        }
        let answer: ProgramFile?? = try? await looks.run(within: patience) { [look] in look(FilePath(path)) }
        guard let found = answer else { return before }
        state.withLock { $0.seen[path] = found }
        return found
    }

    /// Blocks.
    ///
    /// - Parameter files: of ``registeredFiles(within:)``.
    func standing(of program: ToolProgram, registeredFiles files: [String: ProgramFile]) -> ToolStanding {
        ToolIdentification(
            registered: all.map {
                ToolIdentification.Registered(tool: $0.id, path: $0.executable, file: files[$0.executable])
            }, ownPrograms: ownPrograms.compactMap(Self.file), admitsUnregistered: admitsUnregistered
        ).standing(of: program)
    }

    private static func file(_ path: FilePath) -> ProgramFile? {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return nil }
        return ProgramFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    // MARK: Containers

    var containerPlace: Location? {
        get { state.withLock { $0.containerPlace } }
        set { state.withLock { $0.containerPlace = newValue } }
    }

    func opened(_ container: ContainerIdentifier, by connection: UInt64) {
        state.withLock { _ = $0.opened[connection, default: []].insert(container) }
    }

    func end(_ connection: UInt64) { state.withLock { $0.opened[connection] = nil } }

    /// What a registered tool may do; nil when it is registered no more.
    func authority(of id: ToolIdentifier, connection: UInt64) -> ToolAuthority? {
        state.withLock { state in
            guard let tool = state.tools[id] else { return nil }
            return ToolAuthority(
                tool: tool, containerPlace: state.containerPlace, opened: state.opened[connection] ?? [],
                publicContainers: state.tools.values.flatMap(\.publicContainers))
        }
    }
}
