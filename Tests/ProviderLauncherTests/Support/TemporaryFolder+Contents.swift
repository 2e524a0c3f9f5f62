import Glibc
import SystemPackage

extension TemporaryFolder {
    func size(_ name: String) -> Int? { (try? path.appending(name).stat()).map { Int($0.size) } }

    func names(_ name: String) -> [String] {
        guard let listing = opendir(path.appending(name).string) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
