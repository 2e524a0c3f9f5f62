package import DocumentModel

/// A folder's documents, and which of them a program that opens them one after the other is likely to open next. Without I/O.
///
/// Programs go by names (`cat *`), by the numbers in them, or as a listing has them (`grep -r`): whichever order the last ones
/// that were opened follow best is taken to be theirs.
package struct ReadAheadOrder: Sendable {
    package struct Document: Hashable, Sendable {
        package var id: ItemIdentifier
        package var name: ItemName
        package var size: Int64
        /// Whether it is small, and not here, so that it may be fetched ahead.
        package var isWanted: Bool

        package init(id: ItemIdentifier, name: ItemName, size: Int64, isWanted: Bool = true) {
            self.id = id
            self.name = name
            self.size = size
            self.isWanted = isWanted
        }
    }

    /// Each is all documents, by their places in ``documents``.
    private struct Order: Sendable {
        var documents: [Int]
        var ranks: [Int]

        init(_ keys: [some Comparable]) {
            documents = keys.indices.sorted { keys[$0] != keys[$1] ? keys[$0] < keys[$1] : $0 < $1 }
            ranks = documents
            for (rank, document) in documents.enumerated() { ranks[document] = rank }
        }
    }

    /// So many tell in which order a program goes.
    private static let memory = 4

    private let documents: [Document]
    private let places: [ItemIdentifier: Int]
    private let orders: [Order]
    private var isLeft: [Bool]
    private var leftCount: Int
    /// Those that were opened last.
    private var recent: [Int] = []
    /// Which order it is where several may be: the one of the folder before, for one.
    package var favourite = 0

    package init(_ documents: [Document] = []) {
        self.documents = documents
        places = Dictionary(documents.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let names = documents.map(\.name.rawValue)
        orders = [
            Order(names.map(Counted.init)), Order(names.map(Bytes.init)), Order(names.map { ListingPosition.of($0) }),
        ]
        isLeft = documents.map(\.isWanted)
        leftCount = documents.count(where: \.isWanted)
    }

    package func contains(_ id: ItemIdentifier) -> Bool { places[id] != nil }

    package var isEmpty: Bool { leftCount == 0 }

    /// A program opens it: it need not be fetched ahead any more.
    package mutating func opened(_ id: ItemIdentifier) {
        guard let place = places[id] else { return }
        remove(place)
        guard recent.last != place else { return }
        recent = (recent + [place]).suffix(Self.memory)
    }

    /// It is fetched already.
    package mutating func take(_ id: ItemIdentifier) {
        if let place = places[id] { remove(place) }
    }

    /// The one that is likely to be opened next, of those that were not taken yet. Nil when nothing speaks for any.
    package mutating func next() -> Document? {
        guard let place = foreseen(1).first else { return nil }
        remove(place)
        return documents[place]
    }

    /// Whether it is one of those that come next.
    package func isNear(_ id: ItemIdentifier) -> Bool {
        places[id].map { foreseen(Self.memory).contains($0) } ?? false
    }

    private func foreseen(_ count: Int) -> [Int] {
        guard leftCount > 0, let last = recent.last else { return [] }
        let order = orders[best]
        // Without an order it is any of them: who opens one after the other opens all, perhaps.
        let isOrdered = stray(order) <= Self.memory * max(2, documents.count / 64)
        var found: [Int] = []
        var rank = isOrdered ? order.ranks[last] + 1 : 0
        while rank < documents.count, found.count < count {
            let place = order.documents[rank]
            if isLeft[place] { found.append(place) }
            rank += 1
        }
        return found
    }

    /// The order that the last ones follow best.
    package var best: Int {
        let strays = orders.map { stray($0) }
        let least = strays.min() ?? 0
        if strays.indices.contains(favourite), strays[favourite] == least { return favourite }
        return strays.firstIndex(of: least) ?? 0
    }

    private mutating func remove(_ place: Int) {
        if isLeft[place] { leftCount -= 1 }
        isLeft[place] = false
    }

    /// How far from one after the other the last ones were in an order: 0 when each is the next one.
    private func stray(_ order: Order) -> Int {
        zip(recent, recent.dropFirst()).reduce(0) { sum, pair in
            let step = order.ranks[pair.1] - order.ranks[pair.0]
            return sum + (step > 0 ? step - 1 : documents.count)
        }
    }
}

/// As `ls` in the C locale has them, and most programs that go by names, in nearly all folders.
private struct Bytes: Comparable {
    let text: String

    static func < (one: Bytes, other: Bytes) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

/// With digits as the numbers that they are: 9 before 10.
private struct Counted: Comparable {
    private enum Part: Comparable {
        /// Without zeros at its beginning, by its length first: it may have any number of digits.
        case number(count: Int, digits: String)
        case text(String)
    }

    private let parts: [Part]

    init(_ name: String) {
        var parts: [Part] = []
        var rest = Substring(name)
        while let first = rest.first {
            let isNumber = first.isASCII && first.isNumber
            let part = rest.prefix { ($0.isASCII && $0.isNumber) == isNumber }
            let digits = part.drop { $0 == "0" }
            parts.append(
                isNumber ? .number(count: digits.count, digits: String(digits)) : .text(part.lowercased()))
            rest = rest[part.endIndex...]
        }
        self.parts = parts
    }

    static func < (one: Counted, other: Counted) -> Bool { one.parts.lexicographicallyPrecedes(other.parts) }
}
