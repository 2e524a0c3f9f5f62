import CHostSimulation
import DocumentHost
import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage

/// What people do on machines, through the host and past it, and others at the provider's own place.
extension HostSimulation {
    static let names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]

    func perform(_ step: HostScenario.Step) {
        let life = lives[step.machine]
        switch step.action {
        case .createThere, .editThere, .moveThere, .removeThere, .makeFolderThere, .moveFolderThere,
            .removeFolderThere, .createLargeThere, .editLargeThere, .makePackageThere, .makePartThere, .editPartThere,
            .movePackageThere, .removePackageThere, .createLikeThere, .moveLikeThere:
            return performThere(step)
        case .kill: return kill(step.machine, losesPower: false)
        case .losePower: return kill(step.machine, losesPower: true)
        case .loseIndex: return kill(step.machine, losesPower: step.other % 2 == 0, losesIndex: true)
        case .restart: return restart(step.machine)
        case .jumpAhead: dates[step.machine] += 31_536_000_000_000_000
        case .jumpBack: dates[step.machine] -= 31_536_000_000_000_000
        case .disconnect: if let life { disconnect(life) }
        case .clash: return clash(step)
        case .createLikeAtOnce: return createLikeAtOnce(step)
        default: break
        }
        if let life { act(step, on: life) { [self] in try await perform(step, $0, life) } }
    }

    /// Has somebody do something on a machine, while others go on.
    func act(
        _ step: HostScenario.Step, on life: MachineLife,
        _ body: @escaping @Sendable (DocumentHost) async throws -> Void
    ) {
        guard let host = life.host else { return }
        running = life
        defer { running = nil }
        life.people += 1
        Task(executorPreference: life.loop) { [self] in
            do {
                try await body(host)
                note("m\(life.machine) \(step.action): done")
            } catch {
                note("m\(life.machine) \(step.action): \(error)")
            }
            life.people -= 1
        }
    }

    private func perform(_ step: HostScenario.Step, _ host: DocumentHost, _ life: MachineLife) async throws {
        if step.action == .list {
            _ = await everything(of: host, refreshing: true)
            return
        }
        let sight = await look(at: host)
        let all = sight.shown
        let documents = all.filter { $0.item.kind == .document }
        let document = documents.isEmpty ? nil : documents[step.pick % documents.count]
        let folders = [try Location("\(Self.domain):/")] + all.filter { $0.item.kind == .folder }.map(\.location)
        let folder = folders[step.other % folders.count]
        let free = folder.appending(try ItemName(Self.names[step.pick % Self.names.count]))
        switch step.action {
        case .create, .createLarge: try await write(free, as: .new, step, host)
        case .holdPlace: try await write(free, as: .inPlace, step, host, holding: 1_000 + step.other * 15)
        case .moveIn: try await moveIn(to: free, step, host, life.machine)
        case .moveFolderIn:
            let place = folder.appending(try ItemName("folder\(step.pick % 3)"))
            try await moveFolderIn(to: place, step, host, life.machine)
        case .makeFolder:
            _ = try await host.makeFolder(
                at: folder.appending(try ItemName("folder\(step.pick % 3)")), atOnce: step.other % 3 == 0)
        case .resume: try await resume(documents, step, host)
        case .keepCurrent, .keepOther, .keepBoth, .putSide, .dropSide, .fetchSides, .editSide:
            try await perform(step, onConflictsOf: documents, host)
        case .restoreTrash: try await restoreTrash(host, life.machine, to: free, step)
        case .emptyTrash: try await emptyTrash(host, life.machine)
        case .approveDeletions: try await answerDeletions(true, on: host, life.machine)
        case .refuseDeletions: try await answerDeletions(false, on: host, life.machine)
        case .moveFolder, .removeFolder, .moveFolderPast:
            try await perform(step, onFoldersOf: sight, host, life.machine)
        case .movePackageIn, .editPackage, .readPackage, .evictPackage, .movePackage, .removePackage:
            try await perform(step, onPackagesOf: sight, host, life.machine)
        case .createLike, .renameLike: try await perform(step, onNamesOf: sight, host)
        case .present: try await present(step, seeing: sight, host, life)
        case .stopPresenting: stopPresenting(step, host)
        default:
            guard let document else { return }
            try await perform(step, on: document, to: free, host, life.machine)
        }
    }

    private func perform(
        _ step: HostScenario.Step, on document: ItemStatus, to free: Location, _ host: DocumentHost, _ machine: Int
    ) async throws {
        let place = document.location
        switch step.action {
        case .edit: try await write(place, as: .replaced, step, host)
        case .editInPlace: try await write(place, as: .inPlace, step, host)
        case .holdWriting: try await write(place, as: .inPlace, step, host, holding: 1_000 + step.other * 15)
        case .read: try await read(place, host)
        case .readComing: try await readComing(place, step, host)
        case .giveUpComing: try await giveUpComing(document, step, host)
        case .holdReading: try await read(place, host, holding: 1_000 + step.other * 15)
        case .move: _ = try await host.rename(place, to: free, atOnce: step.other % 3 == 0)
        case .rename:
            let name = try ItemName(Self.names[step.other % Self.names.count])
            guard let folder = place.parent else { return }
            _ = try await host.rename(place, to: folder.appending(name), atOnce: step.pick % 3 == 0)
        case .remove:
            // By its name, as all hosts are asked: they look at what is called so just then, and not only when all was listed.
            let document = try await host.knownItem(at: place)
            guard document.item.kind == .document else { return }
            let here = number(of: document, host)
            let key = MachineDocument(machine: machine, id: document.item.id)
            let evicted = evictions[key]
            try await whileRemoving(seen(of: document, host), of: [document.item.id], on: machine) {
                try await host.remove(place, recursive: false, discardingUnsent: false, atOnce: step.other % 3 == 0)
            }
            // Where the remote keeps it, what comes back is nothing that anybody has pinned.
            pins[key] = nil
            if let here, document.state == .materialised, evictions[key] == evicted {
                trashed[machine, default: []].insert(here)
            }
        case .pause: try await pause(document, step, host)
        case .pin: try await setPinned(true, document, host, machine)
        case .unpin: try await setPinned(false, document, host, machine)
        case .evict:
            let key = MachineDocument(machine: machine, id: document.item.id)
            defer { evictions[key, default: 0] += 1 }
            try await evict(place, host, machine)
        case .replacePast: try replacePast(host, place, step)
        case .renamePast:
            let (from, to) = (Self.path(place, host), Self.path(free, host))
            asPerson {
                guard access(to, F_OK) != 0 else { return }
                if let number = ledger.number(of: SimulatedDisk.bytes(of: from)) { excuse(number) }
                _ = Glibc.rename(from, to)
            }
        case .removePast:
            wantedGone[machine, default: []].insert(document.item.id)
            removePast(Self.path(place, host))
        default: break
        }
    }

    /// All that a host shows.
    func everything(of host: DocumentHost, refreshing: Bool = false) async -> [ItemStatus] {
        await look(at: host, refreshing: refreshing).shown
    }

    /// What somebody sees who looks into all folders of a host.
    struct Sight {
        var shown: [ItemStatus] = []
        /// Folders that could not be looked into, or not to their end.
        var unlisted: [Location] = []

        /// Whether all that is in a folder was to be seen.
        func isWhole(in folder: Location) -> Bool { !unlisted.contains { $0 == folder || $0.isBelow(folder) } }
    }

    func look(at host: DocumentHost, refreshing: Bool = false) async -> Sight {
        var sight = Sight()
        var folders = [Location(domain: Self.domainName)]
        while let folder = folders.popLast() {
            var page: PageToken?
            repeat {
                let items: ItemStatusPage
                do throws(DocumentError) {
                    items = try await host.items(
                        in: folder, page: page, suggestedCount: 100, refreshing: refreshing)
                } catch {
                    // There is nothing to be seen in what is gone.
                    if error.code != .noSuchItem { sight.unlisted.append(folder) }
                    break
                }
                sight.shown += items.items
                folders += items.items.filter { $0.item.kind != .document }.map(\.location)
                page = items.next
            } while page != nil
        }
        sight.shown.sort { $0.location.description < $1.location.description }
        return sight
    }

    static let domainName: DomainName = {
        guard let name = try? DomainName(domain) else { preconditionFailure("It is a name.") }
        return name
    }()

    static func path(_ location: Location, _ host: DocumentHost) -> String {
        "\(host.rootPath)/documents/\(domain)/\(location.relativePath)"
    }

    // MARK: Through the host

    enum Way { case new, replaced, inPlace }

    /// - Parameter holding: for how many milliseconds whoever writes has the document to himself afterwards.
    func write(
        _ place: Location, as way: Way, _ step: HostScenario.Step, _ host: DocumentHost, holding: Int = 0
    ) async throws {
        let tool = host.connect(tool: "person")
        defer { host.disconnect(tool) }
        var request = AccessRequest(location: place, intent: .writing)
        request.isCreating = way == .new
        guard let life = living.first(where: { $0.host === host }) else { return }
        if request.isCreating { beginFile(on: life.machine) }
        let (access, items): (UInt64, [AccessedItem])
        do {
            (access, items) = try await host.beginAccess(request, for: tool)
        } catch {
            if request.isCreating { endFile(on: life.machine) }
            throw error
        }
        guard let item = items.first else { return }
        if step.other % 4 == 0 { await life.loop.pause(.milliseconds(step.pick)) }
        let isNew = request.isCreating || asPerson { Glibc.access(item.path, F_OK) != 0 }
        if isNew, !request.isCreating { beginFile(on: life.machine) }
        let seen = asPerson { ledger.number(of: SimulatedDisk.bytes(of: item.path)) }
        let new = step.action == .createLarge ? makeLarge(step) : ledger.make(size: step.other * 7)
        if let seen { ledger.replace(seen, by: new.number) }
        note("a person writes \(new.number) over \(seen.map(String.init) ?? "nothing") at \(place)")
        if way != .replaced { beginOverwriting(with: new.number, on: life.machine) }
        let isDone = asPerson { way == .replaced ? replace(item.path, new.bytes) : overwrite(item.path, new.bytes) }
        guard isDone else { return }
        if step.other % 5 == 0 { await life.loop.pause(.milliseconds(step.pick)) }
        if holding > 0 {
            await life.loop.pause(.milliseconds(holding))
            let bytes = asPerson { SimulatedDisk.bytes(of: item.path) }
            if !life.isOver, !life.isDying, bytes != new.bytes, !isPassed {
                complain("\(place) was changed while somebody wrote it")
            }
        }
        // Somebody may have taken it from there past the host, before it was on the disk: then no host can see to that.
        let isThere = !isPassed || asPerson { SimulatedDisk.bytes(of: item.path) == new.bytes }
        try await host.endAccess(access, of: tool)
        endOverwriting(with: new.number, on: life.machine)
        guard isThere else { return }
        ledger.acknowledge(new.number)
        if isNew { endFile(on: life.machine) }
    }

    /// Whether somebody does things past the hosts, whoever writes.
    private var isPassed: Bool {
        let past: Set<HostScenario.Action> = [.replacePast, .renamePast, .removePast, .moveFolderPast]
        return scenario.steps.contains { past.contains($0.action) }
    }

    private func read(_ place: Location, _ host: DocumentHost, holding: Int = 0) async throws {
        let tool = host.connect(tool: "reader")
        defer { host.disconnect(tool) }
        let access = try await host.beginAccess(AccessRequest(location: place, intent: .reading), for: tool)
        guard let item = access.items.first else { return }
        let bytes = asPerson { SimulatedDisk.bytes(of: item.path) }
        if !isWhole(bytes) { complain("\(place) is read damaged") }
        if holding > 0, let life = living.first(where: { $0.host === host }) {
            await life.loop.pause(.milliseconds(holding))
        }
        try await host.endAccess(access.number, of: tool)
    }

    // MARK: Past it

    func asPerson<Value>(_ body: () -> Value) -> Value {
        isPerson = true
        defer { isPerson = false }
        return body()
    }

    private func replacePast(
        _ host: DocumentHost, _ place: Location, _ step: HostScenario.Step
    ) throws {
        let path = Self.path(place, host)
        asPerson {
            guard access(path, F_OK) == 0 else { return }
            let seen = ledger.number(of: SimulatedDisk.bytes(of: path))
            let new = ledger.make(size: step.other * 5)
            if let seen { ledger.replace(seen, by: new.number) }
            note("a person writes \(new.number) past the host at \(place)")
            // What a program leaves half on the disk when the power fails, no host can make whole.
            _ = step.pick % 2 == 0 ? replace(path, new.bytes) : overwrite(path, new.bytes, flushing: true)
        }
    }

    /// As most programs save.
    func replace(_ path: String, _ bytes: [UInt8]) -> Bool {
        let aside = path + ".new~"
        let file = Glibc.open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        close(file)
        return isWritten && Glibc.rename(aside, path) == 0
    }

    func overwrite(_ path: String, _ bytes: [UInt8], flushing: Bool = false) -> Bool {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return pwrite(file, bytes, bytes.count, 0) == bytes.count && ftruncate(file, bytes.count) == 0
            && (!flushing || fsync(file) == 0)
    }
}
