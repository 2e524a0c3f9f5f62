import DocumentHost
import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage

/// Packages: folders that are one document, and of which each part is sent by itself (COORD-21).
extension HostSimulation {
    private static let packageNames = ["note0.rtfd", "note1.rtfd"]
    private static let partNames = ["a.txt", "b.txt", "inner/c.txt"]

    /// - Parameter sight: what the host shows.
    func perform(
        _ step: HostScenario.Step, onPackagesOf sight: Sight, _ host: DocumentHost, _ machine: Int
    ) async throws {
        let all = sight.shown
        let folders = [Location(domain: Self.domainName)] + all.filter { $0.item.kind == .folder }.map(\.location)
        let place = folders[step.other % folders.count]
            .appending(try ItemName(Self.packageNames[step.other % Self.packageNames.count]))
        if step.action == .movePackageIn {
            return try await moveFolderIn(to: place, step, host, machine, ending: ".rtfd")
        }
        let packages = all.filter { $0.item.kind == .package }
        guard !packages.isEmpty else { return }
        let package = packages[step.pick % packages.count].location
        let parts = all.filter { $0.item.kind == .document && $0.location.isBelow(package) }
        switch step.action {
        case .editPackage: try await edit(package, parts, step, host)
        case .readPackage: try await read(package, parts, host)
        case .evictPackage:
            let keys = parts.map { MachineDocument(machine: machine, id: $0.item.id) }
            defer { for key in keys { evictions[key, default: 0] += 1 } }
            _ = try await host.evict(package)
        case .movePackage: _ = try await host.rename(package, to: place, atOnce: step.other % 3 == 0)
        case .removePackage: try await removeFolder(package, seenAs: sight, host, machine)
        default: break
        }
    }

    /// Somebody opens a package and changes, adds and removes some of its parts.
    private func edit(
        _ package: Location, _ parts: [ItemStatus], _ step: HostScenario.Step, _ host: DocumentHost
    ) async throws {
        let tool = host.connect(tool: "person")
        defer { host.disconnect(tool) }
        let access = try await host.beginAccess(AccessRequest(location: package, intent: .writing), for: tool)
        guard let folder = access.items.first?.path, let life = living.first(where: { $0.host === host }) else {
            return
        }
        if step.other % 4 == 0 { await life.loop.pause(.milliseconds(step.pick)) }
        var written: [Int] = []
        var begun = 0
        for number in 0...step.pick % 3 {
            let pick = step.pick / 3 + number * 7
            let files = asPerson { partFiles(of: folder) }
            let chosen = files.isEmpty ? nil : files[pick % files.count]
            if pick % 5 == 0, let chosen {
                note("a person removes \(chosen) of \(package)")
                let removed = parts.filter { Self.path($0.location, host) == chosen }.map(\.item.id)
                wantedGone[life.machine, default: []].formUnion(removed)
                removePast(chosen)
            } else {
                let isNew = pick % 5 == 1 || chosen == nil
                let path = isNew ? "\(folder)/\(Self.partNames[pick % Self.partNames.count])" : chosen ?? ""
                if asPerson({ Glibc.access(path, F_OK) != 0 }) {
                    beginFile(on: life.machine)
                    begun += 1
                }
                let new = asPerson {
                    writePart(path, size: step.other + number, isReplacing: pick % 2 == 0, on: life.machine)
                }
                if let new { written.append(new) }
            }
        }
        if step.other % 5 == 0 { await life.loop.pause(.milliseconds(step.pick)) }
        try await host.endAccess(access.number, of: tool)
        for number in written {
            endOverwriting(with: number, on: life.machine)
            ledger.acknowledge(number)
        }
        for _ in 0..<begun { endFile(on: life.machine) }
    }

    private func writePart(_ path: String, size: Int, isReplacing: Bool, on machine: Int) -> Int? {
        let seen = ledger.number(of: SimulatedDisk.bytes(of: path))
        let new = ledger.make(size: size)
        if let seen { ledger.replace(seen, by: new.number) }
        note("a person writes \(new.number) over \(seen.map(String.init) ?? "nothing") at \(path)")
        _ = mkdir(FilePath(path).removingLastComponent().string, 0o700)
        if !isReplacing { beginOverwriting(with: new.number, on: machine) }
        return (isReplacing ? replace(path, new.bytes) : overwrite(path, new.bytes)) ? new.number : nil
    }

    /// All of it is here, and whole.
    private func read(_ package: Location, _ parts: [ItemStatus], _ host: DocumentHost) async throws {
        let tool = host.connect(tool: "reader")
        defer { host.disconnect(tool) }
        let access = try await host.beginAccess(AccessRequest(location: package, intent: .reading), for: tool)
        guard let folder = access.items.first?.path else { return }
        for path in asPerson({ partFiles(of: folder) }) {
            let bytes = asPerson { SimulatedDisk.bytes(of: path) }
            if !isWhole(bytes) { complain("\(path) is read damaged") }
        }
        try await host.endAccess(access.number, of: tool)
    }

    private func partFiles(of folder: String) -> [String] {
        SimulatedDisk.files(below: folder).filter { !$0.contains("/.docent") && !$0.hasSuffix("~") }.sorted()
    }

    /// Others', at the provider's own place.
    ///
    /// - Parameter folders: the top one first.
    func performThere(_ step: HostScenario.Step, onPackagesIn folders: [ItemIdentifier]) throws {
        let plain = folders.filter { $0 == .root || remote.entries[$0]?.isPackage == false }
        let name = try ItemName(Self.packageNames[step.other % Self.packageNames.count])
        let around = plain[step.other % plain.count]
        if step.action == .makePackageThere {
            let package = try remote.create(
                name, in: around, contents: nil, isPackage: true, modified: date, savedBy: nil, operation: nil)
            for part in Self.partNames.prefix(1 + step.pick % 2) { try makePart(part, in: package.id, step) }
            return
        }
        let packages = folders.filter { remote.entries[$0]?.isPackage == true }
        guard !packages.isEmpty else { return }
        let package = packages[step.pick % packages.count]
        switch step.action {
        case .makePartThere:
            let names = Self.names.filter { (try? ItemName($0)).map { remote.child($0, of: package) == nil } ?? false }
            if !names.isEmpty { try makePart(names[step.other % names.count], in: package, step) }
        case .editPartThere:
            let parts = remote.children(of: package).filter { remote.entries[$0]?.contents != nil }
            if !parts.isEmpty { try editThere(parts[step.other % parts.count], step) }
        case .movePackageThere: _ = try remote.modify(package, base: .none, name: name, parent: around)
        case .removePackageThere: try removeThere(package)
        default: break
        }
    }

    private func makePart(_ name: String, in package: ItemIdentifier, _ step: HostScenario.Step) throws {
        let new = ledger.make(size: step.other * 3)
        _ = try remote.create(
            try ItemName(name), in: package, contents: new.bytes, modified: date, savedBy: "there", operation: nil)
        ledger.acknowledge(new.number)
    }
}
