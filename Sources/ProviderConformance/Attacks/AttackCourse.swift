import DocumentClient
import DocumentModel
import Foundation
import Glibc
import SystemPackage

/// One attack, carried out: a domain with the behaviour, the question, the verdict, and what is left behind.
struct AttackCourse: Sendable {
    let attack: HostAttack
    let machine: HostMachine
    let domain: DomainName
    /// Where the provider notes what it sees.
    private let traffic: AttackTraffic
    /// How long the caller may have to wait.
    private let limit: Duration

    init(
        _ attack: HostAttack, on machine: HostMachine, number: Int, traffic: AttackTraffic, patience: Double
    ) throws {
        self.traffic = traffic
        self.attack = attack
        limit = attack.limit(patience: patience)
        self.machine = machine
        domain = try DomainName("a\(number)")
    }

    /// - Throws: ``CheckFailure`` when the host does not stand it.
    func run() async throws {
        try traffic.prepare()
        guard attack.question != .tool else {
            return try await HostileTool(attack: attack, machine: machine, traffic: traffic).run()
        }
        let attack = attack
        try await machine.ask(as: "attack \(attack.id)") { client in
            let added = try await add(client)
            if added {
                let before = try await placeholder(client)
                let outcome = await outcome(of: attack.question, client)
                let process = try? await client.domains().first { $0.name == domain }?.providerProcessID
                let verdict: (any Error)?
                do {
                    try await judge(outcome, client, before)
                    try expectNothingOutside()
                    try await expectRecord(of: outcome, client)
                    verdict = nil
                } catch { verdict = error }
                // Whatever came of it, the next attack finds the host without this domain.
                do {
                    try await remove(client, process ?? nil)
                } catch { throw verdict ?? error }
                if let verdict { throw verdict }
            }
        }
        try await expectNothingLeft()
        // On a connection of its own: the host serves newcomers.
        try await expectHost()
        try traffic.expectDeed(of: attack)
        try traffic.expectRespect()
    }

    private var bundle: MisbehavingBundle {
        get throws {
            try MisbehavingBundle.bundle(with: attack.capabilities, startingProcesses: attack.startsProcesses)
        }
    }

    // MARK: Before

    /// - Returns: whether the domain is there.
    private func add(_ client: DocumentClient) async throws -> Bool {
        let identifier = try ProviderIdentifier(bundle.identifier)
        let domain = domain
        let settings = ["behaviour": attack.behaviour, "traffic": traffic.folder]
        let outcome = await Self.outcome(within: limit) {
            try await client.addDomain(domain, provider: identifier, settings: settings)
        }
        if attack.question == .add {
            try await judge(outcome, client, nil)
            guard case .success = outcome else { return false }
            try await remove(client, nil)
            return false
        }
        switch outcome {
        case .success: return true
        case .failure(let error):
            throw CheckFailure(
                "The domain cannot be added, which the provider gives no reason for.", detail: "\(error)")
        }
    }

    // MARK: The verdict

    private func outcome(
        of question: HostQuestion, _ client: DocumentClient
    ) async -> Result<Void, any Error> {
        let asking = self.question
        return await Self.outcome(within: limit) { try await asking.ask(question, client) }
    }

    private var question: AttackQuestion {
        AttackQuestion(
            domain: domain, folder: machine.folder, isProper: attack.expectation == .success, traffic: traffic)
    }

    private static func outcome(
        within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
    ) async -> Result<Void, any Error> {
        do {
            try await within(limit, else: CheckFailure("The caller gets no answer in time."), body)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter before: the placeholder before anything was asked.
    private func judge(
        _ outcome: Result<Void, any Error>, _ client: DocumentClient, _ before: PlaceholderLook?
    ) async throws {
        switch outcome {
        case .success:
            if case .failure = attack.expectation {
                throw CheckFailure("The caller is told that all is well.")
            }
            guard attack.question != .add else { return }
            try await question.expectGood(attack, client)
        case .failure(let error as DocumentError):
            if error.code == .hostUnavailable {
                throw CheckFailure(
                    "The host ends, or closes the caller's connection.", detail: "\(error)\n\(machine.logTail)")
            }
            guard !attack.expectation.codes.isEmpty else {
                throw CheckFailure("The caller gets an error though the provider did its work.", detail: "\(error)")
            }
            guard attack.expectation.codes.contains(error.code) else {
                throw CheckFailure(
                    "The caller is told of \(error.code), which is not what happened.",
                    detail: "\(error)\n\(error.detail)")
            }
            try ErrorClarity.check(error, naming: try bundle.identifier, saying: attack.words)
            try await expectUntouched(client, before)
        case .failure(let error): throw error
        }
    }

    /// After a failure the document is what it was: a placeholder, and nothing at its place.
    private func expectUntouched(_ client: DocumentClient, _ before: PlaceholderLook?) async throws {
        guard wantsTarget else { return }
        guard let item = try await target(client), !item.path.isEmpty else {
            throw CheckFailure("After the failure the document is not listed any more.")
        }
        guard item.state == .placeholder else {
            throw CheckFailure("After the failure the document is \(item.state), and not a placeholder.")
        }
        guard access(item.path, F_OK) != 0 else {
            throw CheckFailure("After the failure there is a file in the document's place.", detail: item.path)
        }
        let after = PlaceholderLook(of: item.path)
        guard before == after else {
            throw CheckFailure(
                "After the failure the placeholder is another one.",
                detail: "Before: \(before.map { "\($0)" } ?? "none")\nAfter: \(after.map { "\($0)" } ?? "none")")
        }
    }

    /// Whether it is the target's contents that are asked for.
    private var wantsTarget: Bool { [.read, .readThenGood, .readAndCancel].contains(attack.question) }

    private func target(_ client: DocumentClient) async throws -> ItemStatus? {
        let page = try await client.itemPage(in: Location(domain: domain))
        return page.items.first { $0.item.id.rawValue == "target" }
    }

    /// The target's placeholder, before the target is asked for.
    private func placeholder(_ client: DocumentClient) async throws -> PlaceholderLook? {
        guard wantsTarget else { return nil }
        return try await within(limit, else: CheckFailure("The top folder is not listed in time.")) {
            guard let path = try await target(client)?.path else { return nil }
            // It is made behind the listing.
            for _ in 0..<400 {
                if let look = PlaceholderLook(of: path) { return look }
                try await Task.sleep(for: .milliseconds(20))
            }
            return nil
        }
    }

    /// Looked for while the domain is there: with it goes what lies in its folders.
    private func expectNothingOutside() throws {
        guard attack.writesOutside else { return }
        let evil = HostState.evil(below: machine.folder)
        guard evil.isEmpty else {
            throw CheckFailure("The provider could write where it may not.", detail: evil.joined(separator: "\n"))
        }
    }

    /// What came too late for the caller to be told of it is told of in the provider's last failure; and so is whatever
    /// its author is to be told of.
    private func expectRecord(of outcome: Result<Void, any Error>, _ client: DocumentClient) async throws {
        let code: DocumentError.Code
        switch (attack.expectation, outcome) {
        case (.noticed(let noticed), _): code = noticed
        case (_, .failure(let error as DocumentError))
        where [.contractBroken, .protocolViolation].contains(error.code):
            code = error.code
        default: return
        }
        let (provider, domain) = (try ProviderIdentifier(bundle.identifier), domain)
        let isNoticed = try await eventually(within: HostMachine.patience) {
            try await client.lastFailure(of: provider, domain: domain)?.record.code == code.description
        }
        guard isNoticed else { throw CheckFailure("The host has no record of what the provider did wrong: \(code).") }
    }

    // MARK: After

    private func remove(_ client: DocumentClient, _ process: Int32?) async throws {
        let domain = domain
        let outcome = await Self.outcome(within: HostMachine.patience) {
            // The host may try once more to send what could not be sent, and hold the document meanwhile.
            while true {
                do {
                    return try await client.removeDomain(domain, discardUnsent: true)
                } catch let error as DocumentError where error.code == .busy {}
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        if case .failure(let error) = outcome {
            throw CheckFailure("The domain cannot be removed afterwards.", detail: "\(error)")
        }
        guard let process else { return }
        guard try await eventually(within: .seconds(5), { !HostFootprint.lives(process) }) else {
            throw CheckFailure("The provider's process outlives its domain.", detail: "Process \(process)")
        }
    }

    /// No child of the provider runs any more, wherever it went.
    private func expectNothingLeft() async throws {
        let (folder, behaviour) = (machine.folder, attack.behaviour)
        let isGone = try await eventually(within: .seconds(8)) {
            !HostFootprint.processes(below: folder).contains { $0.words.contains(behaviour) }
        }
        guard isGone else {
            let left = HostFootprint.processes(below: folder).filter { $0.words.contains(behaviour) }
            throw CheckFailure(
                "Processes that the provider started are left.",
                detail: left.map { "\($0.id): \($0.words.joined(separator: " "))" }.joined(separator: "\n"))
        }
    }

    private func expectHost() async throws {
        let machine = machine
        let outcome = await Self.outcome(within: HostMachine.patience) {
            _ = try await machine.ask { try await $0.hostStatus() }
        }
        if case .failure(let error) = outcome {
            throw CheckFailure("The host does not answer afterwards.", detail: "\(error)\n\(machine.logTail)")
        }
    }
}
