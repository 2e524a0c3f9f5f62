package import DocumentModel
package import DocumentStorage

/// Which thumbnails are wanted by whom, and which of them providers are asked for: many in one call (PICK-20), each of them
/// once however many want it, and a call that nobody waits for any more is given up. Without I/O.
package struct ThumbnailQueueStateMachine {
    /// What a provider is asked for in one call: all of one size.
    package struct Batch: Hashable, Sendable {
        package var number: UInt64
        package var domain: DomainName
        package var size: Int
        package var keys: [ThumbnailKey]
    }

    package enum Action: Hashable, Sendable {
        case ask(Batch)
        /// Of a batch: nobody waits for it.
        case cancel(UInt64)
        /// A request has all that it wanted.
        case finish(UInt64, [ThumbnailKey: ThumbnailOutcome])
    }

    private struct Request {
        var missing: Set<ThumbnailKey>
        var outcomes: [ThumbnailKey: ThumbnailOutcome] = [:]
    }

    private struct Line {
        /// In the order in which they came.
        var waiting: [ThumbnailKey] = []
        var underWay: [UInt64: Batch] = [:]
    }

    /// So many calls of one domain at a time: they are not to take the places of everything else.
    package static let callsAtOnce = 2

    private var requests: [UInt64: Request] = [:]
    private var askers: [ThumbnailKey: Set<UInt64>] = [:]
    /// Where a key is asked for just now. One whose call was given up is in none.
    private var batches: [ThumbnailKey: UInt64] = [:]
    private var lines: [DomainName: Line] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// Whether its call has not ended.
    package func isUnderWay(_ batch: Batch) -> Bool { lines[batch.domain]?.underWay[batch.number] != nil }

    package var isIdle: Bool { requests.isEmpty && lines.isEmpty && askers.isEmpty && batches.isEmpty }

    /// - Parameter request: a number that was not used before.
    package mutating func want(_ keys: [ThumbnailKey], by request: UInt64) -> [Action] {
        guard !keys.isEmpty else { return [.finish(request, [:])] }
        requests[request] = Request(missing: Set(keys))
        for key in keys {
            // One that all have left may still be under way, beside others that somebody waits for.
            let isNew = askers[key] == nil && batches[key] == nil
            askers[key, default: []].insert(request)
            if isNew { lines[key.domain, default: Line()].waiting.append(key) }
        }
        return advance(Set(keys.map(\.domain)))
    }

    /// Whoever asked has gone.
    package mutating func leave(_ request: UInt64) -> [Action] {
        guard let left = requests.removeValue(forKey: request) else { return [] }
        var touched: Set<UInt64> = []
        for key in left.missing {
            askers[key]?.remove(request)
            guard askers[key]?.isEmpty ?? true else { continue }
            askers[key] = nil
            if let batch = batches[key] {
                touched.insert(batch)
            } else {
                lines[key.domain]?.waiting.removeAll { $0 == key }
            }
        }
        var actions: [Action] = []
        for number in touched.sorted() {
            guard let batch = lines.values.lazy.compactMap({ $0.underWay[number] }).first,
                batch.keys.allSatisfy({ askers[$0] == nil })
            else { continue }
            for key in batch.keys { batches[key] = nil }
            actions.append(.cancel(number))
        }
        dropEmptyLines()
        return actions
    }

    /// A call has ended. What it left out is asked for again.
    package mutating func ended(_ batch: Batch, _ outcomes: [ThumbnailKey: ThumbnailOutcome]) -> [Action] {
        guard lines[batch.domain]?.underWay.removeValue(forKey: batch.number) != nil else { return [] }
        var actions: [Action] = []
        var again: [ThumbnailKey] = []
        for key in batch.keys where batches[key] == batch.number {
            batches[key] = nil
            guard let outcome = outcomes[key] else {
                if askers[key] != nil { again.append(key) }
                continue
            }
            for request in (askers.removeValue(forKey: key) ?? []).sorted() {
                requests[request]?.missing.remove(key)
                requests[request]?.outcomes[key] = outcome
                guard let done = requests[request], done.missing.isEmpty else { continue }
                requests[request] = nil
                actions.append(.finish(request, done.outcomes))
            }
        }
        lines[batch.domain]?.waiting.insert(contentsOf: again, at: 0)
        return actions + advance([batch.domain])
    }

    private mutating func advance(_ domains: Set<DomainName>) -> [Action] {
        var actions: [Action] = []
        for domain in domains.sorted() {
            while var line = lines[domain], line.underWay.count < Self.callsAtOnce, let first = line.waiting.first {
                lastNumber += 1
                // Each item once a call, whatever its versions.
                var ids: Set<ItemIdentifier> = []
                let keys = Array(
                    line.waiting.filter { $0.size == first.size && ids.insert($0.id).inserted }
                        .prefix(Thumbnail.mostAtOnce))
                let batch = Batch(number: lastNumber, domain: domain, size: first.size, keys: keys)
                let taken = Set(keys)
                line.waiting.removeAll { taken.contains($0) }
                line.underWay[batch.number] = batch
                lines[domain] = line
                for key in keys { batches[key] = batch.number }
                actions.append(.ask(batch))
            }
        }
        dropEmptyLines()
        return actions
    }

    private mutating func dropEmptyLines() {
        lines = lines.filter { !$0.value.waiting.isEmpty || !$0.value.underWay.isEmpty }
    }
}
