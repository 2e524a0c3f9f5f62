import CDocentShims
package import DocumentHost
package import DocumentModel
import DocumentTransport
import Glibc
package import SystemPackage

/// The daemon's Unix socket: in a folder that only the user can enter, accepting only the user's own processes.
package final class SocketListener: Sendable {
    /// A connected host tool.
    package struct Peer: Sendable {
        package let socket: FileDescriptor
        package let process: PeerProcess
    }

    package let path: FilePath
    private let listener: FileDescriptor
    private let thread = BlockingPool(threads: 1, name: "docent-accept")

    /// Binds the socket. The caller holds the storage root's lock, so that a socket that is there already is a
    /// leftover, and is replaced.
    package init(path: FilePath) throws(DocumentError) {
        self.path = path
        try Self.prepareFolder(path.removingLastComponent())
        _ = Glibc.unlink(path.string)
        let result = docent_unix_listen(path.string, 128)
        guard result >= 0 else {
            throw DocumentError(
                .localStorage,
                "The socket \(path) cannot be made: \(Errno(rawValue: -result)). Set XDG_RUNTIME_DIR to a folder of yours with a short path."
            )
        }
        listener = FileDescriptor(rawValue: result)
    }

    /// The connections that come in, until ``close()``. Those of other users are refused.
    package func accept() async -> Peer? {
        let listener = listener
        return try? await thread.run {
            while true {
                let result = docent_unix_accept(listener.rawValue)
                if result == -EMFILE || result == -ENFILE {
                    // Out of descriptors: somebody has to close one first, and the tool waits in the queue meanwhile.
                    usleep(100_000)
                    continue
                }
                guard result >= 0 else { throw Errno(rawValue: -result) }
                var (process, user, group) = (pid_t(), uid_t(), gid_t())
                let known = docent_peer_credentials(result, &process, &user, &group)
                guard known == 0, user == geteuid() else {
                    Glibc.close(result)
                    continue
                }
                let socket = FileDescriptor(rawValue: result)
                return Peer(socket: socket, process: PeerProcess(of: socket, processID: process))
            }
        }
    }

    /// Ends ``accept()`` and removes the socket.
    package func close() {
        // Wakes the thread that waits in accept; closing alone would not.
        Glibc.shutdown(listener.rawValue, Int32(SHUT_RDWR))
        _ = Glibc.unlink(path.string)
        thread.shutdown()
        try? listener.close()
    }

    /// The folder must be ours alone: whoever can write to it could put a socket of their own there.
    private static func prepareFolder(_ folder: FilePath) throws(DocumentError) {
        if mkdir(folder.string, 0o700) != 0, errno != EEXIST {
            throw DocumentError(
                .localStorage, "The folder \(folder) for the socket cannot be made: \(Errno(rawValue: errno)).")
        }
        var status = stat()
        guard lstat(folder.string, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw DocumentError(.notPermitted, "\(folder) is not a folder; remove it, or set XDG_RUNTIME_DIR.")
        }
        guard status.st_uid == geteuid() else {
            throw DocumentError(
                .notPermitted, "The folder \(folder) belongs to another user; set XDG_RUNTIME_DIR to one of yours.")
        }
        if status.st_mode & 0o077 != 0, chmod(folder.string, 0o700) != 0 {
            throw DocumentError(.notPermitted, "The folder \(folder) is open to others; make it 0700.")
        }
    }
}
