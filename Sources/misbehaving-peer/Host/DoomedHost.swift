import Glibc

/// A host that is killed by SIGKILL when it has done what it does, in a process of its own, and the judge of what becomes of
/// its provider.
enum DoomedHost {
    /// How long a provider may outlive its host, in seconds.
    private static let patience = 5

    /// Runs the behaviour, tells whom it has started, and waits for its end.
    static func run(_ behaviour: HostBehaviour, _ host: HostPeer) throws -> Never {
        try behaviour.run(host)
        print("provider \(host.provider.pid)")
        fflush(nil)
        OwnProcess.hang()
    }

    /// Throws a ``Finding`` when the provider outlives its host.
    ///
    /// - Parameter words: what makes this program such a host.
    static func judge(_ words: [String]) throws {
        let host = try SpawnedProvider([OwnProcess.path] + words)
        defer { host.kill() }
        let told = try host.pipe.readLine(timeout: HostPeer.patience)
        guard told.hasPrefix("provider "), let provider = pid_t(told.dropFirst("provider ".count)) else {
            throw Finding(told.isEmpty ? "The host came to nothing with it." : told)
        }
        host.kill()
        for _ in 0..<(patience * 100) where lives(provider) { usleep(10_000) }
        guard lives(provider) else { return }
        kill(provider, SIGKILL)
        throw Finding("It outlives its host.")
    }

    /// Whether a process still runs: what has ended may be there until somebody asks for its status.
    private static func lives(_ process: pid_t) -> Bool {
        guard let bytes = try? File.contents(of: "/proc/\(process)/stat") else { return false }
        // The name, in parentheses, may hold anything.
        let state = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first
        return state != "Z" && state != "X"
    }
}
