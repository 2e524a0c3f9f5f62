import Glibc
import SystemPackage

/// A desktop's keyring of a test's own: gnome-keyring on a bus that nobody else knows.
package final class Keyring {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private let folder: FilePath
    private let bus: ChildProcess
    private var daemon: ChildProcess?

    /// The bus's address.
    package var address: String { "unix:path=\(folder)/run/bus" }

    /// Ended with the body.
    package static func with<Result>(_ body: (Keyring) async throws -> Result) async throws -> Result {
        let keyring = try Keyring()
        defer { keyring.tearDown() }
        return try await body(keyring)
    }

    private init() throws {
        folder = try TemporaryFolder.make()
        for name in ["home", "run"] { mkdir(folder.appending(name).string, 0o700) }
        // No service is started by the bus itself.
        try TemporaryFile.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(folder)/run/bus</listen><policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """, to: folder.appending("bus.conf"))
        bus = try ChildProcess.start(
            "/usr/bin/dbus-daemon", arguments: ["--nofork", "--config-file=\(folder)/bus.conf"], environment: [:],
            standardError: folder.appending("bus.errors"))
        for _ in 0..<3000 where access("\(folder)/run/bus", F_OK) != 0 { usleep(10_000) }
    }

    private func tearDown() {
        stop()
        bus.end()
        TemporaryFolder.remove(folder)
    }

    /// Starts the daemon.
    ///
    /// - Parameter password: nil: the keyring stays locked.
    /// - Returns: its process' id.
    @discardableResult
    package func start(password: String?) throws -> Int32 {
        let daemon = try ChildProcess.start(
            "/usr/bin/gnome-keyring-daemon",
            arguments: ["--foreground", "--components=secrets"] + (password == nil ? [] : ["--unlock"]),
            environment: environment, standardError: folder.appending("errors"))
        self.daemon = daemon
        _ = try daemon.standardInput.writeAll((password ?? "").utf8)
        try daemon.standardInput.close()
        for _ in 0..<1000 {
            let isLocked = try self.isLocked()
            // One that never had a keyring has none to unlock.
            let hasNone = try isLocked == nil && password == nil && isThere()
            if isLocked == (password == nil) || hasNone { return daemon.processID }
            usleep(20_000)
        }
        throw Failure(description: "gnome-keyring-daemon did not come up")
    }

    package func stop() {
        guard let daemon else { return }
        daemon.end()
        self.daemon = nil
        // Else the next one may be taken for this one.
        for _ in 0..<500 where (try? isThere()) == true { usleep(10_000) }
    }

    /// - Returns: what ends it.
    package func endDaemon(after milliseconds: Int) throws -> ChildProcess {
        guard let daemon else { throw Failure(description: "no gnome-keyring-daemon runs") }
        return try ChildProcess.start(
            "/bin/sh",
            arguments: ["-c", "sleep 0.0$0; kill -KILL $1", "\(milliseconds + 10)", "\(daemon.processID)"],
            environment: environment, standardError: folder.appending("errors"))
    }

    /// The default one is in memory only from now on.
    package func makeSessionCollectionDefault() throws {
        let answer = try ask(
            "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.SetAlias",
            "string:default", "objpath:/org/freedesktop/secrets/collection/session")
        guard answer.contains("method return") else { throw Failure(description: "the default keyring stays") }
    }

    /// How many secrets of Docent are in it.
    package func countOfOurs() throws -> Int {
        let answer = try ask(
            "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.SearchItems",
            "dict:string:string:application,org.docent")
        guard answer.contains("method return") else { throw Failure(description: "the keyring does not answer") }
        return answer.split(separator: "\n").count { $0.contains("object path") }
    }

    private func isThere() throws -> Bool {
        try ask(
            "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"
        ).contains("boolean true")
    }

    /// Nil when there is no default keyring.
    private func isLocked() throws -> Bool? {
        let answer = try ask(
            "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets/aliases/default",
            "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.Secret.Collection", "string:Locked")
        return answer.contains("boolean true") ? true : answer.contains("boolean false") ? false : nil
    }

    private func ask(_ words: String...) throws -> String {
        let question = try ChildProcess.start(
            "/usr/bin/dbus-send",
            arguments: ["--bus=\(address)", "--print-reply", "--reply-timeout=3000"] + words, environment: environment,
            standardError: folder.appending("errors"))
        defer {
            question.end()
            for stream in [question.standardInput, question.standardOutput] { try? stream.close() }
        }
        var answer: [UInt8] = []
        while true {
            let part = try [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = try question.standardOutput.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if part.isEmpty { return String(decoding: answer, as: UTF8.self) }
            answer += part
        }
    }

    private var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": "\(folder)/home", "XDG_DATA_HOME": "\(folder)/home",
            "XDG_CACHE_HOME": "\(folder)/home", "XDG_RUNTIME_DIR": "\(folder)/run",
            "DBUS_SESSION_BUS_ADDRESS": address,
        ]
    }
}
