internal import CDocentShims
package import DocumentModel
internal import DocumentWire
internal import Glibc
package import SystemPackage

/// The records of failures, the last few of each domain in a folder of its own. A provider has one as well, for domains
/// that were to be added and could not be. All calls block.
///
/// No provider can write there: its own folder is another one.
package struct PostMortemStore: Sendable {
    /// How many are kept of a domain.
    package static let kept = 10
    /// Longer ones lose their frames and their standard error.
    package static let sizeLimit = 262_144

    /// The one that is being written; a domain has one supervisor, which writes one at a time.
    private static let unfinished = "unfinished"

    private let folder: FilePath

    package init(folder: FilePath) {
        self.folder = folder
    }

    package func folder(of domain: DomainName) -> FilePath { folder.appending(domain.rawValue) }
    /// Under a name that no domain can have.
    package func folder(of provider: ProviderIdentifier) -> FilePath { folder.appending("." + provider.rawValue) }

    /// - Returns: the file.
    @discardableResult
    package func keep(_ record: PostMortem, of domain: DomainName) throws(DocumentError) -> FilePath {
        var text = record.json + "\n"
        if text.utf8.count > Self.sizeLimit {
            var shorter = record
            shorter.framesSent = []
            shorter.framesReceived = []
            shorter.standardError = []
            shorter.openRequests = Array(record.openRequests.prefix(64))
            text = shorter.json + "\n"
        }
        let place = folder(of: domain)
        for path in [folder, place] where mkdir(path.string, 0o700) != 0 && errno != EEXIST { throw failure(path) }
        // Whole before it has its name: whoever looks meanwhile sees the one before.
        let unfinished = place.appending(Self.unfinished)
        let descriptor = open(unfinished.string, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(unfinished) }
        let opened = FileDescriptor(rawValue: descriptor)
        do {
            try opened.closeAfter { _ = try opened.writeAll(text.utf8) }
        } catch {
            unlink(unfinished.string)
            throw failure(unfinished)
        }
        // By time, so that names sort; a second one in the same microsecond gets the next name.
        var number = UInt64(max(0, record.time) * 1_000_000)
        while true {
            let digits = String(number)
            let name = String(repeating: "0", count: max(0, 17 - digits.count)) + digits + ".json"
            let file = place.appending(name)
            let result = docent_renameat2(
                DOCENT_AT_FDCWD, unfinished.string, DOCENT_AT_FDCWD, file.string, UInt32(DOCENT_RENAME_NOREPLACE))
            if result == -EEXIST {
                number += 1
                continue
            }
            guard result == 0 else {
                unlink(unfinished.string)
                throw failure(file, Errno(rawValue: -result))
            }
            prune(place)
            return file
        }
    }

    /// The last record of a domain.
    package func last(of domain: DomainName) -> (text: String, path: FilePath)? { last(in: folder(of: domain)) }

    /// The last record of a domain of a provider's that was not added.
    package func last(of provider: ProviderIdentifier) -> (text: String, path: FilePath)? {
        last(in: folder(of: provider))
    }

    /// A domain was not added after all: what is known of that is its provider's.
    package func handOver(_ domain: DomainName, to provider: ProviderIdentifier) {
        let (place, destination) = (folder(of: domain), folder(of: provider))
        let names = names(in: place)
        guard !names.isEmpty, mkdir(destination.string, 0o700) == 0 || errno == EEXIST else { return }
        for name in names { rename(place.appending(name).string, destination.appending(name).string) }
        prune(destination)
        removeAll(of: domain)
    }

    private func last(in place: FilePath) -> (text: String, path: FilePath)? {
        guard let name = names(in: place).last else { return nil }
        let path = place.appending(name)
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow]) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Self.sizeLimit * 2)
        let count = (try? file.closeAfter { try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }) ?? 0
        return (String(decoding: bytes[..<count], as: UTF8.self), path)
    }

    /// The domain is gone.
    package func removeAll(of domain: DomainName) {
        let place = folder(of: domain)
        for name in names(in: place) + [Self.unfinished] { unlink(place.appending(name).string) }
        rmdir(place.string)
    }

    private func prune(_ place: FilePath) {
        for name in names(in: place).dropLast(Self.kept) { unlink(place.appending(name).string) }
    }

    /// The oldest first.
    private func names(in place: FilePath) -> [String] {
        guard let listing = opendir(place.string) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") { names.append(name) }
        }
        return names.sorted()
    }

    private func failure(_ path: FilePath, _ error: Errno = Errno(rawValue: errno)) -> DocumentError {
        DocumentError(.localStorage, "The record “\(path)” cannot be written: \(error).")
    }
}
