import DocumentTestSupport
import Glibc
import SystemPackage

/// A WebDAV server that people run, on a port of this machine, with a folder of its own. It is ended with the body.
struct RealServer: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case lighttpd, apache, nginx, rclone, wsgidav
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    enum Extra: Sendable {
        case none
        /// The name “ann” and the password “s3cret: ü”.
        case signIn
        /// With a certificate of its own for 127.0.0.1.
        case encrypted
        /// With one for another computer.
        case encryptedForAnother
        /// With one of yesterday.
        case encryptedUntilYesterday
    }

    let kind: Kind
    let port: UInt16
    /// Everything of the server.
    let base: FilePath
    /// What it serves.
    var folder: FilePath { base.appending("data") }
    var url: String { "http://127.0.0.1:\(port)/" }

    static let user = "ann"
    static let password = "s3cret: ü"

    static func with<Result>(
        _ kind: Kind, _ extra: Extra = .none, body: (RealServer) async throws -> Result
    ) async throws -> Result {
        let base = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(base) }
        // Apache gives up the rights of root, and then needs those of everybody.
        for (folder, mode) in [("", 0o755), ("data", 0o777), ("own", 0o777)] as [(String, mode_t)] {
            let path = folder.isEmpty ? base : base.appending(folder)
            if !folder.isEmpty { mkdir(path.string, mode) }
            chmod(path.string, mode)
        }
        // Somebody else may take the port between looking for it and using it.
        for _ in 0..<5 {
            let server = RealServer(kind: kind, port: try freePort(), base: base)
            let command = try server.command(extra)
            let outcome = try await ChildProcess.with(
                FilePath(command.program), arguments: command.arguments, environment: command.environment
            ) { child -> Result? in
                guard try await server.isUp(child) else { return nil }
                return try await body(server)
            }
            if let outcome { return outcome }
        }
        throw Failure(description: "\(kind) did not come up at any of five ports.")
    }

    /// Waits until it takes connections.
    ///
    /// - Returns: false when it has ended instead.
    private func isUp(_ child: ChildProcess) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if try await child.exitStatus(within: .zero) != nil {
                let log = (try? TemporaryFile.read(base.appending("own/log"))) ?? ""
                print("\(kind) ended at once: \(child.errorText()) \(log)")
                return false
            }
            if let connection = try? Loopback.connect(to: port) {
                close(connection)
                return true
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failure(description: "\(kind) does not take connections: \(child.errorText())")
    }

    static func freePort() throws -> UInt16 {
        let (descriptor, port) = try Loopback.listen()
        close(descriptor)
        return port
    }
}
