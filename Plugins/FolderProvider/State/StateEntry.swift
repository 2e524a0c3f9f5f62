internal import DocumentModel

/// One line of the provider's memory. The memory is the list of them, the later ones over the earlier ones.
enum StateEntry: Hashable, Sendable {
    case settings(StateSettings)
    case record(FolderRecord)
    case burial(Burial)
    case planned(PlannedChange)
    case finished(operation: String, outcome: OperationOutcome)
    /// A planned change that was not made.
    case abandoned(operation: String)
    /// What contents a document's version stands for.
    case contents(RecordID, KnownContents)
}

/// What holds for the whole of the memory.
struct StateSettings: Hashable, Sendable {
    /// Random; an anchor of another epoch has expired.
    var epoch: UInt64
    /// Random; part of the names of this provider's temporary files, so that it knows its own.
    var tag: String
    /// The top folder. Another one at its path is not the domain's folder.
    var rootKey: FileKey
    var feedFloor: UInt64
    var feedLast: UInt64
}

extension StateEntry {
    var bytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .settings(let settings):
            writer.byte(1)
            writer.number(settings.epoch)
            writer.text(settings.tag)
            writer.key(settings.rootKey)
            writer.number(settings.feedFloor)
            writer.number(settings.feedLast)
        case .record(let record):
            writer.byte(record.conflictSides == 0 ? 2 : 7)
            writer.number(record.id.number)
            writer.number(record.parent.number)
            writer.text(record.name?.rawValue ?? "")
            writer.facts(record.facts)
            writer.timestamp(record.contentChanged)
            writer.number(record.metadataSequence)
            writer.number(record.sequence)
            if record.conflictSides > 0 { writer.byte(record.conflictSides) }
        case .burial(let burial):
            writer.byte(3)
            writer.number(burial.id.number)
            writer.optional(burial.key) { $0.key($1) }
            writer.number(burial.sequence)
        case .planned(let change):
            let hasDigests = change.putDigest != nil || change.expectedDigest != nil
            writer.byte(hasDigests ? 10 : change.putFacts == nil ? 4 : 8)
            writer.change(change)
            if hasDigests {
                writer.optional(change.putFacts) { $0.facts($1) }
                writer.optional(change.putDigest) { $0.block($1) }
                writer.optional(change.expectedDigest) { $0.block($1) }
            } else if let facts = change.putFacts {
                writer.facts(facts)
            }
        case .finished(let operation, let outcome):
            writer.byte(5)
            writer.text(operation)
            writer.optional(outcome.item) { $0.item($1) }
        case .abandoned(let operation):
            writer.byte(6)
            writer.text(operation)
        case .contents(let id, let known):
            writer.byte(9)
            writer.number(id.number)
            writer.block(known.version)
            writer.block(known.sha256)
        }
        return writer.bytes
    }

    /// Nil when the bytes are not an entry.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let entry = Self.read(&reader), reader.isAtEnd else { return nil }
        self = entry
    }

    private static func read(_ reader: inout ByteReader) -> StateEntry? {
        switch reader.byte() {
        case 1:
            guard let epoch = reader.number(UInt64.self), let tag = reader.text(), let key = reader.key(),
                let floor = reader.number(UInt64.self), let last = reader.number(UInt64.self)
            else { return nil }
            return .settings(
                StateSettings(epoch: epoch, tag: tag, rootKey: key, feedFloor: floor, feedLast: last))
        case 2:
            return reader.record().map { .record($0) }
        case 3:
            guard let id = reader.id(), let key = reader.optional({ $0.key() }),
                let sequence = reader.number(UInt64.self)
            else { return nil }
            return .burial(Burial(id: id, key: key, sequence: sequence))
        case 4:
            return reader.change().map { .planned($0) }
        case 5:
            guard let operation = reader.text(), let item = reader.optional({ $0.item() }) else { return nil }
            return .finished(operation: operation, outcome: item.map { .made($0) } ?? .removed)
        case 6:
            return reader.text().map { .abandoned(operation: $0) }
        case 7:
            guard var record = reader.record(), let sides = reader.byte(), sides > 0 else { return nil }
            record.conflictSides = sides
            return .record(record)
        case 8:
            guard var change = reader.change(), let facts = reader.facts() else { return nil }
            change.putFacts = facts
            return .planned(change)
        case 9:
            guard let id = reader.id(), let version = reader.block(), let sha256 = reader.block() else { return nil }
            return .contents(id, KnownContents(version: Array(version), sha256: Array(sha256)))
        case 10:
            guard var change = reader.change(), let facts = reader.optional({ $0.facts() }),
                let put = reader.optional({ $0.block() }), let expected = reader.optional({ $0.block() }),
                put != nil || expected != nil
            else { return nil }
            change.putFacts = facts
            change.putDigest = put.map { Array($0) }
            change.expectedDigest = expected.map { Array($0) }
            return .planned(change)
        default:
            return nil
        }
    }
}

extension ByteWriter {
    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        byte(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    fileprivate mutating func key(_ key: FileKey) {
        number(key.inode)
        optional(key.born) { $0.timestamp($1) }
    }

    fileprivate mutating func facts(_ facts: FileFacts) {
        key(facts.key)
        byte((facts.isFolder ? 1 : 0) | (facts.isWritable ? 2 : 0))
        number(facts.size)
        timestamp(facts.modified)
        timestamp(facts.changed)
        number(facts.mode)
        number(facts.owner)
        number(facts.group)
        number(facts.links)
    }

    fileprivate mutating func place(_ place: Place) {
        number(place.parent.number)
        text(place.name.rawValue)
    }

    fileprivate mutating func change(_ change: PlannedChange) {
        text(change.operation)
        byte(change.kind.rawValue)
        optional(change.id) { $0.number($1.number) }
        place(change.from)
        place(change.to)
        optional(change.temporary) { $0.text($1) }
        optional(change.put) { $0.key($1) }
        optional(change.expected) { $0.facts($1) }
        optional(change.contentChanged) { $0.timestamp($1) }
    }

    fileprivate mutating func item(_ item: Item) {
        text(item.id.rawValue)
        optional(item.parentID) { $0.text($1.rawValue) }
        optional(item.name) { $0.text($1.rawValue) }
        byte(item.kind.isFolder ? 1 : 0)
        optional(item.size) { $0.number($1) }
        timestamp(item.modified)
        timestamp(item.created)
        block(item.version.content)
        block(item.version.metadata)
        number(item.capabilities.rawValue)
    }
}

extension ByteReader {
    /// The outer nil: it does not fit. The inner one: it was nil.
    mutating func optional<Value>(_ read: (inout ByteReader) -> Value?) -> Value?? {
        switch byte() {
        case 0: return .some(nil)
        case 1: return read(&self).map { .some($0) }
        default: return nil
        }
    }

    fileprivate mutating func id() -> RecordID? {
        number(UInt64.self).map(RecordID.init(number:))
    }

    fileprivate mutating func name() -> EntryName? {
        text().flatMap { EntryName(written: $0) }
    }

    fileprivate mutating func key() -> FileKey? {
        guard let inode = number(UInt64.self), let born = optional({ $0.timestamp() }) else { return nil }
        return FileKey(inode: inode, born: born)
    }

    fileprivate mutating func facts() -> FileFacts? {
        guard let key = key(), let flags = byte(), let size = number(Int64.self), let modified = timestamp(),
            let changed = timestamp(), let mode = number(UInt32.self), let owner = number(UInt32.self),
            let group = number(UInt32.self), let links = number(UInt32.self)
        else { return nil }
        return FileFacts(
            key: key, isFolder: flags & 1 != 0, size: size, modified: modified, changed: changed, mode: mode,
            owner: owner,
            group: group, links: links, isWritable: flags & 2 != 0)
    }

    fileprivate mutating func record() -> FolderRecord? {
        guard let id = id(), let parent = self.id(), let text = text(), let facts = facts(),
            let contentChanged = timestamp(), let metadataSequence = number(UInt64.self),
            let sequence = number(UInt64.self)
        else { return nil }
        let name = EntryName(written: text)
        guard (name == nil) == (id == .root) else { return nil }
        return FolderRecord(
            id: id, parent: parent, name: name, facts: facts, contentChanged: contentChanged,
            metadataSequence: metadataSequence, sequence: sequence)
    }

    fileprivate mutating func place() -> Place? {
        guard let parent = id(), let name = name() else { return nil }
        return Place(parent: parent, name: name)
    }

    fileprivate mutating func change() -> PlannedChange? {
        guard let operation = text(), let kind = byte().flatMap(PlannedChange.Kind.init(rawValue:)),
            let id = optional({ $0.id() }), let from = place(), let to = place(),
            let temporary = optional({ $0.text() }), let put = optional({ $0.key() }),
            let expected = optional({ $0.facts() }), let contentChanged = optional({ $0.timestamp() })
        else { return nil }
        return PlannedChange(
            operation: operation, kind: kind, id: id, from: from, to: to, temporary: temporary, put: put,
            expected: expected, contentChanged: contentChanged)
    }

    fileprivate mutating func item() -> Item? {
        guard let id = text().flatMap({ try? ItemIdentifier($0) }),
            let parent = optional({ $0.text().flatMap { try? ItemIdentifier($0) } }),
            let name = optional({ $0.text().flatMap { try? ItemName($0) } }), let kind = byte(),
            let size = optional({ $0.number(Int64.self) }), let modified = timestamp(), let created = timestamp(),
            let content = block(), let metadata = block(), let capabilities = number(UInt32.self),
            let version = try? ItemVersion(content: Array(content), metadata: Array(metadata))
        else { return nil }
        return Item(
            id: id, parentID: parent, name: name, kind: kind == 1 ? ItemKind(ofFolderNamed: name) : .document,
            size: size, modified: modified,
            created: created, version: version, capabilities: ItemCapabilities(rawValue: capabilities))
    }
}
