import DocumentWire

/// Requests that wait for a place: those of the highest priority first, and of one priority in the order in which they were
/// asked.
struct WaitingRequests {
    private var lines = RequestPriority.allCases.map { _ in Deque<AskedRequest>() }
    private(set) var isEmpty = true

    /// Whether none of this priority waits.
    func isEmpty(_ priority: RequestPriority) -> Bool { lines[Int(priority.rawValue)].isEmpty }

    mutating func append(_ request: AskedRequest) {
        lines[Int(request.priority.rawValue)].append(request)
        isEmpty = false
    }

    /// Takes out the next one of a priority.
    mutating func popFirst(_ priority: RequestPriority) -> AskedRequest? {
        defer { isEmpty = lines.allSatisfy(\.isEmpty) }
        return lines[Int(priority.rawValue)].popFirst()
    }

    mutating func removeAll() {
        for index in lines.indices { lines[index].removeAll() }
        isEmpty = true
    }
}
