import DocumentModel
import DocumentProvider
import SystemPackage

/// A provider that gives parts of documents.
protocol SimulatedRangeProvider: SimulatedProvider, RangeProvider {}

extension SimulatedRangeProvider {
    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) async throws -> Item {
        try await call("fetch \(range) of \(id)") {
            var item = try remote.item(id)
            if remote.mistake == .mixesParts {
                item.version = try ItemVersion(content: contentVersion, metadata: item.version.metadata)
            }
            guard let bytes = remote.entries[id]?.contents, item.version.content == contentVersion else {
                throw DocumentError(.versionNoLongerAvailable, "There are no such contents.")
            }
            guard range.upperBound <= Int64(bytes.count) else {
                throw DocumentError(.invalidArgument, "There is no such part.")
            }
            try transfer.write(
                bytes[Int(range.lowerBound)..<Int(range.upperBound)], to: stagingFile, at: range.lowerBound)
            return item
        }
    }
}
