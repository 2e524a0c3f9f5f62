import CHostSimulation
import DocumentHost
import DocumentModel
import Glibc
import SystemPackage

/// What must hold when nothing changes any more.
extension HostSimulation {
    static let minute: UInt64 = 60_000_000_000

    func judge() {
        note("everything is well from now on")
        isCalm = true
        // A system writes all of it down some time, also what nobody has flushed.
        if mistake?.skipsFlush(of: "") == true || mistake?.rawValue.hasPrefix("flushesNo") == true {
            for disk in disks { disk.flushAll() }
        }
        reachTrash()
        for machine in lives.indices { dates[machine] = Self.dateAtBeginning }
        for machine in lives.indices { signal(machine, isResolved: true) }
        // After a disk had errors a host asks for that.
        if scenario.faults.badDisk > 0 { for machine in lives.indices { restart(machine) } }
        run(until: time + 12 * Self.minute)
        askAll { [self] host in
            await Self.restartProvider(of: host)
            await resumeAll(of: host)
            // Whoever has to be asked about things has them open no more.
            endPresenting(on: host) { !$0.isObserver }
        }
        if scenario.hasPresenters { run(until: time + 12 * Self.minute) }
        listAll()
        endClashes()
        if scenario.keepsSides {
            askAll { [self] host in await rescue(from: host) }
            run(until: time + 12 * Self.minute)
            listAll()
            for machine in lives.indices {
                askAll(only: machine) { [self] host in await checkSides(of: host, machine) }
            }
            winners = [:]
            for machine in lives.indices {
                askAll(only: machine) { [self] host in await checkWinners(of: host, machine) }
            }
            for machine in lives.indices.reversed() {
                guard complaint == nil else { return }
                // On each machine what is left, and has been heard of there.
                askAll(only: machine) { [self] host in await resolveSides(of: host, machine) }
                run(until: time + Self.minute)
            }
            run(until: time + 12 * Self.minute)
            listAll()
        }
        // Somebody chooses in every conflict, and then all machines are the same again.
        for round in 0..<4 {
            // What a host does not know, and does not overwrite, somebody puts elsewhere, as it asks for: after its index was
            // lost. What nobody had looked at is told of when something comes there.
            if round < 2 { askAll { [self] host in await rescue(from: host) } }
            // What was in a folder that got another name just when somebody looked was not to be seen.
            if round < 2 { askAll { [self] host in await resumeAll(of: host) } }
            // What was chosen since has left other sides.
            winners = [:]
            for machine in lives.indices {
                askAll(only: machine) { [self] host in await checkWinners(of: host, machine) }
            }
            for machine in lives.indices {
                askAll(only: machine) { [self] host in await answerDeletions(host, machine) }
            }
            askAll { [self] host in await resolveConflicts(of: host, round) }
            run(until: time + 12 * Self.minute)
            listAll()
            endClashes()
            if complaint != nil { return }
        }
        answerLastDeletions()
        listAll()
        endClashes()
        if mistake == .dropsTrash { dropTrash() }
        checkLosses()
        if scenario.keepsSides {
            for machine in lives.indices {
                askAll(only: machine) { [self] host in await checkNoSides(of: host, machine) }
            }
        }
        for machine in lives.indices {
            askAll(only: machine) { [self] host in
                await checkPins(host, machine)
                await checkTrashIsMeant(host, machine)
            }
        }
        guard complaint == nil else { return }
        askAll { [self] host in await compare(host) }
        guard complaint == nil else { return }
        checkLeftovers()
        guard complaint == nil else { return }
        let before = (requests, simulation_changes())
        run(until: time + 8 * Self.minute)
        let (asked, changed) = (requests - before.0, simulation_changes() - before.1)
        // Without a feed, what was looked at just now is listed once more, or is about to be.
        let listings = scenario.hasFeed ? 0 : remote.pages
        if asked > (40 + listings) * lives.count || changed > UInt64((400 + 100 * listings) * lives.count) {
            return complain("no quiet: \(asked) requests and \(changed) changes of files in eight minutes")
        }
        checkNews()
        checkPresenters()
    }

    /// Has somebody do something on each machine, and waits for all of them.
    func askAll(only: Int? = nil, _ body: @escaping @Sendable (DocumentHost) async -> Void) {
        for machine in lives.indices where complaint == nil && (only == nil || only == machine) {
            guard let life = lives[machine], let host = life.host else {
                complain("m\(machine) is not up")
                return
            }
            life.people = 0
            running = life
            life.people += 1
            Task(executorPreference: life.loop) {
                await body(host)
                life.people -= 1
            }
            running = nil
            run(until: time + 60 * Self.minute) { life.people == 0 }
            if complaint == nil, life.people > 0 { complain("m\(machine) gives no answer") }
        }
    }

    /// Without a feed each machine knows what it has listed: somebody lists all of it on each, until nothing comes of it any more.
    func listAll() {
        guard !scenario.hasFeed else { return }
        for _ in 0..<8 where complaint == nil {
            let before = remote.changes.count
            askAll { [self] host in _ = await everything(of: host, refreshing: true) }
            run(until: time + 12 * Self.minute)
            if remote.changes.count == before { return }
        }
    }

    /// A provider whose connections ended too often is not started again until somebody says so.
    private static func restartProvider(of host: DocumentHost) async {
        guard let domain = try? await host.domainDescriptions().first, domain.providerState == .failed else { return }
        try? await host.restartProvider(domain.providerID, domain: nil)
    }

    private func rescue(from host: DocumentHost) async {
        let shown = await everything(of: host, refreshing: true)
        var told: Set<String> = []
        for status in shown where status.state == .placeholder {
            do {
                try await host.download(status.location)
            } catch {
                if error.code == .destinationExists { told.insert(Self.path(status.location, host)) }
            }
        }
        // Where a folder is shown, a file is nobody's.
        let known = Set(shown.filter { $0.item.kind == .document }.map { Self.path($0.location, host) })
        let findings = host.findings.joined()
        asPerson {
            for path in SimulatedDisk.files(below: "\(host.rootPath)/documents/\(Self.domain)")
            where told.contains(path) || !known.contains(path) && findings.contains(path) {
                rescued.append(SimulatedDisk.bytes(of: path))
                note("somebody puts \(path) elsewhere")
                unlink(path)
            }
        }
    }

    /// Whoever was asked answers; not all of them alike.
    private func answerDeletions(_ host: DocumentHost, _ machine: Int) async {
        guard scenario.asksBeforeDeleting else { return }
        let isMeant = (scenario.seed >> machine) & 1 == 0
        do {
            try await answerDeletions(isMeant, on: host, machine)
            note("m\(machine): deletions are \(isMeant ? "" : "not ")meant")
        } catch {
            note("m\(machine): deletions cannot be answered: \(error)")
        }
    }

    /// What goes on the remote by one machine's yes is asked about on those that have answered before that.
    private func answerLastDeletions() {
        for _ in 0..<2 * lives.count where scenario.asksBeforeDeleting {
            isAsked = false
            for machine in lives.indices {
                askAll(only: machine) { [self] host in
                    let domains = (try? await host.domainDescriptions()) ?? []
                    guard domains.contains(where: { !$0.heldDeletions.isEmpty }) else { return }
                    isAsked = true
                    await answerDeletions(host, machine)
                }
            }
            guard isAsked, complaint == nil else { return }
            run(until: time + 12 * Self.minute)
        }
    }

    private func resolveConflicts(of host: DocumentHost, _ round: Int) async {
        for status in await everything(of: host, refreshing: true)
        where status.state == .conflict || status.item.conflictVersions > 0 {
            do {
                try await host.resolveConflict(at: status.location, keeping: .both)
                note("\(status.location): both are kept")
            } catch {
                note("\(status.location): \(error)")
                if round == 3 { complain("the conflict of \(status.location) cannot be resolved: \(error)") }
            }
        }
        do {
            try await host.waitUntilSent(Location(domain: Self.domainName))
        } catch {
            note("not sent: \(error)")
            if round == 3 { complain("not everything can be sent: \(error)") }
        }
    }

    private func checkLosses() {
        for machine in lives.indices { askAll(only: machine) { [self] host in await reach(into: host, machine) } }
        var found = reached
        for entry in remote.entries.values {
            for bytes in [entry.contents].compactMap(\.self) + entry.sides.map(\.contents) {
                if let number = ledger.number(of: bytes) {
                    found.insert(number)
                } else if !isWhole(bytes) {
                    complain("the provider was given damaged contents for \(entry.name)")
                }
            }
        }
        found.formUnion(rescued.compactMap(ledger.number))
        simulation_pause()
        defer { simulation_resume() }
        checkTrash(found)
        let lost = ledger.lost(found: found).filter { !isDrivenOut($0) }
        guard let first = lost.first else { return }
        let rest = hiddenFile(of: first).map { ", but for \($0)" } ?? ""
        complain("the contents \(first) are lost, and \(lost.count - 1) others\(rest)")
    }

    /// The host shows the provider's tree, and its contents; and what is evicted comes back.
    private func compare(_ host: DocumentHost) async {
        let shown = await everything(of: host, refreshing: true)
        let tree = remote.tree()
        let name = host.rootPath.lastComponent?.string ?? ""
        var paths: Set<String> = []
        for status in shown {
            let there = remote.entries[status.item.id] == nil ? "nowhere" : remote.path(of: status.item.id)
            note("\(name) shows \(status.item.id) at \(status.location), which the remote has at \(there)")
        }
        for status in shown {
            let path = "/" + status.location.relativePath
            paths.insert(path)
            guard let entry = tree[path] else {
                return complain("\(name) shows \(path) (\(status.state)), which is not there")
            }
            guard let contents = entry.contents else { continue }
            note("\(name) shows \(status.item.id) as \(path), \(status.state) \(status.problem?.message ?? "")")
            guard status.state != .nameClash else { continue }
            do {
                try await host.download(status.location)
                guard isSame(contents, host, status) else { return complain("\(name) has other contents of \(path)") }
                // Pinned, it has to stay.
                if status.marks.keeping == .pinned {
                    guard (try? await host.evict(status.location)) == nil else {
                        return complain("\(name): \(path) is pinned, and was evicted")
                    }
                    continue
                }
                _ = try await host.evict(status.location)
                try await host.download(status.location)
                guard isSame(contents, host, status) else { return complain("\(name): \(path) comes back otherwise") }
            } catch {
                return complain("\(name) cannot bring \(path): \(error)")
            }
        }
        if let missing = tree.keys.sorted().first(where: { !paths.contains($0) }) {
            complain("\(name) does not show \(missing)")
        }
    }

    func isSame(_ contents: [UInt8], _ host: DocumentHost, _ status: ItemStatus) -> Bool {
        asPerson { SimulatedDisk.bytes(of: Self.path(status.location, host)) } == contents
    }

    /// Nothing lies in the documents' tree that is no document, and nothing is under way.
    private func checkLeftovers() {
        simulation_pause()
        defer { simulation_resume() }
        let tree = remote.tree()
        for machine in lives.indices {
            let documents = root(of: machine) + "/documents/\(Self.domain)"
            for path in SimulatedDisk.files(below: documents) where !path.contains("/.docent") {
                guard tree[String(path.dropFirst(documents.count))] == nil, !path.hasSuffix("~") else { continue }
                return complain("m\(machine): \(path) is left over")
            }
            let staging = SimulatedDisk.files(below: root(of: machine) + "/.docent/staging")
            if let file = staging.first { return complain("m\(machine): \(file) is left over, of \(staging.count)") }
        }
    }
}
