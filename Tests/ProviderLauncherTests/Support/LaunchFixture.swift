import DocumentTransport
import Glibc
import Logging
import ProviderLauncher
import SystemPackage

/// What a test needs to launch providers: a folder, a loop and a context.
struct LaunchFixture: Sendable {
    let folder: TemporaryFolder
    let context: LaunchContext
    private let loop: SharedLoop

    /// One loop for all tests of the process, which is not ended.
    private final class SharedLoop: Sendable {
        static let shared = SharedLoop()
        let loop: EventLoop
        let blocking: BlockingPool

        init() {
            ignoreBrokenPipeSignal()
            loop = EventLoop(name: "launcher-tests")
            blocking = BlockingPool(threads: 2, name: "launcher-block")
        }
    }

    /// - Parameter confinement: none for tests of something else, whose scripts start other programs and write beside
    ///   themselves.
    init(
        environment: [String: String] = ["PATH": "/usr/bin:/bin"], trampoline path: FilePath = trampoline,
        confinement: Confinement.Demand = .none
    ) throws {
        folder = try TemporaryFolder()
        loop = SharedLoop.shared
        var logger = Logger(label: "launcher-tests") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .trace
        var context = LaunchContext(
            loop: loop.loop, blocking: loop.blocking, trampoline: path, environment: environment,
            software: "tests", logger: logger)
        context.confinement = .here(confinement)
        self.context = context
    }

    func launch(_ script: String, environment: [String: String] = ["PATH": "/usr/bin:/bin"]) -> ProviderLaunch {
        ProviderLaunch(
            program: "/bin/sh", arguments: ["-c", script], environment: environment, workingFolder: folder.path,
            logger: context.logger)
    }
}

/// How many descriptors of this process are pipes.
func openPipes() -> Int {
    (0..<1024).count { number in
        var status = stat()
        return fstat(Int32(number), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
