import Glibc
package import SystemPackage

/// What was built together with the running tests.
package enum BuiltProducts {
    /// The executable of a product, beside the test bundle.
    package static func executable(_ name: String) throws -> FilePath {
        var path = FilePath(try link("/proc/self/exe"))
        while path.removeLastComponent() {
            let candidate = path.appending(name)
            if access(candidate.string, X_OK) == 0, (try? FileDescriptor.open(candidate, .readOnly).close()) != nil {
                return candidate
            }
        }
        throw Errno.noSuchFileOrDirectory
    }

    /// The package's own folder: where its `Package.swift` is.
    package static func packageFolder(file: StaticString = #filePath) throws -> FilePath {
        var path = Substring("\(file)")
        while let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            if access("\(path)/Package.swift", R_OK) == 0 { return FilePath(String(path)) }
        }
        throw Errno.noSuchFileOrDirectory
    }

    /// Where a symbolic link leads.
    package static func link(_ path: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { throw Errno(rawValue: errno) }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
