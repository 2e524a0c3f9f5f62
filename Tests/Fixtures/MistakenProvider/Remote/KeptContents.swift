import DocumentModel

/// A version that the remote keeps beside a document's contents.
struct KeptContents: Hashable, Sendable {
    var id: String
    var document: ItemIdentifier
    var role: ProvidedVersion.Role
    var size: Int64
    var modified: Timestamp
    var savedBy: String
    var sha256: [UInt8]
    var operation: String

    var version: ProvidedVersion {
        ProvidedVersion(id: id, role: role, size: size, modified: modified, savedBy: savedBy, sha256: sha256)
    }

    var fields: [String] {
        [
            id, document.rawValue, role.rawValue, "\(size)", "\(modified.seconds)", "\(modified.nanoseconds)", savedBy,
            sha256.map(String.init).joined(separator: ","), operation,
        ]
    }

    init(
        id: String, document: ItemIdentifier, role: ProvidedVersion.Role, size: Int64, modified: Timestamp,
        savedBy: String, sha256: [UInt8], operation: String
    ) {
        self.id = id
        self.document = document
        self.role = role
        self.size = size
        self.modified = modified
        self.savedBy = savedBy
        self.sha256 = sha256
        self.operation = operation
    }

    /// Nil for fields of something else.
    init?(_ fields: ArraySlice<String>) throws(DocumentError) {
        let fields = Array(fields)
        guard fields.count == 9, let role = ProvidedVersion.Role(rawValue: fields[2]), let size = Int64(fields[3]),
            let seconds = Int64(fields[4]), let nanoseconds = UInt32(fields[5])
        else { return nil }
        self.init(
            id: fields[0], document: try ItemIdentifier(fields[1]), role: role, size: size,
            modified: Timestamp(seconds: seconds, nanoseconds: nanoseconds), savedBy: fields[6],
            sha256: fields[7].split(separator: ",").compactMap { UInt8($0) }, operation: fields[8])
    }
}

extension RemoteTree {
    /// Sides of conflicts first.
    func versions(of id: ItemIdentifier) -> [ProvidedVersion] {
        let all = kept.values.filter { $0.document == id }.sorted { $0.id < $1.id }.map(\.version)
        return all.filter { $0.role == .conflict } + all.filter { $0.role != .conflict }
    }

    /// A side of a conflict has come or gone.
    mutating func recount(_ id: ItemIdentifier) {
        guard var record = records[id] else { return }
        sequence += 1
        record.sides = mistake == .sidesNotCounted ? 0 : UInt64(versions(of: id).filter { $0.role == .conflict }.count)
        if mistake != .sidesKeepMetadataVersion { record.metadataVersion = sequence }
        if mistake != .feedOmitsSides { record.changed = sequence }
        if mistake == .sidesChangeContentVersion { record.contentVersion = sequence }
        records[id] = record
    }
}
