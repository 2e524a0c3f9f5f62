import DocumentClient
import DocumentModel
import DocumentTypes
import Glibc
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
        let versions = try await client.versions(of: location)
        guard versions.contains(where: { $0.isInPlace && $0.path != nil }),
            let other = versions.first(where: { !$0.isInPlace && ($0.kind == .current || $0.kind == .conflict) })
        else {
            throw DocumentError(.invalidArgument, "\(location) is not in conflict; there is nothing to merge.")
        }
        // What edits here began from says nothing of a conflict of other devices.
        let isOwn = try await client.item(at: location).state == .conflict
        guard isOwn, let base = versions.first(where: { $0.kind == .base })?.path else {
            throw DocumentError(
                .noSuchItem,
                "What both sides of \(location) began from is not kept here: a program changed it without asking, or another device did. Choose with --keep."
            )
        }
        guard let theirs = other.path else {
            throw DocumentError(
                .noSuchItem,
                "The other side of \(location) is not here: docent versions \(location) --fetch brings it.")
        }
        let program = try MergePrograms.ofUser().program(
            for: try await client.item(at: location).item.contentType, MachineTypes().current)
        if let destination {
            guard access(destination.string, F_OK) != 0 else {
                throw DocumentError(
                    .destinationExists, "\(destination) exists already: name a new file for the result.")
            }
            return try await client.coordinate(readingItemAt: location) { path, _ in
                try await merge(path, base, theirs, with: program, into: destination)
            }
        }
        try await client.coordinate(writingItemAt: location) { path, _ in
            var beside = path
            beside.extension = (path.extension.map { $0 + "." } ?? "") + "merge-\(getpid())"
            defer { unlink(beside.string) }
            try await merge(path, base, theirs, with: program, into: beside)
            guard rename(beside.string, path.string) == 0 else {
                throw DocumentError(.localStorage, "\(path) could not be replaced: \(Errno(rawValue: errno)).")
            }
        }
        try await client.resolveConflict(at: location, keeping: .local)
    }

    private func merge(
        _ ours: FilePath, _ base: String, _ theirs: String, with program: MergeProgram?, into result: FilePath
    ) async throws {
        if let program {
            try await program.merge(location, base: FilePath(base), ours: ours, theirs: FilePath(theirs), into: result)
        } else {
            try await TextMerge(location: location).merge(ours, base, theirs, into: result)
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
                            throw DocumentError(.invalidArgument, "\(location) is too large to be merged.")
                        }
                        try output.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    }
                }
            }
        }
    }
}
