import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization
import SystemPackage

/// Looks, when somebody is told that something stays in its old place (CONT-7), whether it still does: whoever looks next is
/// told what is so by then. Nobody waits for it, and in each folder there is one look at a time: the old place may be on a file
/// system that does not answer, and keeps nobody from looking at the others.
final class StayingSources: Sendable {
    private typealias Known = (key: ItemKey, source: StayingSource)

    private let storage: StorageThreads
    private let outside: OutsidePaths
    private let work: WorkGroup
    private let logger: Logger
    private let isGone: @Sendable (StayingSource) -> Bool
    /// By how many looks each folder is held: also by one that was given up and has not returned.
    private let holds = Mutex<[FilePath: Int]>([:])

    /// - Parameter outside: its own, as these looks are many, perhaps, and are to be in nobody's way.
    init(
        storage: StorageThreads, outside: OutsidePaths, work: WorkGroup, logger: Logger,
        isGone: @escaping @Sendable (StayingSource) -> Bool = { $0.isGone }
    ) {
        self.storage = storage
        self.outside = outside
        self.work = work
        self.logger = logger
        self.isGone = isGone
    }

    /// - Parameter items: what somebody is told of.
    func lookLater(at items: [ItemStatus]) {
        let sources: [Known] = items.compactMap { item in
            item.problem.flatMap { StayingSource($0.code, $0.message) }.map { source in
                (key: ItemKey(domain: item.location.domain, id: item.item.id), source: source)
            }
        }
        for (folder, known) in Dictionary(grouping: sources, by: { $0.source.path.removingLastComponent() })
        where holdIfFree(folder) {
            work.add { [self] in
                await look(at: known, in: folder)
                release(folder)
            }
        }
    }

    private func look(at sources: [Known], in folder: FilePath) async {
        do throws(DocumentError) {
            for (key, source) in sources {
                let hasGone = try await outside.look(at: source.path) { [self] in
                    hold(folder)
                    defer { release(folder) }
                    return isGone(source)
                }
                if hasGone { try await storage.run { try $0.forget(source, of: key.id, in: key.domain) } }
            }
        } catch {
            // The others in that folder give no answer either, as far as anybody knows.
            logger.notice("what stayed in its old place was not looked for again", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: false while somebody looks.
    private func holdIfFree(_ folder: FilePath) -> Bool {
        holds.withLock { holds in
            guard holds[folder] == nil else { return false }
            holds[folder] = 1
            return true
        }
    }

    private func hold(_ folder: FilePath) { holds.withLock { $0[folder, default: 0] += 1 } }

    private func release(_ folder: FilePath) {
        holds.withLock { holds in
            let left = (holds[folder] ?? 1) - 1
            holds[folder] = left > 0 ? left : nil
        }
    }
}
