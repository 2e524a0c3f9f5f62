import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Testing

/// Items that go from name to name at the provider, told page by page: each page says of its items what they are by now.
struct FeedPagesTests {
    private struct Remote {
        var names: [Int: String] = [:]
        var versions: [Int: Int] = [:]
        var log: [Int] = []
        var last = 0

        mutating func change(_ random: inout SplitMix) {
            let name = ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? "a"
            let holder = names.first { $0.value == name }?.key
            let some = names.keys.sorted().randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<2:
                guard holder == nil else { return }
                last += 1
                names[last] = name
                note(last)
            case 2:
                guard let some else { return }
                names[some] = nil
                note(some)
            default:
                guard let some, holder == nil else { return }
                names[some] = name
                note(some)
            }
        }

        private mutating func note(_ id: Int) {
            versions[id, default: 0] += 1
            log.append(id)
        }
    }

    private static func describe(_ items: [String: String]) -> String {
        items.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    @Test("INV-3: however a feed's pages fall, all items have their places in the end, and none is hidden")
    func pages() throws {
        let storage = try StorageFixture()
        for seed in 0..<100 as Range<UInt64> {
            var random = SplitMix(state: seed)
            let folder = "f\(seed)"
            try storage.tell(storage.item(folder, folder, kind: .folder))
            var (remote, told) = (Remote(), 0)
            var here: Set<String> = []
            for _ in 0..<12 {
                for _ in 0..<Int.random(in: 1...6, using: &random) { remote.change(&random) }
                while told < remote.log.count {
                    let page = remote.log[told...].prefix(Int.random(in: 1...5, using: &random))
                    told += page.count
                    var seen: Set<Int> = []
                    let ids = page.filter { seen.insert($0).inserted }
                    let updated = try ids.compactMap { id in
                        try remote.names[id].map {
                            try storage.item(
                                "\(folder)-\(id)", "\($0).txt", in: folder, contents: "contents",
                                version: "\(remote.versions[id] ?? 0)")
                        }
                    }
                    let deleted = try ids.filter { remote.names[$0] == nil }.map {
                        try ItemIdentifier("\(folder)-\($0)")
                    }
                    _ = try storage.store.apply(
                        ItemChanges(updated: updated, deleted: deleted, anchor: SyncAnchor([1])), in: storage.domain)
                    for item in updated where item.id.hashed % 2 == 0 && storage.isShown(item.id) {
                        try storage.provide(item, "contents")
                        here.insert(item.id.rawValue)
                    }
                }
                let wanted = Dictionary(
                    uniqueKeysWithValues: remote.names.map { ("\(folder)-\($0.key)", "\($0.value).txt") })
                let page = try storage.index.read {
                    try $0.children(of: ItemIdentifier(folder), in: storage.domain, after: nil, limit: 100)
                }
                let shown = Dictionary(
                    uniqueKeysWithValues: page.items.map {
                        ($0.id.rawValue, ($0.item.name?.rawValue ?? "") + ($0.state == .nameClash ? " hidden" : ""))
                    })
                // The files of what is here go along.
                for (id, name) in wanted where here.contains(id) {
                    #expect(try storage.document("\(folder)/\(name)") == "contents", "seed \(seed): \(id)")
                }
                guard shown != wanted else { continue }
                Issue.record("seed \(seed): shown \(Self.describe(shown)), wanted \(Self.describe(wanted))")
                return
            }
        }
    }
}

extension ItemIdentifier {
    fileprivate var hashed: Int { rawValue.utf8.reduce(0) { $0 + Int($1) } }
}

extension StorageFixture {
    fileprivate func isShown(_ id: ItemIdentifier) -> Bool {
        (try? indexed(id.rawValue)).map { $0.state != .nameClash } ?? false
    }
}
