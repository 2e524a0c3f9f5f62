import Foundation

/// A setting that is read from a file, so that it is in no list of processes.
enum SettingFile {
    private static let sizeLimit = 65_536

    /// - Returns: its text without the line's end; nil when it cannot be read.
    static func text(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: sizeLimit), let text = String(data: data, encoding: .utf8) else {
            return nil
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
