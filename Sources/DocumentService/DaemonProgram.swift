import CDocentShims
import DocumentHost
import DocumentModel
import DocumentStorage
import DocumentTransport
import Glibc
import Logging
import SystemPackage

/// The whole program `docentd`.
package enum DaemonProgram {
    package static let version = Release.version

    /// `EX_CONFIG` of sysexits.h: a service manager knows by it that another try is of no use.
    private static let wrongSetting: Int32 = 78

    /// - Returns: the exit status: 0, 1 for a failure, 64 for wrong usage, 78 for a mistake in the user's settings.
    package static func main(arguments: [String]) async -> Int32 {
        // What domains are signed in with is in its memory.
        docent_leave_no_core()
        OpenFileLimit.raise()
        var options: DaemonOptions
        do throws(DocumentError) {
            options = try DaemonOptions(arguments: arguments)
        } catch {
            say("docentd: \(error)")
            return 64
        }
        if options.showsHelp {
            print(DaemonOptions.help)
            return 0
        }
        let address: HostAddress
        do throws(DocumentError) {
            if options.secrets == nil { options.secrets = try secretsOfEnvironment() }
            address = try HostAddress.ofThisProcess()
        } catch {
            say("docentd: \(error)")
            return wrongSetting
        }
        let log = HostLog()
        LoggingSystem.bootstrap { HostLogHandler(label: $0, file: log) }
        var logger = Logger(label: "docentd")
        logger.logLevel = options.isVerbose ? .debug : .info
        do {
            let daemon = try await open(address, options, logger)
            log.begin(at: address.log)
            logger.info("serving", metadata: ["root": "\(address.root)", "socket": "\(address.socket)"])
            // Who connects from here on is answered.
            ServiceNotice.ready()
            try await daemon.run()
            return 0
        } catch {
            say("docentd: \(error)")
            return 1
        }
    }

    /// A host that is just ending holds the root's lock until its providers are gone: it is waited for. One that serves is not:
    /// whoever is waiting would take its place when somebody stops it. One that is just ending may answer for a moment still.
    private static func open(
        _ address: HostAddress, _ options: DaemonOptions, _ logger: Logger
    ) async throws -> Daemon {
        var answers = 0
        for _ in 0..<30 {
            do throws(DocumentError) {
                return try daemon(at: address, options, logger)
            } catch {
                if isServed(address) { answers += 1 }
                guard error.code == .busy, answers < 4 else { throw error }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        return try daemon(at: address, options, logger)
    }

    private static func isServed(_ address: HostAddress) -> Bool {
        let connection = docent_unix_connect(address.socket)
        if connection >= 0 { close(connection) }
        // One that takes no connections any more is there all the same.
        return connection >= 0 || connection == -EAGAIN
    }

    private static func daemon(
        at address: HostAddress, _ options: DaemonOptions, _ logger: Logger
    ) throws(DocumentError) -> Daemon {
        try Daemon(
            configuration(for: address, options), socket: FilePath(address.socket), version: version,
            idleTime: options.idleTime, observer: CrashPoint.fromEnvironment(), logger: logger)
    }

    private static func configuration(
        for address: HostAddress, _ options: DaemonOptions
    ) -> DocumentHost.Configuration {
        let executable = FilePath("/proc/self/exe").resolvedLink() ?? FilePath(CommandLine.arguments.first ?? "docentd")
        var configuration = DocumentHost.Configuration(
            root: FilePath(address.root), executable: executable, providerBundles: options.bundles.map { FilePath($0) },
            software: "docentd \(version)")
        configuration.socketFolder = FilePath(address.socket).removingLastComponent()
        configuration.adoptsOrphans = true
        configuration.allowsUnsandboxedProviders =
            options.allowsUnsandboxed || getenv("DOCENT_ALLOW_UNSANDBOXED").map { String(cString: $0) } == "1"
        configuration.admitsUnregisteredTools =
            !options.registeredToolsOnly
            && getenv("DOCENT_REGISTERED_TOOLS_ONLY").map { String(cString: $0) } != "1"
        configuration.secrets = options.secrets ?? .auto
        if let name = getenv("DOCENT_DEVICE_NAME") { configuration.deviceName = String(cString: name) }
        return configuration
    }

    private static func secretsOfEnvironment() throws(DocumentError) -> KeptSecrets.Choice? {
        guard let place = getenv("DOCENT_SECRETS") else { return nil }
        return try DaemonOptions.secrets(named: String(cString: place), by: "DOCENT_SECRETS")
    }

    private static func say(_ sentence: String) {
        var line = Array((sentence + "\n").utf8)
        _ = write(STDERR_FILENO, &line, line.count)
    }
}

extension FilePath {
    /// Where a symbolic link points to.
    fileprivate func resolvedLink() -> FilePath? {
        guard let path = realpath(string, nil) else { return nil }
        defer { free(path) }
        return FilePath(String(cString: path))
    }
}
