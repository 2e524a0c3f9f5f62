/// What happens when, in virtual time: the earliest first, and of those at one time the one that was added first.
struct EventQueue<Event> {
    private var heap: [(time: Int, order: Int, event: Event)] = []
    private var added = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ event: Event, at time: Int) {
        added += 1
        heap.append((time, added, event))
        var index = heap.count - 1
        while index > 0, isBefore(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func next() -> (time: Int, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var index = 0
            while true {
                var least = index
                for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(child, least) {
                    least = child
                }
                if least == index { break }
                heap.swapAt(index, least)
                index = least
            }
        }
        return (first.time, first.event)
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        (heap[one].time, heap[one].order) < (heap[other].time, heap[other].order)
    }
}
