internal import CDocentShims
internal import DocumentModel
internal import Glibc
package import SystemPackage

/// The local document or folder of an arrival.
package enum OutsideTree {
    /// Removes what was copied, as far as it still is what it was then. What was changed or added since stays, with the
    /// folders around it.
    ///
    /// - Returns: what stays, as paths below the source.
    package static func remove(_ source: FilePath, expecting parts: [CopiedPart]) throws -> [FilePath] {
        var left: [FilePath] = []
        // What lies in a folder comes after it.
        for part in parts.reversed() {
            let path = part.path.reduce(source) { $0.appending($1.rawValue) }
            if let file = part.file {
                if try !removeFile(path, file) { left.append(path) }
            } else if try !removeFolder(path) {
                left.append(path)
            }
        }
        return left.reversed()
    }

    /// Whether nothing is in a place. What cannot be looked at may be there.
    package static func isGone(_ path: FilePath) -> Bool {
        do {
            guard let (folder, name) = try around(path) else { return true }
            return try folder.status(name) == nil
        } catch {
            return false
        }
    }

    private static func removeFile(_ path: FilePath, _ file: FileIdentity) throws -> Bool {
        // A folder that is gone takes with it what was in it.
        guard try around(path) != nil else { return true }
        return try OutsideFile.remove(path, expecting: file)
    }

    private static func removeFolder(_ path: FilePath) throws -> Bool {
        guard let (folder, name) = try around(path), let status = try folder.status(name) else { return true }
        guard status.isFolder else { return false }
        do {
            _ = try folder.removeFolder(name)
            try folder.flush()
            return true
        } catch let error as DocumentError where error.code == .directoryNotEmpty {
            return false
        }
    }

    private static func around(_ path: FilePath) throws -> (folder: DirectoryHandle, name: String)? {
        guard let name = path.lastComponent?.string else { return nil }
        let parent = path.removingLastComponent()
        let result = kernel(.open) {
            docent_openat2(
                Int32(DOCENT_AT_FDCWD), parent.isEmpty ? "." : parent.string, UInt64(O_RDONLY | O_DIRECTORY), 0, 0)
        }
        if result == -Int(ENOENT) || result == -Int(ENOTDIR) { return nil }
        if result >= 0 { _ = docent_close(Int32(result)) }
        return (try DirectoryHandle(trusting: parent.isEmpty ? "." : parent.string), name)
    }
}
