import DocumentClient
import DocumentModel
import Foundation

/// Runs attacks against a host, side by side, while a well-behaved provider is asked all the time.
public struct AttackRunner: Sendable {
    /// The host and its arguments; empty: `docentd` beside this program. It finds its storage root, its socket and the
    /// bundles by the environment: `DOCENT_ROOT`, `XDG_RUNTIME_DIR`, `DOCENT_PROVIDER_PATH`.
    public var host: [String]
    public var selection: CheckSelection
    /// How many attacks are under way at once.
    public var width = 12
    /// How often each is carried out.
    public var rounds = 1
    /// How much longer than usual this machine may take over what it does, beside the deadlines of the calls: more on one
    /// that has much else to do.
    public var patience = 1.0
    /// `misbehaving-peer`; nil: the one beside this program.
    public var peer: String?
    public var attacks = HostAttack.all
    /// When it gives something, what is under way is cancelled, and the run ends with what there is.
    public var interruptions: AsyncStream<Void>?

    /// - Parameters: as the properties.
    public init(host: [String] = [], selection: CheckSelection = CheckSelection()) {
        self.host = host
        self.selection = selection
    }

    /// What is listed: the attacks, and what has to hold of the host after all of them.
    public static let descriptions: [CheckDescription] =
        HostAttack.all.map(\.description) + HostCondition.all.map(\.description)

    /// Runs the attacks.
    ///
    /// - Parameter onResult: gets each result as soon as it is there, so that none is lost with the run.
    /// - Throws: ``ConformanceUsageError`` before anything was run, ``KitError``.
    public func run(onResult: @escaping @Sendable (CheckResult) -> Void = { _ in }) async throws -> ConformanceReport {
        let problems = CheckRegistry.problems(in: Self.descriptions)
        guard problems.isEmpty else { throw KitError(problems.joined(separator: " ")) }
        let ids = Self.descriptions.map(\.id)
        for pattern in CheckSelection.unknown(selection.patterns, among: ids) {
            throw ConformanceUsageError(
                "There is no attack “\(pattern)”; “provider-conformance list --host” shows all.")
        }
        let began = Date()
        let machine = try HostMachine(command: host, peer: peer)
        defer { machine.remove() }
        let judging = Task { try await judge(machine, onResult) }
        let interruption = Task { [interruptions] in
            guard let interruptions else { return }
            for await _ in interruptions {
                judging.cancel()
                break
            }
        }
        defer { interruption.cancel() }
        do {
            let (results, software) = try await withTaskCancellationHandler {
                try await judging.value
            } onCancel: {
                judging.cancel()
            }
            // Each was begun unless the run was interrupted.
            let all = chosen
            let total = rounds * all.attacks.count(where: { !$0.mayEndHost }) + all.attacks.count(where: \.mayEndHost)
            return report(results, of: total + all.conditions.count, since: began, software: software)
        } catch let failure as CheckFailure {
            let outcome = CheckOutcome(.failed, failure.message, detail: failure.detail)
            let result = CheckResult(check: HostCondition.all[0].description, outcome: outcome)
            onResult(result)
            return report([result], since: began, software: "")
        }
    }

    /// What is to be done, and to hold.
    private var chosen: (attacks: [HostAttack], conditions: [HostCondition]) {
        (attacks.filter { selection.includes($0.id) }, HostCondition.all.filter { selection.includes($0.id) })
    }

    /// - Throws: ``CheckFailure`` when the host cannot even be attacked.
    private func judge(
        _ machine: HostMachine, _ onResult: @escaping @Sendable (CheckResult) -> Void
    ) async throws -> (results: [CheckResult], software: String) {
        let state: HostState
        do {
            try await machine.start()
            state = try await HostState(machine)
        } catch {
            if Task.isCancelled { return ([], "") }
            throw error
        }
        var results = await attack(machine, state.pulse, onResult)
        await state.settle()
        for condition in chosen.conditions where !Task.isCancelled {
            var result = await result(of: condition.description, limit: .seconds(60)) {
                try await condition.body(state)
            }
            if result.outcome.state == .passed { result.outcome.detail = condition.figures(state) }
            results.append(result)
            onResult(result)
        }
        return (results, state.software)
    }

    private func report(
        _ results: [CheckResult], of total: Int = 0, since began: Date, software: String
    ) -> ConformanceReport {
        var report = ConformanceReport(
            subject: "The host " + (host.isEmpty ? "docentd" : host.joined(separator: " ")), software: software,
            started: began.ISO8601Format(), seconds: Date().timeIntervalSince(began), isStrict: true,
            isPartial: !selection.patterns.isEmpty, results: results)
        report.notBegun = max(0, total - results.count)
        return report
    }

    private static let quietRounds = 60

    private func attack(
        _ machine: HostMachine, _ pulse: GoodProviderPulse, _ onResult: @escaping @Sendable (CheckResult) -> Void
    ) async -> [CheckResult] {
        let chosen = chosen.attacks
        let courses = (0..<rounds).flatMap { _ in chosen.filter { !$0.mayEndHost } }
        // Quiet times before, between and after, so that what else the machine has to do is in both.
        var results: [CheckResult] = []
        guard HostCondition.all.contains(where: { $0.needsPulse && selection.includes($0.id) }) else {
            return await carryOut(courses, from: 0, machine, onResult)
                + carryOut(chosen.filter(\.mayEndHost), from: courses.count, machine, onResult)
        }
        await pulse.beat(.quiet, rounds: Self.quietRounds)
        for part in [courses.prefix(courses.count / 2), courses.suffix(from: courses.count / 2)] where !part.isEmpty {
            pulse.begin()
            async let beating: Void = pulse.beat(.attacked)
            results += await carryOut(Array(part), from: part.startIndex, machine, onResult)
            pulse.stop()
            await beating
            pulse.begin()
            await pulse.beat(.quiet, rounds: Self.quietRounds)
        }
        // Those that may end the host come last, when there is nothing left that they could take with them.
        results += await carryOut(chosen.filter(\.mayEndHost), from: courses.count, machine, onResult)
        return results.sorted { $0.check.id < $1.check.id }
    }

    /// Carries attacks out, so many at once.
    private func carryOut(
        _ courses: [HostAttack], from first: Int, _ machine: HostMachine,
        _ onResult: @escaping @Sendable (CheckResult) -> Void
    ) async -> [CheckResult] {
        await withTaskGroup(of: CheckResult.self) { group in
            var results: [CheckResult] = []
            var next = 0
            while results.count < courses.count {
                while next < courses.count, next - results.count < width, !Task.isCancelled {
                    let (attack, number) = (courses[next], first + next)
                    next += 1
                    group.addTask {
                        let traffic = AttackTraffic(of: attack, number: number, in: machine.folder)
                        var result = await result(
                            of: attack.description, limit: attack.limit(patience: patience) + .seconds(90)
                        ) {
                            try await AttackCourse(
                                attack, on: machine, number: number, traffic: traffic, patience: patience
                            ).run()
                        }
                        let exchanges = traffic.take()
                        // Of a thousand rounds that went well nobody reads them.
                        if courses.count <= 500 || result.outcome.state != .passed { result.exchanges = exchanges }
                        return result
                    }
                }
                guard let result = await group.next() else { break }
                results.append(result)
                onResult(result)
            }
            return results
        }
    }

    private func result(
        of check: CheckDescription, limit: Duration, _ body: @escaping @Sendable () async throws -> Void
    ) async -> CheckResult {
        let began = ContinuousClock.now
        var outcome = await CheckRun.outcome(limit: limit, body)
        if Task.isCancelled { outcome = CheckOutcome(.failed, "The run was interrupted.") }
        return CheckResult(check: check, outcome: outcome, seconds: (ContinuousClock.now - began) / .seconds(1))
    }
}
