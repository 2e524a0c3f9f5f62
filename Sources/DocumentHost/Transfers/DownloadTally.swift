import DocumentModel
import Synchronization

/// For whom contents were brought since the host's start: who looks into every file, and has all of it brought, is seen here.
/// Processes of one name are one: a command that is run for each of many documents would drive out all others.
final class DownloadTally: Sendable {
    private struct Entry {
        /// Without the process.
        var name: String
        /// `(process 4242)`, with a blank before it; empty where it is none's.
        var process: String
        var isOfSeveral = false
        var brought: BroughtFor
    }

    /// Those that nothing was brought for longest make room.
    private static let most = 16

    private let entries = Mutex<[Entry]>([])

    /// The last one first.
    var all: [BroughtFor] { entries.withLock { $0.map(\.brought) } }

    /// - Parameter who: as ``ClaimOwner`` names it, which may have the process in it: `docent cat (process 4242)`.
    func add(_ who: String, bytes: UInt64, at location: Location) {
        let (name, process) = Self.parts(of: who)
        entries.withLock { entries in
            let known = entries.firstIndex { $0.name == name }.map { entries.remove(at: $0) }
            var entry =
                known
                ?? Entry(
                    name: name, process: process,
                    brought: BroughtFor(who: who, documents: 0, bytes: 0, last: location))
            if entry.process != process { (entry.process, entry.isOfSeveral) = (process, true) }
            entry.brought.who = entry.isOfSeveral ? "\(name) (several processes)" : who
            entry.brought.documents += 1
            entry.brought.bytes += bytes
            entry.brought.last = location
            entries.insert(entry, at: 0)
            entries = Array(entries.prefix(Self.most))
        }
    }

    /// A name, and the process that it had in it. The last one counts: before it are names that programs give themselves.
    private static func parts(of who: String) -> (name: String, process: String) {
        let mark = " (process "
        guard let range = who.ranges(of: mark).last else { return (who, "") }
        let digits = who[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
        let rest = who[digits.endIndex...]
        guard !digits.isEmpty, rest.first == ")" else { return (who, "") }
        return (String(who[..<range.lowerBound] + rest.dropFirst()), "\(mark)\(digits))")
    }
}
