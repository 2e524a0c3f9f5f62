import Synchronization

/// What programs have open, by the numbers that the kernel was given for it.
final class HandleTable<Value: Sendable>: Sendable {
    private struct State {
        var values: [UInt64: Value] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    subscript(_ handle: UInt64) -> Value? { state.withLock { $0.values[handle] } }

    func first(where isWanted: (Value) -> Bool) -> Value? { state.withLock { $0.values.values.first(where: isWanted) } }

    var values: [Value] { state.withLock { Array($0.values.values) } }

    func insert(_ value: Value) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.values[state.last] = value
            return state.last
        }
    }

    @discardableResult
    func remove(_ handle: UInt64) -> Value? { state.withLock { $0.values.removeValue(forKey: handle) } }

    func removeAll() -> [Value] {
        state.withLock { state in
            defer { state.values = [:] }
            return Array(state.values.values)
        }
    }
}
