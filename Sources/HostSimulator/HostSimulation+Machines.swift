import CHostSimulation
import DocumentHost
import DocumentModel
import DocumentSimulator
import DocumentStorage
import DocumentTransport
import Glibc
import SystemPackage

/// Lives and deaths.
extension HostSimulation {
    private static func manifest(_ scenario: HostScenario) -> String {
        """
        identifier = "org.example.simulated"
        name = "Simulated"
        version = "1.0"
        executable = "none"
        protocol-versions = [1]
        modes = ["import", "open", "export", "move"]
        capabilities = \(scenario.capabilities)
        """
    }

    /// What every run needs beside its machines.
    package static func prepare(_ folder: String, for scenario: HostScenario) -> Bool {
        // A run that was killed may have had the same number.
        remove(folder)
        for path in ["", "bundle"] where mkdir(folder + path, 0o700) != 0 { return false }
        return write(Array(manifest(scenario).utf8), to: folder + "bundle/provider.toml")
            && write([], to: folder + "bundle/none") && chmod(folder + "bundle/none", 0o700) == 0
            && write(Array("abcdefghabcdefghabcdefghabcdefgh".utf8), to: folder + "random")
            && write(Array("0".utf8), to: folder + "boot-id")
    }

    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return bytes.isEmpty || Glibc.write(file, bytes, bytes.count) == bytes.count
    }

    func open(_ machine: Int) {
        guard lives[machine] == nil else { return }
        let life = MachineLife(machine: machine)
        lives[machine] = life
        running = life
        simulation_set_date(dates[machine])
        defer { running = nil }
        simulation_pause()
        _ = Self.write(Array("boot \(machine) \(boots[machine, default: 0])".utf8), to: folder + "boot-id")
        simulation_resume()
        let before = Self.descriptors()
        var failure: (any Error)?
        do {
            try configure(machine)
            var configuration = DocumentHost.Configuration(
                root: FilePath(root(of: machine)), providerFolders: [],
                providerBundles: [FilePath(folder + "bundle")], trampoline: FilePath(folder + "none"),
                software: "simulation")
            configuration.deviceName = "m\(machine)"
            configuration.parts = scenario.parts
            configuration.link = { [unowned self, unowned life] _ in connect(life) }
            let host = try DocumentHost(
                configuration, loop: life.loop, steppedBy: life.work,
                observer: mistake?.leftOut.map { Omission(precaution: $0) }, logger: logger(machine))
            life.host = host
            life.running = Task(executorPreference: life.loop) { await host.run() }
            note("m\(machine) is up: \(host.findings)")
        } catch {
            failure = error
        }
        life.watchers = Self.descriptors().filter { !before.contains($0) && Self.path(of: $0).contains("inotify") }
        if let failure {
            note("m\(machine) cannot be opened: \(failure)")
            if complaint == nil, faults.isNone, !life.isDying { complain("m\(machine) cannot be opened: \(failure)") }
            life.isDying = true
        }
        settleDeaths()
    }

    private func configure(_ machine: Int) throws {
        let root = try StorageRoot(at: FilePath(self.root(of: machine)), logger: logger(machine))
        defer { try? root.close() }
        let name = try DomainName(Self.domain)
        guard try root.index.read({ try $0.domain(name) }) == nil else { return }
        try root.index.write {
            try $0.addDomain(DomainRecord(name: name, provider: try ProviderIdentifier("org.example.simulated")))
            guard scenario.asksBeforeDeleting else { return }
            try $0.setRule("deletion-minimum", 2, of: name)
            try $0.setRule("deletion-percent", 10, of: name)
        }
    }

    func kill(_ machine: Int, losesPower: Bool, losesIndex: Bool = false) {
        guard let life = lives[machine] else { return }
        life.isDying = true
        (life.losesPower, life.losesIndex) = (losesPower, losesIndex)
        settleDeaths()
    }

    func settleDeaths() {
        for life in living where life.isDying && running == nil || life.isDying && life.host == nil { bury(life) }
    }

    private func bury(_ life: MachineLife) {
        let machine = life.machine
        guard lives[machine] === life else { return }
        deaths += 1
        life.isOver = true
        buried.append(life)
        lives[machine] = nil
        contexts["m\(machine)"] = nil
        if life.losesIndex {
            excuse("m\(machine)")
            trashed[machine] = nil
            pins = pins.filter { $0.key.machine != machine }
        }
        simulation_pause()
        defer { simulation_resume() }
        let root = root(of: machine)
        for file in Self.descriptors() {
            let path = Self.path(of: file)
            if path.hasPrefix(root) || life.watchers.contains(file) { simulation_blind(file) }
        }
        var lost = (names: 0, pieces: 0)
        if life.losesPower {
            boots[machine, default: 0] += 1
            let all = disks[machine].loseUnflushed(below: root, &random)
            lost = (all.names, all.pieces)
            noteTorn(all.torn, on: machine)
        }
        let index = root + "/.docent/index.sqlite"
        unlink(index + "-shm")
        unlink(root + "/.docent/host.lock")
        for path in [index, index + "-wal"] {
            if life.losesIndex { unlink(path) } else { disks[machine].renew(path) }
        }
        note(
            "m\(machine) dies\(life.losesPower ? " without power, \(lost)" : "")\(life.losesIndex ? ", its index is lost" : "")"
        )
        after(milliseconds: 10 + random.below(3_000)) { [unowned self] in open(machine) }
    }

    /// Ends a host in good order, and opens it again.
    func restart(_ machine: Int) {
        guard let life = lives[machine], let running = life.running else { return }
        running.cancel()
        note("m\(machine) ends")
        Task(executorPreference: life.loop) { [self] in
            await running.value
            life.isOver = true
            buried.append(life)
            if lives[machine] === life { lives[machine] = nil }
            contexts["m\(machine)"] = nil
            note("m\(machine) has ended")
            after(milliseconds: 10 + random.below(2_000)) { [unowned self] in open(machine) }
        }
    }

    // MARK: Descriptors

    private static func descriptors() -> [Int32] {
        simulation_pause()
        defer { simulation_resume() }
        guard let listing = opendir("/proc/self/fd") else { return [] }
        defer { closedir(listing) }
        var files: [Int32] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let file = Int32(name), file != dirfd(listing) { files.append(file) }
        }
        return files
    }

    private static func path(of file: Int32) -> String {
        var place = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/fd/\(file)", &place, place.count - 1)
        return String(decoding: place.prefix(max(length, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension HostScenario.Faults {
    /// Whether everything is well.
    var isNone: Bool {
        [death, refusal, lostRequest, lostAnswer, slow, badDisk, flippedBit].allSatisfy { $0 == 0 } && fullDisk == nil
            && outage == nil
    }
}

extension HostSimulation {
    /// Removes a folder with all that is in it.
    static func remove(_ folder: String) {
        if let listing = opendir(folder) {
            while let entry = readdir(listing) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name != ".", name != ".." else { continue }
                if entry.pointee.d_type == UInt8(DT_DIR) {
                    remove("\(folder)/\(name)")
                } else {
                    unlink("\(folder)/\(name)")
                }
            }
            closedir(listing)
        }
        rmdir(folder)
    }
}
