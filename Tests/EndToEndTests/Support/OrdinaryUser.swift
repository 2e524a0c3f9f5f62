import Foundation
import Glibc

/// Somebody who is not root, on a machine of theirs: where the tests run as root, they become one. As on machines that people
/// use, everybody may open /dev/fuse there, which is so in mounts of their own only.
struct OrdinaryUser {
    static let number: uid_t = 65534

    private let machine: Machine
    /// Has the mounts; nil where the tests are an ordinary user's.
    private let holder: Process?

    static func with(_ machine: Machine, _ body: (OrdinaryUser) throws -> Void) throws {
        guard getuid() == 0 else { return try body(OrdinaryUser(machine: machine, holder: nil)) }
        let holder = try separate(machine)
        defer {
            holder.terminate()
            holder.waitUntilExit()
        }
        // The programs are links to those that were built, and stay whose they are.
        for name in ["run", "remote", "home", "work"] { try give(machine.folder + "/" + name) }
        let contents = FileManager.default.enumerator(atPath: machine.remote)?.allObjects as? [String] ?? []
        for name in contents { try give(machine.remote + "/" + name) }
        try give(machine.folder)
        // What keeps others out is to be the mount.
        for folder in [machine.folder, machine.folder + "/home"] where chmod(folder, 0o711) != 0 {
            throw Machine.Failure(description: "\(folder) cannot be opened to others")
        }
        try body(OrdinaryUser(machine: machine, holder: holder))
    }

    /// Runs a command of the shell as this user, with the machine's environment.
    func run(_ command: String, timeout: Double = 60) throws -> Machine.Result {
        try run(command, as: Self.number, timeout: timeout)
    }

    /// The same; a status other than 0 is a failure of the test.
    @discardableResult
    func sh(_ command: String, timeout: Double = 60) throws -> String {
        let result = try run(command, timeout: timeout)
        guard result.status == 0 else {
            throw Machine.Failure(
                description: "\(command): status \(result.status)\n\(result.output)\(result.errors)\n\(machine.logTail)"
            )
        }
        return result.output
    }

    /// As somebody else; nil where the tests can become nobody.
    func runAsOther(_ other: uid_t, _ command: String) throws -> Machine.Result? {
        holder == nil ? nil : try run(command, as: other, timeout: 60)
    }

    private func run(_ command: String, as user: uid_t, timeout: Double) throws -> Machine.Result {
        let words = ["/bin/sh", "-c", "PATH='\(machine.folder)/bin':$PATH; cd / && { \(command)\n}"]
        guard let holder else { return try machine.run(words[0], Array(words.dropFirst()), timeout: timeout) }
        return try machine.run(
            "/usr/bin/nsenter",
            [
                "--mount", "--target", "\(holder.processIdentifier)", "/usr/bin/setpriv", "--reuid=\(user)",
                "--regid=\(user)", "--clear-groups",
            ] + words, timeout: timeout)
    }

    /// A process with mounts of its own.
    private static func separate(_ machine: Machine) throws -> Process {
        let place = machine.folder + "/dev"
        let script = """
            set -e
            mkdir '\(place)'
            mount -t tmpfs -o mode=755,dev none '\(place)'
            mknod -m 666 '\(place)/fuse' c 10 229
            mount --bind '\(place)/fuse' /dev/fuse
            echo ready
            exec sleep 600
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--mount", "--propagation", "private", "/bin/sh", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        guard try output.fileHandleForReading.read(upToCount: 5) == Data("ready".utf8) else {
            process.terminate()
            throw Machine.Failure(description: "there is no /dev/fuse that everybody may open")
        }
        return process
    }

    private static func give(_ path: String) throws {
        guard lchown(path, number, number) == 0 else {
            throw Machine.Failure(description: "\(path) cannot be given away: \(String(cString: strerror(errno)))")
        }
    }
}
