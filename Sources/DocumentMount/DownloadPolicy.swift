package import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// Which programs may have documents brought. Thumbnailers, indexers and backup programs that look into every file would
/// bring everything.
///
/// The rules are those of the mount, and those of the user's settings, which are followed while it serves. Whoever answers the
/// kernel goes by those that are known: the settings may lie anywhere, in the mount itself for one.
package final class DownloadPolicy: Sendable {
    /// How often the settings are looked at.
    private static let pause = Duration.seconds(1)
    /// In bytes, of the settings.
    private static let most = 1 << 16

    private let rules: [DownloadRule]
    private let file: String?
    private let settings = Mutex<[DownloadRule]>([])
    private let disk = BlockingPool(threads: 1, name: "docent-rules")

    /// - Parameters:
    ///   - rules: whom documents are not brought for: they see what is here and no more.
    ///   - file: more of them (docs/mount.md); nil: none.
    package init(denying rules: [DownloadRule] = [], and file: String? = nil) {
        self.rules = rules
        self.file = file
    }

    /// Reads the settings for the first time. May wait for the disk.
    ///
    /// - Throws: ``DocumentError``: `invalidArgument` that names the line, `localStorage` when it cannot be read.
    package func begin() throws(DocumentError) {
        guard let file else { return }
        do {
            let rules = try DownloadRule.rules(in: Self.text(of: file), of: file)
            settings.withLock { $0 = rules }
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(
                .localStorage,
                "\(file) cannot be read (\(error)): it says for whom nothing is brought; mend it, or take it away.")
        }
    }

    /// Takes up what changes in the settings, until the task is cancelled.
    package func follow() async {
        guard let file else { return }
        var before: String?
        while (try? await Task.sleep(for: Self.pause)) != nil {
            // What cannot be read, or is in the middle of being written, takes nothing back.
            guard let text = try? await disk.run({ try Self.text(of: file) }) else { continue }
            if text == before, let rules = try? DownloadRule.rules(in: text, of: file) {
                settings.withLock { $0 = rules }
            }
            before = text
        }
    }

    /// Whether a process is one of those.
    ///
    /// - Parameter user: as whom it asks; nil: unknown.
    package func denies(_ process: Int32, user: UInt32? = nil) -> Bool {
        let rules = rules + settings.withLock { $0 }
        guard !rules.isEmpty else { return false }
        let asking = AskingProcess(process, user: user)
        return rules.contains { $0.covers(asking) }
    }

    /// Empty when there is no such file.
    private static func text(of path: String) throws(Errno) -> String {
        guard let file = fopen(path, "re") else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Errno(rawValue: errno) }
            return ""
        }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: most + 1) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        guard ferror(file) == 0 else { throw .ioError }
        guard bytes.count <= most else { throw .fileTooLarge }
        return String(decoding: bytes, as: UTF8.self)
    }
}
