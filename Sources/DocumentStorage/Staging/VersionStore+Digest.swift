internal import DocumentModel
package import SystemPackage

extension VersionStore {
    /// What contents are told apart by where nothing else does (SHA-256). Reads all of it, a piece at a time.
    package static func digest(ofFileAt path: FilePath) throws -> [UInt8] {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow])
            return try file.closeAfter {
                var digest = Digest()
                var buffer = [UInt8](repeating: 0, count: 1 << 20)
                while true {
                    let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { return digest.finish() }
                    digest.add(Array(buffer[..<count]))
                }
            }
        } catch let error as Errno {
            throw DocumentError(.localStorage, "\(path) could not be read: \(error).")
        }
    }
}
