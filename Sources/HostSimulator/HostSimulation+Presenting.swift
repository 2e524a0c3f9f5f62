import DocumentHost
import DocumentModel
import DocumentStorage
import DocumentTransport

/// People have documents and folders open on machines, and are told of what becomes of them (COORD-26, COORD-28).
extension HostSimulation {
    func present(
        _ step: HostScenario.Step, seeing sight: Sight, _ host: DocumentHost, _ life: MachineLife
    ) async throws {
        let packages = sight.shown.filter { $0.item.kind == .package }.map(\.location)
        // What is in a package is presented with it.
        let plain = sight.shown.filter { status in
            status.item.kind != .package && !packages.contains { status.location.isBelow($0) }
        }
        let folders = [Location(domain: Self.domainName)] + plain.filter { $0.item.kind == .folder }.map(\.location)
        let documents = plain.filter { $0.item.kind == .document }.map(\.location)
        let isFolder = step.pick % 3 == 0 || documents.isEmpty
        let place = isFolder ? folders[step.other % folders.count] : documents[step.pick % documents.count]
        try await present(place, isObserver: step.other % 2 == 0, host, life)
    }

    private func present(
        _ place: Location, isObserver: Bool, _ host: DocumentHost, _ life: MachineLife
    ) async throws {
        let status = try await host.knownItem(at: place)
        // What is new gets another identifier, and what is not shown is nobody's to open.
        guard !status.item.id.isArriving, status.state != .nameClash else { return }
        let presenter = SimulatedPresenter(
            of: status.item.id, at: place, isObserver: isObserver, on: life, host)
        host.listen(presenter.tool) { [self] in hear($0, presenter) }
        do {
            try await host.addPresenter(presenter.registration, for: presenter.tool)
            // Another one may have come to its place meanwhile.
            let now = try await host.knownItem(at: presenter.place)
            guard now.item.id == presenter.id else { return presenter.close() }
        } catch {
            presenter.close()
            throw error
        }
        note("m\(life.machine): somebody has \(presenter.id) open, at \(presenter.place)")
        presenters.append(presenter)
    }

    func stopPresenting(_ step: HostScenario.Step, _ host: DocumentHost) {
        let open = presenters.filter { $0.host === host && !$0.isOver }
        if !open.isEmpty { open[step.pick % open.count].close() }
    }

    func endPresenting(on host: DocumentHost, _ isMeant: (SimulatedPresenter) -> Bool) {
        for presenter in presenters where presenter.host === host && isMeant(presenter) { presenter.close() }
    }

    /// A host tells something, and is answered soon: so nobody is ever given up.
    private func hear(_ news: DocumentHost.ToolNews, _ presenter: SimulatedPresenter) {
        let life = presenter.life
        guard !life.isOver, !life.isDying, !presenter.isOver else { return }
        switch news {
        case .message(let message, let number, _):
            note("m\(life.machine): who has \(presenter.id) open hears \(message)")
            if presenter.isAnswering { complain("m\(life.machine) tells two things at once of \(presenter.id)") }
            presenter.isAnswering = true
            Task(executorPreference: life.loop) { [self] in
                await life.loop.pause(.milliseconds(Int(number % 4) * 50))
                let isHeard = mistake != .losesMessages || message.isAwaited
                if isHeard, case .didMove(let place) = message { presenter.place = place }
                if isHeard { presenter.messages.append(message) }
                presenter.isAnswering = false
                presenter.host.answered(number, by: presenter.tool, failure: nil)
                if isHeard { await look(as: presenter) }
            }
        case .dropped(_, let reason):
            complain("m\(life.machine) has given up who has \(presenter.id) open, and had its answers: \(reason)")
        case .deadlock(let text): note("m\(life.machine): \(text)")
        }
    }

    /// After it was told something, it looks at the document.
    private func look(as presenter: SimulatedPresenter) async {
        guard let status = try? await presenter.host.knownItem(at: presenter.place), status.item.id == presenter.id
        else { return }
        presenter.seen = remote.contents(of: presenter.id, in: status.item.version)
    }

    // MARK: What must hold

    /// When all is quiet others change what people have open, some of it since long, wherever it is by now: all are told. What a listing
    /// finds is not told to them, so that this is not looked at where there is no feed, or anchors expire.
    func checkPresenters() {
        guard scenario.hasPresenters, scenario.hasFeed, scenario.memory == nil, complaint == nil else { return }
        for machine in lives.indices {
            askAll(only: machine) { [self] host in await presentSome(on: host, machine) }
        }
        let open = presenters.filter(isOpen)
        for presenter in open { presenter.messages = [] }
        var made: [ItemIdentifier: ItemName] = [:]
        do {
            for (number, id) in Set(open.map(\.id)).sorted().enumerated() {
                let new = ledger.make(size: 20)
                if id != .root, remote.entries[id]?.contents != nil {
                    _ = try remote.modify(id, base: .none, contents: new.bytes, modified: date, savedBy: "there")
                } else {
                    let name = try ItemName("shown \(number)")
                    _ = try remote.create(
                        name, in: id, contents: new.bytes, modified: date, savedBy: "there", operation: nil)
                    made[id] = name
                }
            }
        } catch {
            return complain("others cannot change what is open: \(error)")
        }
        note("others have changed what \(open.count) have open")
        run(until: time + 5 * Self.minute)
        for presenter in open { check(presenter, made[presenter.id]) }
    }

    private func presentSome(on host: DocumentHost, _ machine: Int) async {
        guard let life = lives[machine], life.host === host else { return }
        let documents = await everything(of: host).filter {
            $0.item.kind == .document && $0.state != .nameClash && !isInPackage($0.item.id)
        }
        var places = [Location(domain: Self.domainName)]
        if !documents.isEmpty { places.append(documents[Int(scenario.seed % UInt64(documents.count))].location) }
        for place in places {
            do {
                try await present(place, isObserver: true, host, life)
            } catch {
                complain("m\(machine): nobody can have \(place) open: \(error)")
            }
        }
    }

    /// Whether it is still to be told of what it has open.
    private func isOpen(_ presenter: SimulatedPresenter) -> Bool {
        guard !presenter.isOver, lives[presenter.life.machine] === presenter.life else { return false }
        return presenter.id == .root || remote.entries[presenter.id] != nil && !isInPackage(presenter.id)
    }

    /// - Parameter made: what others have made in a folder; nil: it is a document.
    private func check(_ presenter: SimulatedPresenter, _ made: ItemName?) {
        let machine = presenter.life.machine
        if let made {
            let isTold = presenter.messages.contains { message in
                if case .subitemDidAppear(let place) = message { place.name == made } else { false }
            }
            if !isTold { complain("m\(machine): who has \(presenter.place) open is not told of \(made) in it") }
        } else if presenter.seen != remote.entries[presenter.id]?.contents {
            complain("m\(machine): who has \(presenter.id) open, at \(presenter.place), is not told of its last change")
        }
    }
}
