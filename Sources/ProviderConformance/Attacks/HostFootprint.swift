import Foundation
import Glibc

/// What a host holds of the machine, as the kernel tells.
package struct HostFootprint: Sendable {
    /// Without those of a database: a host's pool of connections to it grows with what goes on at once, up to a bound.
    /// And without those that watch folders: one is made again whenever somebody begins to wait for it.
    package var descriptors: Int
    /// Those that watch folders.
    package var watchingDescriptors: Int
    /// Of a database.
    package var databaseDescriptors: Int
    /// What the descriptors stand for.
    private var targets: [String]
    package var threads: Int
    /// The processes of its providers, and theirs: wherever their program lies, and also those that have ended and were
    /// not taken in.
    package var providers: [Entry]

    package struct Entry: Sendable, Hashable {
        package var id: Int32
        package var words: [String]
    }

    /// - Parameters:
    ///   - process: the host, as it says itself.
    ///   - command: the process that was started as the host, when it is another one.
    ///   - bundles: the folder with the providers' bundles.
    package init(of process: Int32, startedAs command: Int32? = nil, below bundles: String) {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        targets = names.map { (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) ?? "" }
        databaseDescriptors = targets.count { $0.contains(".sqlite") }
        watchingDescriptors = targets.count { $0 == "anon_inode:inotify" }
        descriptors = names.count - databaseDescriptors - watchingDescriptors
        threads = Self.entries("/proc/\(process)/task")
        let descendants = Self.descendants(of: Set([process, command ?? process])).filter { $0.id != process }
        let known = Set(descendants.map(\.id))
        providers = descendants + Self.processes(below: bundles).filter { !known.contains($0.id) }
    }

    /// What descriptors stand for that were not there before. The numbers of sockets and pipes are no part of it: each
    /// has another.
    package func targets(notIn before: HostFootprint) -> [String] {
        func kind(_ target: String) -> String { String(target.prefix { $0 != "[" }) }
        let known = Dictionary(grouping: before.targets, by: kind)
        return Dictionary(grouping: targets, by: kind)
            .flatMap { kind, now in now.dropFirst(known[kind]?.count ?? 0) }
            .sorted()
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// The processes whose program lies below a folder. A zombie is none: it has no words left.
    package static func processes(below folder: String) -> [Entry] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.compactMap { id in
            guard let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else { return nil }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            // The trampoline has the program among its words until it has become it.
            guard words.contains(where: { $0.hasPrefix(folder + "/bundles/") }) else { return nil }
            return Entry(id: id, words: words)
        }
    }

    /// The processes that come from others, by the ids of their parents; also those that have ended and that nobody took
    /// in, which have only a name left.
    package static func descendants(of roots: Set<Int32>) -> [Entry] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let states = all.compactMap { Int32($0) }.compactMap { ProcessState($0) }
        let children = Dictionary(grouping: states, by: \.parent)
        var found: [Int32: ProcessState] = [:]
        var next = roots.sorted()
        while let parent = next.popLast() {
            for child in children[parent] ?? [] where !roots.contains(child.id) && found[child.id] == nil {
                found[child.id] = child
                next.append(child.id)
            }
        }
        return found.values.sorted { $0.id < $1.id }.map { Entry(id: $0.id, words: $0.words) }
    }

    /// What the kernel says of a process.
    private struct ProcessState {
        var id: Int32
        var parent: Int32
        var isZombie: Bool
        var name: String

        /// Nil when there is none.
        init?(_ id: Int32) {
            guard let line = FileManager.default.contents(atPath: "/proc/\(id)/stat"),
                // “12 (a name) S 1 …”: the name may hold anything.
                let begin = line.firstIndex(of: UInt8(ascii: "(")), let end = line.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let rest = String(decoding: line[end...].dropFirst(), as: UTF8.self).split(separator: " ")
            guard rest.count > 2, let parent = Int32(rest[1]) else { return nil }
            self.id = id
            self.parent = parent
            isZombie = rest[0] == "Z"
            name = String(decoding: line[begin..<end].dropFirst(), as: UTF8.self)
        }

        var words: [String] {
            if isZombie { return [name, "(has ended, and was not taken in)"] }
            let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
            return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Whether a process is there and is no zombie.
    package static func lives(_ id: Int32) -> Bool {
        guard let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else { return false }
        return !line.isEmpty
    }
}
