/// Runs something for at most so long; when the time is up, it is cancelled.
///
/// Who does not end when it is cancelled is left behind a little later: nothing here waits without a limit. (A group of
/// tasks could not leave it.)
///
/// - Throws: what the body throws, or what `late` gives when it was too late.
package func within<Value: Sendable>(
    _ limit: Duration, else late: @autoclosure @escaping @Sendable () -> any Error,
    grace: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (events, event) = AsyncStream<TimedEvent<Value>>.makeStream()
    let work = Task {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        event.yield(.done(outcome))
        return try outcome.get()
    }
    let watch = Task {
        try await Task.sleep(for: limit)
        event.yield(.late)
        try await Task.sleep(for: grace)
        event.yield(.stuck)
    }
    defer { watch.cancel() }
    var isLate = false
    for await event in events {
        switch event {
        case .done(let outcome): if isLate { throw late() } else { return try outcome.get() }
        case .late:
            isLate = true
            work.cancel()
        case .stuck: throw late()
        }
    }
    // Whoever asked was cancelled.
    work.cancel()
    return try await work.value
}

private enum TimedEvent<Value: Sendable>: Sendable {
    case done(Result<Value, any Error>)
    case late
    case stuck
}

/// Looks until something holds, at most for a time.
///
/// - Returns: whether it held.
package func eventually(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
}
