public import DocumentModel
internal import DocumentWire

/// Small values of a tool that are kept by the host, and shared with all tools whose manifests name the same identifier under
/// `key-value` (CONT-2); the field knows it as the ubiquitous key-value store.
///
/// ```swift
/// let store = client.keyValueStore
/// try await store.setString("dark", forKey: "theme")
/// for try await update in store.updates() { show(update.values["theme"]) }
/// ```
///
/// An identifier has at most ``KeyValueLimits/mostKeys`` keys of at most ``KeyValueLimits/longestKey`` bytes, and
/// ``KeyValueLimits/mostBytes`` bytes of values. What was set is durable when the call returns. All calls may be made from any
/// task, and throw ``DocumentError``: `notPermitted` when the program is not registered, or its manifest names no identifier.
public struct KeyValueStore: Sendable {
    let client: DocumentClient

    /// All values.
    public func values() async throws(DocumentError) -> [String: [UInt8]] { try await get([]).values }

    /// Nil for a key without a value.
    public func value(forKey key: String) async throws(DocumentError) -> [UInt8]? {
        try KeyValueLimits.check(key)
        return try await get([key]).values[key]
    }

    /// Nil for a key without a value, and for a value that is no text in UTF-8.
    public func string(forKey key: String) async throws(DocumentError) -> String? {
        try await value(forKey: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Sets one value; whatever was there is gone.
    ///
    /// - Throws: ``DocumentError``: `invalidArgument` for a key that is empty or too long, `insufficientQuota` when there would
    ///   be too much; then nothing was changed.
    public func setValue(_ value: [UInt8], forKey key: String) async throws(DocumentError) {
        try await change([key: value])
    }

    /// The same of a text, in UTF-8.
    public func setString(_ text: String, forKey key: String) async throws(DocumentError) {
        try await change([key: Array(text.utf8)])
    }

    /// A key without a value stays so.
    public func removeValue(forKey key: String) async throws(DocumentError) {
        try await change([:], removing: [key])
    }

    /// Sets and removes several values in one step: others see all of it or nothing.
    ///
    /// - Throws: as ``setValue(_:forKey:)``, and `invalidArgument` for a key that is set and removed.
    public func change(
        _ values: [String: [UInt8]], removing removed: Set<String> = []
    ) async throws(DocumentError) {
        try await client.tell(.tools(.setKeyValues(try KeyValueChange(values, removing: removed))))
    }

    /// The values at once, and again each time that somebody has changed some, this tool included. Changes that follow each other
    /// closely come as one.
    public func updates() -> KeyValueUpdates { KeyValueUpdates(store: self) }

    fileprivate func get(
        _ keys: [String], after: UInt64 = 0
    ) async throws(DocumentError) -> (values: [String: [UInt8]], revision: UInt64) {
        guard
            case .tools(.keyValues(let values, let revision)) = try await client.ask(
                .tools(.getKeyValues(keys, after: after)))
        else { throw DocumentClient.unexpectedAnswer }
        return (values, revision)
    }
}

extension DocumentClient {
    /// The tool's small values.
    public var keyValueStore: KeyValueStore { KeyValueStore(client: self) }
}

/// What a ``KeyValueStore`` holds by now.
public struct KeyValueUpdate: Hashable, Sendable {
    /// All of them.
    public let values: [String: [UInt8]]
    /// The keys whose values are others than in the update before, or gone; in the first one all.
    public let changed: Set<String>
}

/// The updates of a ``KeyValueStore``. Ends by throwing when the host ends, or the tool loses the right to it.
public struct KeyValueUpdates: AsyncSequence, Sendable {
    /// What it holds by then.
    public typealias Element = KeyValueUpdate
    /// What goes wrong on the way.
    public typealias Failure = DocumentError

    let store: KeyValueStore

    /// Begins with what it holds now.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store: store) }

    /// Goes through them.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let store: KeyValueStore
        private var last: [String: [UInt8]]?
        private var revision: UInt64 = 0

        fileprivate init(store: KeyValueStore) { self.store = store }

        /// The next one; waits for it.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DocumentError) -> KeyValueUpdate? {
            while true {
                let (values, revision) = try await store.get([], after: revision)
                self.revision = revision
                let before = last
                last = values
                guard let before else { return KeyValueUpdate(values: values, changed: Set(values.keys)) }
                let keys = Set(values.keys).union(before.keys).filter { values[$0] != before[$0] }
                if !keys.isEmpty { return KeyValueUpdate(values: values, changed: keys) }
            }
        }
    }
}
