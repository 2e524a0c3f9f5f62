/// Values by request id: a hash table that is made for numbers that only grow and live briefly. A `Dictionary` does
/// the same, at a cost that shows in the time of a request.
struct RequestTable<Value> {
    private var slots: [(id: UInt64, value: Value)?]
    private(set) var count = 0

    init() {
        slots = Array(repeating: nil, count: 16)
    }

    var isEmpty: Bool { count == 0 }

    subscript(id: UInt64) -> Value? {
        get {
            guard let index = find(id) else { return nil }
            return slots[index]?.value
        }
        set {
            guard let newValue else {
                _ = removeValue(forKey: id)
                return
            }
            if let index = find(id) {
                slots[index] = (id, newValue)
                return
            }
            if count * 2 >= slots.count { grow() }
            insert(id, newValue)
        }
    }

    mutating func removeValue(forKey id: UInt64) -> Value? {
        guard var hole = find(id) else { return nil }
        let value = slots[hole].take()?.value
        count -= 1
        // What was pushed aside by the one that left moves up, so that no search ends at the hole.
        var index = next(hole)
        while let other = slots[index] {
            let home = place(of: other.id)
            if (index &- home) & mask >= (index &- hole) & mask {
                slots[hole] = slots[index].take()
                hole = index
            }
            index = next(index)
        }
        return value
    }

    mutating func removeAll() {
        self = RequestTable()
    }

    /// In no order.
    var entries: [(id: UInt64, value: Value)] { slots.compactMap { $0 } }

    private var mask: Int { slots.count - 1 }

    /// Ids of one side differ by two.
    private func place(of id: UInt64) -> Int {
        Int(truncatingIfNeeded: id >> 1) & mask
    }

    private func next(_ index: Int) -> Int {
        (index + 1) & mask
    }

    private func find(_ id: UInt64) -> Int? {
        var index = place(of: id)
        while true {
            switch slots[index] {
            case nil: return nil
            case .some(let entry) where entry.id == id: return index
            case .some: index = next(index)
            }
        }
    }

    private mutating func insert(_ id: UInt64, _ value: Value) {
        var index = place(of: id)
        while slots[index] != nil { index = next(index) }
        slots[index] = (id, value)
        count += 1
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: old.count * 2)
        count = 0
        for case let (id, value)? in old { insert(id, value) }
    }
}

extension RequestTable: Sendable where Value: Sendable {}
