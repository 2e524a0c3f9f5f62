import DocumentModel

// One line an entry, the fields separated by tabs, which no identifier of ours, no name and no operation holds.
extension RemoteTree {
    var lines: String {
        var text = "head\t\(epoch)\t\(sequence)\t\(oldestAnchor)\t\(nextSerial)\n"
        for record in records.values {
            let fields = [
                record.id.rawValue, "\(record.serial)", record.parentID.rawValue, record.name.rawValue,
                record.kind.rawValue, "\(record.size)", "\(record.modified.seconds)", "\(record.modified.nanoseconds)",
                "\(record.created.seconds)", "\(record.created.nanoseconds)", "\(record.contentVersion)",
                "\(record.metadataVersion)", "\(record.changed)", "\(record.contentsNumber)", "\(record.sides)",
            ]
            text += "item\t" + fields.joined(separator: "\t") + "\n"
        }
        if mistake != .versionsForgottenAtRestart {
            for kept in kept.values { text += "kept\t" + kept.fields.joined(separator: "\t") + "\n" }
        }
        for grave in graves { text += "grave\t\(grave.id)\t\(grave.changed)\n" }
        for (operation, outcome) in operations {
            text += "operation\t\(operation)\t\(outcome?.rawValue ?? "")\n"
        }
        return text
    }

    init(lines: String) throws(DocumentError) {
        for line in lines.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard try take(fields) else {
                throw DocumentError(
                    .localStorage, "The remote's file has a line that is none: “\(fields.joined(separator: " "))”."
                )
            }
        }
    }

    private mutating func take(_ fields: [String]) throws(DocumentError) -> Bool {
        let numbers = fields.map { UInt64($0) ?? 0 }
        switch (fields[0], fields.count) {
        case ("head", 5):
            (epoch, sequence, oldestAnchor, nextSerial) = (numbers[1], numbers[2], numbers[3], numbers[4])
        case ("item", 16):
            guard let kind = ItemKind(rawValue: fields[5]) else { return false }
            let record = RemoteRecord(
                id: try ItemIdentifier(fields[1]), serial: numbers[2], parentID: try ItemIdentifier(fields[3]),
                name: try ItemName(fields[4]), kind: kind, size: Int64(numbers[6]),
                modified: Timestamp(seconds: Int64(fields[7]) ?? 0, nanoseconds: UInt32(numbers[8])),
                created: Timestamp(seconds: Int64(fields[9]) ?? 0, nanoseconds: UInt32(numbers[10])),
                contentVersion: numbers[11], metadataVersion: numbers[12], changed: numbers[13],
                contentsNumber: numbers[14], sides: numbers[15]
            )
            records[record.id] = record
        case ("kept", 10):
            guard let contents = try KeptContents(fields.dropFirst()) else { return false }
            kept[contents.id] = contents
        case ("grave", 3):
            graves.append(RemoteGrave(id: try ItemIdentifier(fields[1]), changed: numbers[2]))
        case ("operation", 3):
            operations[fields[1]] = .some(fields[2].isEmpty ? nil : try ItemIdentifier(fields[2]))
        default:
            return false
        }
        return true
    }
}
