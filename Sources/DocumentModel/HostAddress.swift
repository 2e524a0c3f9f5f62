/// Where a host keeps its documents, and the socket on which it answers.
///
/// The daemon and every host tool work it out from the same environment by the same function, so they meet without
/// asking anybody.
public struct HostAddress: Hashable, Sendable {
    /// What a socket's address holds, without the closing NUL.
    public static let maximumSocketPathLength = 107

    /// The document storage root, as an absolute path without symbolic links.
    public let root: String
    /// The path of the host's Unix socket.
    public let socket: String

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when a path is not absolute, or the socket's is
    ///   longer than ``maximumSocketPathLength`` bytes.
    public init(root: String, socket: String) throws(DocumentError) {
        for path in [root, socket] where path.utf8.first != UInt8(ascii: "/") || path.utf8.contains(0) {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(path))” is not an absolute path: write it from the first slash on."
            )
        }
        guard socket.utf8.count <= Self.maximumSocketPathLength else {
            throw DocumentError(
                .invalidArgument,
                "The socket's path \(socket) has \(socket.utf8.count) bytes, and Linux takes \(Self.maximumSocketPathLength): set XDG_RUNTIME_DIR to a folder with a shorter path."
            )
        }
        self.root = root
        self.socket = socket
    }

    /// The host's folder below the root: index, staging, log.
    package var stateFolder: String { root + "/.docent" }

    /// Where a daemon that was started by a tool writes what it has to say.
    package var log: String { Self.log(below: root) }

    /// The same for any storage root.
    package static func log(below root: String) -> String { root + "/.docent/host.log" }

    /// What the address depends on, besides environment variables.
    package struct Surroundings {
        package var userID: UInt32
        /// The account's home folder, whatever `HOME` says.
        package var home: String
        /// Whether `/run/user/<user>` is there and belongs to the user.
        package var hasRuntimeFolder: Bool
        /// A path without symbolic links, dots and double slashes, also for what does not exist yet.
        package var canonical: (String) -> String

        package init(
            userID: UInt32, home: String, hasRuntimeFolder: Bool, canonical: @escaping (String) -> String
        ) {
            self.userID = userID
            self.home = home
            self.hasRuntimeFolder = hasRuntimeFolder
            self.canonical = canonical
        }
    }

    /// The address that an environment stands for.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` when `DOCENT_ROOT` is not absolute or the socket's
    ///   path is too long.
    package static func resolve(
        environment: [String: String], surroundings: Surroundings
    ) throws(DocumentError) -> HostAddress {
        func folder(_ name: String) -> String? {
            // The XDG specification: a relative path is ignored.
            environment[name].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        let root: String
        if let chosen = environment["DOCENT_ROOT"], !chosen.isEmpty {
            guard chosen.utf8.first == UInt8(ascii: "/") else {
                throw DocumentError(
                    .invalidArgument,
                    "DOCENT_ROOT is “\(ItemName.printable(chosen))”: set it to an absolute path."
                )
            }
            root = chosen
        } else {
            root = (folder("XDG_DATA_HOME") ?? (folder("HOME") ?? surroundings.home) + "/.local/share") + "/docent"
        }
        let runtimeFolder =
            folder("XDG_RUNTIME_DIR").map { $0 + "/docent" }
            ?? (surroundings.hasRuntimeFolder
                ? "/run/user/\(surroundings.userID)/docent" : "/tmp/docent-\(surroundings.userID)")
        let canonicalRoot = surroundings.canonical(root)
        // Only the account's own default gets the plain name: with XDG_DATA_HOME or HOME changed it is another root,
        // and its tools must not reach the host of this one.
        let usual = surroundings.canonical(surroundings.home + "/.local/share/docent")
        let name = canonicalRoot.hasSameBytes(as: usual) ? "host" : "host-\(StableHash(canonicalRoot.utf8).digits)"
        return try HostAddress(root: canonicalRoot, socket: "\(runtimeFolder)/\(name).sock")
    }
}
