import DocumentModel
import FileCoordination

/// What one claim costs, asked for and ended, while many are held on 10,000 items: it must not depend on how many.
struct ClaimsAsked: BenchmarkRow {
    let name = "a claim while 100,000 are held on 10,000 items"
    let floor = "while 1,000 are held"
    let unit = "µs"
    let aim = Aim.ratioAtMost(1.5)

    private static let items = 10_000
    private static let asked = 20_000

    func measure(rounds: Int) async throws -> [Round] {
        let items = try (0..<Self.items).map(Self.item)
        var few = try Crowd(holding: 1_000, on: items)
        var many = try Crowd(holding: 100_000, on: items)
        var results: [Round] = []
        for round in 0..<rounds + 2 {
            let floor = few.costOfOne(Self.asked)
            let figure = many.costOfOne(Self.asked)
            if round >= 2 { results.append(Round(figure: figure, floor: floor)) }
        }
        return results
    }

    /// In a hundred folders of a hundred documents.
    private static func item(_ number: Int) throws -> CoordinatedItem {
        let domain = try DomainName("work")
        func key(_ name: String) throws -> CoordinatedItem.Key {
            CoordinatedItem.Key(domain: domain, id: try ItemIdentifier(name))
        }
        let folder = "folder \(number / 100)"
        return CoordinatedItem(
            subject: .item(try key("item \(number)")), kind: .document,
            enclosing: [
                CoordinatedItem.Folder(key: try key("/"), isPackage: false),
                CoordinatedItem.Folder(key: try key(folder), isPackage: false),
            ],
            location: try Location("work:/\(folder)/\(number).txt"))
    }

    private struct Crowd {
        private var machine = CoordinationStateMachine()
        private let items: [CoordinatedItem]
        private var number: UInt64 = 0
        private let owner = ClaimOwner(id: 1, name: "benchmark")

        init(holding count: Int, on items: [CoordinatedItem]) throws {
            self.items = items
            for index in 0..<count {
                number += 1
                let actions = machine.request(claim(on: items[index % items.count]))
                guard !actions.isEmpty else { throw DocumentError(.internal, "A reader had to wait.") }
            }
        }

        private func claim(on item: CoordinatedItem) -> Claim {
            Claim(id: ClaimID(number), owner: owner, item: item, intent: .reading)
        }

        /// In microseconds; over the same items, whatever is held.
        mutating func costOfOne(_ count: Int) -> Double {
            let clock = ContinuousClock()
            let time = clock.measure {
                for index in 0..<count {
                    number += 1
                    _ = machine.request(claim(on: items[(index * 37) % items.count]))
                    _ = machine.end(ClaimID(number))
                }
            }
            return time / .microseconds(1) / Double(count)
        }
    }
}
