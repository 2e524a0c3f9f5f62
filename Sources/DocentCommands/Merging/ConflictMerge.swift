import DocumentClient
import DocumentModel
import DocumentTypes
import SystemPackage

/// Merges both sides of a conflict, with the user's program for its type or by lines. Only when somebody asks for it, and
/// only where it is clear: else nothing is changed.
struct ConflictMerge {
    /// What is merged is copied for it, and is not large.
    static let largest = 64 << 20

    let location: Location
    /// A new file for the result, which then goes nowhere else.
    let destination: FilePath?

    init(location: Location, into destination: FilePath?) {
        self.location = location
        self.destination = destination
    }

    func run(_ client: DocumentClient) async throws {
        let program = try Self.program(for: try await client.item(at: location).item)
        let merger: ConflictMerger = { sides, result in
            if let program {
                try await program.merge(sides, into: result)
            } else {
                try await TextMerge(sides: sides).merge(into: result)
            }
        }
        if let destination {
            try await client.mergedVersion(of: location, into: destination, by: merger)
        } else {
            try await client.mergeConflict(at: location, by: merger)
        }
    }

    /// The user's program for a document; nil: lines.
    private static func program(for item: Item) throws -> MergeProgram? {
        do throws(DocumentError) {
            return try MergePrograms.ofUser().program(for: item, MachineTypes().current)
        } catch {
            // What cannot be read may be readable in a moment.
            if error.code == .invalidArgument { throw WrongSetting(error: error) }
            throw error
        }
    }

    /// Copies a file that is to be merged to a new one.
    static func copy(_ source: FilePath, to target: FilePath, of location: Location) throws {
        let input = try FileDescriptor.open(source, .readOnly)
        let output = try FileDescriptor.open(
            target, .writeOnly, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite])
        try input.closeAfter {
            try output.closeAfter {
                var total = 0
                try withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 16) { buffer in
                    while case let count = try input.read(into: buffer), count > 0 {
                        total += count
                        guard total <= largest else {
                            throw DocumentError(
                                .invalidArgument,
                                "\(location) has more than 64 MiB on one side, which is too large to be merged: choose with --keep."
                            )
                        }
                        try output.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    }
                }
            }
        }
    }
}
