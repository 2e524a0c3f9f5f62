/// A queue in a ring.
struct Deque<Element> {
    private var slots: [Element?]
    private var head = 0
    private(set) var count = 0

    init() {
        slots = Array(repeating: nil, count: 16)
    }

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : slots[head] }

    mutating func append(_ element: consuming Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    mutating func removeAll() {
        while popFirst() != nil {}
    }

    mutating func removeAll(where isGone: (Element) -> Bool) {
        for _ in 0..<count {
            if let element = popFirst(), !isGone(element) { append(element) }
        }
    }

    /// The size stays a power of two, so that positions wrap with a mask.
    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(slots.count * 2)
        for index in 0..<count {
            larger.append(slots[(head + index) & (slots.count - 1)].take())
        }
        larger.append(contentsOf: repeatElement(nil, count: slots.count * 2 - count))
        slots = larger
        head = 0
    }
}

extension Deque: Sendable where Element: Sendable {}
