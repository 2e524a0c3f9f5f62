import DocumentModel
import DocumentProvider

extension MistakenProvider {
    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) async throws -> Item {
        try await serve {
            let wanted = mistake == .partOfAnyVersion ? [] : contentVersion
            let (record, source) = try remote.open(id, contentVersion: wanted)
            defer { try? source.close() }
            var part = range
            if record.size < range.upperBound {
                guard mistake == .partBeyondEndGiven else {
                    throw DocumentError(.invalidArgument, "“\(record.name)” has only \(record.size) bytes.")
                }
                part = min(range.lowerBound, record.size)..<record.size
            }
            if mistake == .partShort { part = part.lowerBound..<(part.upperBound - 1) }
            let target = try FileDescriptor.open(stagingFile, .writeOnly, options: [.closeOnExec, .noFollow])
            defer { try? target.close() }
            var place = part.lowerBound
            while place < part.upperBound {
                try transfer.checkCancellation()
                let count = Int(min(part.upperBound - place, 65_536))
                let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
                    let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
                    read = try source.read(fromAbsoluteOffset: place, into: room)
                }
                guard !bytes.isEmpty else { break }
                let offset = mistake == .partMisplaced ? place - part.lowerBound : place
                try target.writeAll(toAbsoluteOffset: offset, bytes)
                place += Int64(bytes.count)
                transfer.report(UInt64(place - part.lowerBound), of: UInt64(range.count))
            }
            if mistake == .partCutsStaging { try target.resize(to: range.upperBound) }
            var item = try record.item
            // Who gives a part of another version may well say that it is the one that was asked for.
            if mistake == .partOfAnyVersion {
                item.version = try ItemVersion(content: contentVersion, metadata: item.version.metadata)
            }
            if mistake == .partAnswersAnotherVersion {
                item.version = try ItemVersion(content: [0x2A], metadata: item.version.metadata)
            }
            return item
        }
    }
}
