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
    package var logger: Logger

    package init(
        program: FilePath, arguments: [String], environment: [String: String], workingFolder: FilePath, logger: Logger
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.workingFolder = workingFolder
        self.logger = logger
    }
}
