import DocumentModel

/// The program of a connected process, as the kernel tells it.
package enum ToolProgram: Hashable, Sendable {
    /// `path`: what it was started from, where that has not been moved since; ` (deleted)` is behind it when the file has
    /// no name any more.
    case known(path: String, file: ProgramFile)
    /// One sentence.
    case unknown(reason: String)
}

/// A file, whatever it is called.
package struct ProgramFile: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// Who a host tool is taken for, and so whose rights it has.
enum ToolStanding: Hashable, Sendable {
    /// The user's own program, which may do what the user may.
    case user
    /// Its manifest says what it may do.
    case registered(ToolIdentifier)
    /// It may do nothing, for the reason that the sentence says.
    case nobody(String)
}

/// Tells who a process is by its program. Without I/O.
struct ToolIdentification {
    /// A registered program, and the file that its path names now; nil when there is none.
    struct Registered {
        var tool: ToolIdentifier
        var path: String
        var file: ProgramFile?
    }

    var registered: [Registered]
    /// Our own command line.
    var ownPrograms: [ProgramFile]
    /// Whether a program that nobody registered counts as the user's own.
    var admitsUnregistered: Bool

    private static let deleted = " (deleted)"

    func standing(of program: ToolProgram) -> ToolStanding {
        guard case .known(let path, let file) = program else {
            guard case .unknown(let reason) = program else { return .nobody("") }
            return .nobody("It is not known which program asks, so it may do nothing: \(reason)")
        }
        if let tool = registered.first(where: { $0.file == file }) { return .registered(tool.tool) }
        // Replaced since it was started, as by an update, or on purpose: what runs is not what is registered by now. It must
        // not get more rights by that.
        let named = path.hasSuffix(Self.deleted) ? String(path.dropLast(Self.deleted.count)) : path
        if let tool = registered.first(where: { $0.path == named || $0.path == path }) {
            return .nobody(
                "The program of \(tool.tool), \(named), was replaced since it was started: end it and start it anew.")
        }
        if ownPrograms.contains(file) || admitsUnregistered { return .user }
        return .nobody(
            "\(named) is not registered, and this host serves registered tools only: “docent tool register” takes its manifest."
        )
    }
}
