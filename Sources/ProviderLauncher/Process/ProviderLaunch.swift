package import DocumentWire
package import Logging
package import SystemPackage

/// What is started for one domain.
package struct ProviderLaunch: Sendable {
    package var program: FilePath
    package var arguments: [String]
    /// Complete: nothing of the host's is added.
    package var environment: [String: String]
    /// Must exist.
    package var workingFolder: FilePath
    /// What it may reach, with resolved paths; nil for a process that is not confined.
    package var sandbox: SandboxPolicy?
    package var logger: Logger
    /// What of its standard error is blanked out before it is kept or logged.
    package var redaction: @Sendable () -> FrameRedaction = { FrameRedaction() }

    package init(
        program: FilePath, arguments: [String], environment: [String: String], workingFolder: FilePath,
        sandbox: SandboxPolicy? = nil, logger: Logger
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.workingFolder = workingFolder
        self.sandbox = sandbox
        self.logger = logger
    }
}
