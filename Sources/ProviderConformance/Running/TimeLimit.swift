/// Runs something for at most so long; when the time is up, or whoever asked is cancelled, it is cancelled.
///
/// Who does not end when it is cancelled is left behind a little later: nothing here waits without a limit. (A group of
/// tasks could not leave it.)
///
/// - Throws: what the body throws, or what `late` gives when it was too late; `CancellationError` when whoever asked was
///   cancelled and the body does not end for it.
package func within<Value: Sendable>(
    _ limit: Duration, else late: @autoclosure @escaping @Sendable () -> any Error,
    grace: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (events, event) = AsyncStream<TimedEvent<Value>>.makeStream()
    let work = Task {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        event.yield(.done(outcome))
    }
    let watch = Task {
        try await Task.sleep(for: limit)
        event.yield(.late)
    }
    // A task of its own: the cancellation of whoever asked would end the stream, and with it the waiting for the body.
    let waiting = Task {
        var isLate = false
        var stuck: Task<Void, any Error>?
        defer {
            watch.cancel()
            stuck?.cancel()
        }
        for await happening in events {
            switch happening {
            case .done(let outcome): if isLate { throw late() } else { return try outcome.get() }
            case .late, .interrupted:
                if case .late = happening { isLate = true }
                work.cancel()
                if stuck == nil {
                    stuck = Task {
                        try await Task.sleep(for: grace)
                        event.yield(.stuck)
                    }
                }
            case .stuck: throw isLate ? late() : CancellationError()
            }
        }
        throw CancellationError()
    }
    return try await withTaskCancellationHandler {
        try await waiting.value
    } onCancel: {
        event.yield(.interrupted)
    }
}

private enum TimedEvent<Value: Sendable>: Sendable {
    case done(Result<Value, any Error>)
    case late
    /// Whoever asked was cancelled.
    case interrupted
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
