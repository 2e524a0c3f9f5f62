package import SystemPackage

/// A file of a test's own, for as long as a body runs.
package enum TemporaryFile {
    package static func with<Result>(
        contents: String, body: (FilePath) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let path = folder.appending("file")
        try write(contents, to: path)
        return try await body(path)
    }

    package static func write(_ text: String, to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite]
        )
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
    }

    package static func read(_ path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            while true {
                let chunk = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if chunk.isEmpty { return String(decoding: bytes, as: UTF8.self) }
                bytes += chunk
            }
        }
    }
}
