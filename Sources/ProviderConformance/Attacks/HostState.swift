import DocumentClient
import DocumentModel
import Foundation
import Glibc

/// A host before and after the attacks.
final class HostState: Sendable {
    let machine: HostMachine
    let pulse: GoodProviderPulse
    let software: String
    let process: Int32
    let before: HostFootprint
    let memoryBefore: UInt64
    private let treeBefore: Set<String>

    init(_ machine: HostMachine) async throws {
        self.machine = machine
        pulse = try GoodProviderPulse(machine: machine)
        do {
            try await within(HostMachine.patience, else: CheckFailure("The host gives no answer.")) { [pulse] in
                try await pulse.prepare()
                await pulse.warm()
            }
        } catch {
            throw CheckFailure(
                "The well-behaved provider cannot be used with this host.", detail: "\(error)\n\(machine.logTail)")
        }
        let status = try await machine.ask { try await $0.hostStatus() }
        software = "version \(status.version)"
        process = status.processID
        memoryBefore = status.memory
        before = HostFootprint(
            of: status.processID, startedAs: machine.processID, below: machine.folder)
        treeBefore = Self.tree(machine)
    }

    /// What providers have written where they may not.
    static func evil(below folder: String) -> [String] {
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        var evil = all.filter { $0.contains("evil") }
        // Named by the storage root, as hosts may be attacked side by side.
        let own = "docent-evil" + folder.replacing("/", with: "-")
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? [] where name.hasPrefix(own) {
            evil.append("/tmp/\(name)")
            unlink("/tmp/\(name)")
        }
        return evil
    }

    /// Gives the host time to clear up.
    func settle() async {
        _ = try? await eventually(within: .seconds(15)) {
            try await Task.sleep(for: .milliseconds(50))
            let now = now
            return now.descriptors <= before.descriptors && now.providers.count <= before.providers.count
        }
    }

    var now: HostFootprint {
        HostFootprint(of: process, startedAs: machine.processID, below: machine.folder)
    }

    /// What lies in the storage root that was not there before: documents, staging files, providers' state.
    var leftBehind: [String] { Self.tree(machine).subtracting(treeBefore).sorted() }

    private static func tree(_ machine: HostMachine) -> Set<String> {
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: machine.folder + "/root")) ?? []
        // A database's own files come and go, where records of failures are kept is made with the first of them, and of
        // what was changed the older versions are kept.
        return Set(
            all.filter {
                !$0.contains("index.sqlite") && !$0.hasPrefix("documents/\(HostMachine.good)/")
                    && $0 != ".docent/providers/.failures" && !isRecordOfAProvider($0, among: all)
                    && !$0.hasPrefix(".docent/versions/\(HostMachine.good)") && !isEmptyFolderOfStaging($0, among: all)
            })
    }

    /// What is known of domains that could not be added is kept with their provider, as long as it does not grow without
    /// end.
    private static func isRecordOfAProvider(_ path: String, among all: [String]) -> Bool {
        let words = path.split(separator: "/")
        guard path.hasPrefix(".docent/providers/.failures/."), words.count <= 5 else { return false }
        let folder = words.prefix(4).joined(separator: "/") + "/"
        return all.count { $0.hasPrefix(folder) } <= 32
    }

    /// A domain's folder in staging is made anew by what is under way while the domain is removed; with nothing in it, it
    /// waits for the next start of the host.
    private static func isEmptyFolderOfStaging(_ path: String, among all: [String]) -> Bool {
        path.hasPrefix(".docent/staging/") && path.split(separator: "/").count == 4
            && !all.contains { $0.hasPrefix(path + "/") }
    }
}
