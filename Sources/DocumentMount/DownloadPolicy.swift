package import DocumentModel
import Glibc
import Synchronization

/// Which programs may have documents brought. Thumbnailers, indexers and backup programs that look into every file would
/// bring everything.
///
/// The rules are those of the mount, and those of the user's settings, which are read anew when they have changed.
package final class DownloadPolicy: Sendable {
    private struct Settings {
        var rules: [DownloadRule] = []
        /// That they are from.
        var text: String?
        var looked: ContinuousClock.Instant?
    }

    /// How long the settings are taken to be as they were.
    private static let pause = Duration.seconds(1)

    private let rules: [DownloadRule]
    private let file: String?
    private let settings = Mutex(Settings())

    /// - Parameters:
    ///   - rules: whom documents are not brought for: they see what is here and no more.
    ///   - file: more of them (docs/mount.md); nil: none.
    package init(denying rules: [DownloadRule] = [], and file: String? = nil) {
        self.rules = rules
        self.file = file
    }

    /// `docent/mount-deny` in the user's settings; nil where there is no home.
    package static var usualFile: String? {
        if let folder = getenv("XDG_CONFIG_HOME") { return String(cString: folder) + "/docent/mount-deny" }
        return getenv("HOME").map { String(cString: $0) + "/.config/docent/mount-deny" }
    }

    /// Reads the settings.
    ///
    /// - Throws: ``DocumentError``: `invalidArgument` that names the line.
    package func check() throws(DocumentError) {
        guard let file, let text = Self.text(of: file) else { return }
        _ = try DownloadRule.rules(in: text, of: file)
    }

    /// Whether a process is one of those.
    ///
    /// - Parameter user: as whom it asks; nil: unknown.
    package func denies(_ process: Int32, user: UInt32? = nil) -> Bool {
        let rules = rules + fromSettings()
        guard !rules.isEmpty else { return false }
        let asking = AskingProcess(process, user: user)
        return rules.contains { $0.covers(asking) }
    }

    private func fromSettings() -> [DownloadRule] {
        guard let file else { return [] }
        return settings.withLock { settings in
            let now = ContinuousClock.now
            if let looked = settings.looked, now < looked + Self.pause { return settings.rules }
            settings.looked = now
            let text = Self.text(of: file) ?? ""
            guard text != settings.text else { return settings.rules }
            settings.text = text
            // In the middle of being written, or wrong: what was said before counts, or else whoever made a mistake would
            // have everything brought.
            if let rules = try? DownloadRule.rules(in: text, of: file) { settings.rules = rules }
            return settings.rules
        }
    }

    /// - Returns: nil when there is no such file.
    private static func text(of file: String) -> String? {
        guard let open = fopen(file, "re") else { return nil }
        defer { fclose(open) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, open)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
