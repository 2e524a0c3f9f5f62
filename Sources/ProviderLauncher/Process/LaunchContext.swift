package import DocumentModel
package import DocumentTransport
package import Logging
package import SystemPackage

/// What every provider of a host is launched with.
package struct LaunchContext: Sendable {
    /// The trampoline's name, beside the running program.
    package static let trampolineName = "docent-trampoline"

    package var loop: EventLoop
    /// For the host's own files: records and recordings.
    package var blocking: BlockingPool
    /// How paths that users and manifests name are looked up. They may be anywhere; it may never return.
    package var realPath: @Sendable (FilePath) -> FilePath? = { SandboxPolicy.realPath($0) }
    package var trampoline: FilePath
    /// The host's own; providers get what ``ProviderEnvironment`` lets through.
    package var environment: [String: String]
    /// Who we are, for the providers' logs: `docentd 0.1.0`.
    package var software: String
    /// The user's language, as a BCP 47 tag; may be empty.
    package var locale: String
    package var ladder = ShutdownLadder()
    /// How long a provider may take over a frame that it has begun (rule 4).
    package var frameTimeout = Duration.seconds(30)
    /// Sweeps up what shepherds leave; nil in a program that starts processes of its own.
    package var family: ProcessFamily?
    /// How far providers are confined.
    package var confinement = Confinement.here()
    /// Connects to providers that are no processes of this host; nil: they are launched.
    package var link: ProviderLink?
    package var logger: Logger

    package init(
        loop: EventLoop, blocking: BlockingPool, trampoline: FilePath, environment: [String: String], software: String,
        locale: String = "", logger: Logger
    ) {
        self.loop = loop
        self.blocking = blocking
        self.trampoline = trampoline
        self.environment = environment
        self.software = software
        self.locale = locale
        self.logger = logger
    }

    /// Where the trampoline lies beside a program.
    package static func trampoline(beside executable: FilePath) -> FilePath {
        executable.removingLastComponent().appending(trampolineName)
    }
}

/// Gives our end of a new connection to a domain's provider; nil when it cannot be reached.
package typealias ProviderLink = @Sendable (DomainName) -> (any TransportEnd)?

/// How a provider is made to end: it is asked, its input is closed, it is told to, it is killed. Both times count from
/// the beginning.
package struct ShutdownLadder: Hashable, Sendable {
    package var terminateAfter: Duration
    package var killAfter: Duration

    package init(terminateAfter: Duration = .seconds(2), killAfter: Duration = .seconds(5)) {
        self.terminateAfter = terminateAfter
        self.killAfter = killAfter
    }

    /// For a provider that has not got through the handshake, or broke the protocol: there is nothing it could finish,
    /// and somebody may wait for the news.
    package static let brief = ShutdownLadder(terminateAfter: .milliseconds(500), killAfter: .milliseconds(1500))
}
