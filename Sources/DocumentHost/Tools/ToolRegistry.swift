import DocumentModel
import DocumentStorage
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
    }

    private let state = Mutex(State())
    private let ownPrograms: [FilePath]
    private let admitsUnregistered: Bool

    init(ownPrograms: [FilePath], admitsUnregistered: Bool) {
        self.ownPrograms = ownPrograms
        self.admitsUnregistered = admitsUnregistered
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

    /// Looks at the registered programs on disk. Blocks.
    func standing(of program: ToolProgram) -> ToolStanding {
        ToolIdentification(
            registered: all.map {
                ToolIdentification.Registered(
                    tool: $0.id, path: $0.executable, file: Self.file(FilePath($0.executable)))
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
