import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import ProviderLauncher

/// Where checks run one after the other: a provider with folders of its own, of which other lanes know nothing.
struct CheckLane: Sendable {
    let provider: ProviderUnderTest
    let shared: SharedSession
    private let configuration: ConformanceConfiguration
    private let hooks: HookRunner

    /// - Throws: ``ConformanceUsageError``, ``KitError``.
    init(
        _ subject: ConformanceSubject, _ configuration: ConformanceConfiguration, configurationFolder: String,
        context: LaunchContext, keepsRecords: Bool
    ) throws {
        let folder = try KitFolder()
        do {
            provider = try ProviderUnderTest(
                subject, configuration, configurationFolder: configurationFolder, folder: folder, context: context,
                keepsRecords: keepsRecords)
        } catch {
            folder.remove()
            throw error
        }
        let limit = Duration.seconds(configuration.limits.request)
        shared = SharedSession(provider: provider, requestLimit: limit)
        hooks = HookRunner(
            folder: folder, configurationFolder: configurationFolder, limit: limit,
            environment: ProcessInfo.processInfo.environment)
        self.configuration = configuration
    }

    /// - Throws: ``KitError``.
    func prepare() async throws {
        for hook in configuration.hooks.prepare { try await hooks.run(hook) }
    }

    /// Runs all hooks that clean up.
    ///
    /// - Returns: what those said that failed.
    func cleanUp() async -> [String] {
        var faults: [String] = []
        for hook in configuration.hooks.cleanUp {
            do {
                try await hooks.undo(hook)
            } catch {
                faults.append("Cleaning up has failed: \((error as? CheckSkip)?.reason ?? "\(error)")")
            }
        }
        return faults
    }

    /// Removes its folders.
    func remove() {
        provider.folder.remove()
    }

    /// What the provider says of itself; nil when it does not get through the handshake.
    func claims() async -> (capabilities: Set<ProviderCapability>, software: String)? {
        defer { _ = provider.tap.take() }
        guard let session = try? await shared.acquire() else { return nil }
        return (session.capabilities.capabilities, session.peer.software)
    }

    func context(for check: CheckDescription, claims: Set<ProviderCapability>) -> CheckContext {
        CheckContext(
            check: check, provider: provider, configuration: configuration, capabilities: claims, shared: shared,
            hooks: hooks)
    }

    func run(_ check: ConformanceCheck, _ context: CheckContext) async -> CheckResult {
        let clock = ContinuousClock()
        let began = clock.now
        provider.tap.begin(check.id)
        var outcome = await CheckRun.outcome(limit: check.limit * configuration.limits.factor) {
            try await check.body(context)
        }
        if [.failed, .error].contains(outcome.state) {
            // Whatever it left behind is not the next one's.
            if let exit = await shared.stop() {
                if exit.status != .exited(0) || exit.wasForced {
                    outcome.detail += "\nAt its end \(exit.words)" + (exit.wasForced ? ", forced." : ".")
                }
                if !exit.detail.isEmpty { outcome.detail += "\n" + exit.detail }
            }
        }
        if Task.isCancelled { outcome = .interrupted }
        let (exchanges, log) = provider.tap.take()
        let redaction = provider.redaction
        outcome.message = redaction.redact(outcome.message).replacing(/conformance-[0-9a-z]+/, with: "conformance-*")
        outcome.detail = redaction.redact(outcome.detail)
        let seconds = (clock.now - began) / .seconds(1)
        return CheckResult(
            check: check.description, outcome: outcome, seconds: seconds, exchanges: exchanges, log: log)
    }
}
