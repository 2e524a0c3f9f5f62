import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import Logging
import ProviderLauncher
import Synchronization
import SystemPackage

/// Runs checks against a provider, in one lane or in several side by side, and tells what came of each.
public struct ConformanceRunner: Sendable {
    public var subject: ConformanceSubject
    public var configuration: ConformanceConfiguration
    /// What `{config}` stands for in the configuration, and what relative paths in it begin from.
    public var configurationFolder: String
    public var selection: CheckSelection
    public var isStrict = false
    /// Whether the sessions are recorded, to be replayed.
    public var keepsRecords = false
    /// When it gives something, the check that is under way is cancelled, and the run ends with what there is.
    public var interruptions: AsyncStream<Void>?
    /// The program that starts providers; the one beside the running program when nil.
    public var trampoline: String?
    public var checks: [ConformanceCheck] = CheckRegistry.allChecks
    /// Whether an installed provider is confined, as a host confines it. A sandbox keeps a provider from some of the
    /// mistakes that tests of the kit make.
    package var isConfined = true

    /// - Parameters: as the properties.
    public init(
        subject: ConformanceSubject, configuration: ConformanceConfiguration = ConformanceConfiguration(),
        configurationFolder: String = ".", selection: CheckSelection = CheckSelection()
    ) {
        self.subject = subject
        self.configuration = configuration
        self.configurationFolder = URL(fileURLWithPath: configurationFolder).standardizedFileURL.path
        self.selection = selection
    }

    /// What came of a run.
    public struct Run: Sendable {
        public var report: ConformanceReport
        /// The recorded sessions, if they were asked for.
        public var records: [Recording]
    }

    /// A recorded session as a file to be replayed.
    public struct Recording: Sendable, Hashable {
        /// `session-012-PC-FETCH-001.docent-traffic`: its number, and its check when it has only one.
        public var name: String
        public var text: String
    }

    /// Runs the checks.
    ///
    /// - Parameter onResult: gets each result as soon as it is there, so that none is lost with the run.
    /// - Throws: ``ConformanceUsageError`` before anything was run, ``KitError``.
    public func run(onResult: @escaping @Sendable (CheckResult) -> Void = { _ in }) async throws -> Run {
        let problems = CheckRegistry.problems(in: checks.map(\.description))
        guard problems.isEmpty else { throw KitError(problems.joined(separator: " ")) }
        let ids = checks.map(\.id)
        for pattern in CheckSelection.unknown(selection.patterns + configuration.disabled, among: ids) {
            throw ConformanceUsageError("There is no check “\(pattern)”; “provider-conformance list” shows all.")
        }
        let began = Date()
        let loop = EventLoop(name: "conformance")
        let blocking = BlockingPool(threads: configuration.lanes, name: "conformance-block")
        defer {
            loop.shutdown()
            blocking.shutdown()
        }
        ignoreBrokenPipeSignal()
        let context = try context(loop, blocking)
        var lanes: [CheckLane] = []
        defer { for lane in lanes { lane.remove() } }
        for _ in 0..<configuration.lanes {
            lanes.append(
                try CheckLane(
                    subject, configuration, configurationFolder: configurationFolder, context: context,
                    keepsRecords: keepsRecords))
        }
        var results: [CheckResult] = []
        var software = ""
        let chosen = checks.filter { selection.includes($0.id) }
        do {
            for lane in lanes { try await lane.prepare() }
            (results, software) = await outcomes(of: chosen, in: lanes, onResult)
        } catch {
            for lane in lanes { _ = await lane.cleanUp() }
            throw error
        }
        // What came of the checks is told, whatever the hooks do.
        var faults: [String] = []
        for lane in lanes { faults += await lane.cleanUp() }
        let provider = lanes[0].provider
        var report = ConformanceReport(
            subject: provider.hasManifest
                ? "\(provider.manifest.name) (\(provider.manifest.identifier))" : provider.manifest.name,
            software: software, started: began.ISO8601Format(), seconds: Date().timeIntervalSince(began),
            isStrict: isStrict, isPartial: !selection.patterns.isEmpty, results: results)
        report.notBegun = chosen.count - results.count
        report.faults = faults
        if isConfined, provider.hasManifest, context.confinement.landlock == 0 {
            report.remarks = [
                "This kernel has no Landlock: the provider was not kept to its folders, as a host would keep it where there is one."
            ]
        }
        var recordings: [Recording] = []
        for (record, checks) in lanes.flatMap({ $0.provider.tap.records }) {
            let number = String(recordings.count)
            let name = "session-" + String(repeating: "0", count: max(0, 3 - number.count)) + number
            let suffix = checks.count == 1 ? "-\(checks[0])" : checks.isEmpty ? "" : "-several"
            recordings.append(Recording(name: "\(name)\(suffix).docent-traffic", text: record.text))
            for index in report.results.indices where checks.contains(report.results[index].check.id) {
                report.results[index].recordings.append(recordings[recordings.count - 1].name)
            }
        }
        return Run(report: report, records: recordings)
    }

    func context(_ loop: EventLoop, _ blocking: BlockingPool) throws -> LaunchContext {
        let own = FilePath(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let trampoline = self.trampoline.map { FilePath($0) } ?? LaunchContext.trampoline(beside: own)
        guard FileManager.default.isExecutableFile(atPath: trampoline.string) else {
            throw KitError("The program “\(trampoline)”, which starts providers, is not there; build or install it.")
        }
        var context = LaunchContext(
            loop: loop, blocking: blocking, trampoline: trampoline, environment: ProcessInfo.processInfo.environment,
            software: "provider-conformance", logger: Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() })
        if !isConfined { context.confinement.demand = .none }
        return context
    }

    private func outcomes(
        of chosen: [ConformanceCheck], in lanes: [CheckLane], _ onResult: @escaping @Sendable (CheckResult) -> Void
    ) async -> (results: [CheckResult], software: String) {
        await withTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { await lane.shared.serve() } }
            // What it claims is asked for once; who does not answer fails the checks, and not the run.
            let claims = await lanes[0].claims()
            let waiting = CheckQueue(chosen)
            let results = await withTaskGroup(of: [(Int, CheckResult)]?.self) { group in
                if let interruptions {
                    group.addTask {
                        for await _ in interruptions { break }
                        return nil
                    }
                }
                for lane in lanes {
                    group.addTask {
                        var results: [(Int, CheckResult)] = []
                        while !Task.isCancelled, let (number, check) = waiting.next() {
                            let result = await self.run(check, in: lane, claims: claims?.capabilities)
                            results.append((number, result))
                            onResult(result)
                        }
                        return results
                    }
                }
                var results: [(Int, CheckResult)] = []
                var working = lanes.count
                while working > 0, let next = await group.next() {
                    if let next {
                        results += next
                        working -= 1
                    } else {
                        group.cancelAll()
                    }
                }
                group.cancelAll()
                return results.sorted { $0.0 < $1.0 }.map(\.1)
            }
            for lane in lanes { await lane.shared.finish() }
            await group.waitForAll()
            return (results, claims?.software ?? "")
        }
    }

    private func run(
        _ check: ConformanceCheck, in lane: CheckLane, claims: Set<ProviderCapability>?
    ) async -> CheckResult {
        let context = lane.context(for: check.description, claims: claims ?? lane.provider.manifest.capabilities)
        if let outcome = absence(of: check, context) { return CheckResult(check: check.description, outcome: outcome) }
        if let reason = lane.shared.hopelessness(after: Self.patience) {
            let outcome = CheckOutcome(.failed, "Not run: the provider does not come up.", detail: "\(reason)")
            return CheckResult(check: check.description, outcome: outcome)
        }
        return await lane.run(check, context)
    }

    /// How often in a row a provider is started in vain.
    private static let patience = 5

    /// Why a check is not run.
    private func absence(of check: ConformanceCheck, _ context: CheckContext) -> CheckOutcome? {
        let description = check.description
        if configuration.disabled.contains(where: { CheckSelection.matches(check.id, $0) }) {
            return CheckOutcome(.disabled, "The configuration disables it.")
        }
        let missing = description.needs.filter { !context.claims($0) }.map { "“\($0.rawValue)”" }
        if !missing.isEmpty {
            return CheckOutcome(.skipped, "The provider does not claim \(missing.joined(separator: " and ")).")
        }
        if description.mutates, !selection.mayMutate {
            return CheckOutcome(.disabled, "It changes documents; allow that with --mutating.")
        }
        return nil
    }
}

/// The checks that no lane has begun yet, in order.
private final class CheckQueue: Sendable {
    private let checks: [ConformanceCheck]
    private let begun = Mutex(0)

    init(_ checks: [ConformanceCheck]) {
        self.checks = checks
    }

    func next() -> (number: Int, check: ConformanceCheck)? {
        let number = begun.withLock { begun -> Int in
            defer { begun += 1 }
            return begun
        }
        return number < checks.count ? (number, checks[number]) : nil
    }
}
