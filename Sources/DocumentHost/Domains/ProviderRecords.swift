import DocumentModel
import DocumentTransport
import Glibc
import ProviderLauncher
import SystemPackage

/// What the host keeps about providers for people: records of failures, and recordings of traffic where they are wanted.
struct ProviderRecords: Sendable {
    let postMortems: PostMortemStore
    let recordings: FilePath
    let blocking: BlockingPool

    /// A file in the folder of a domain's recordings says that they are wanted, so that it holds over a restart of the
    /// host.
    private static let mark = "on"

    func folder(of domain: DomainName) -> FilePath { recordings.appending(domain.rawValue) }

    /// The folder, if recordings are wanted. Looks at one file.
    func recordings(of domain: DomainName) -> FilePath? {
        let folder = folder(of: domain)
        return access(folder.appending(Self.mark).string, F_OK) == 0 ? folder : nil
    }

    func setRecording(_ domain: DomainName, isOn: Bool) async throws(DocumentError) {
        let (parent, folder) = (recordings, folder(of: domain))
        let mark = folder.appending(Self.mark)
        let problem: Errno? = try? await blocking.run {
            guard isOn else { return unlink(mark.string) == 0 || errno == ENOENT ? nil : Errno(rawValue: errno) }
            for path in [parent, folder] where mkdir(path.string, 0o700) != 0 && errno != EEXIST {
                return Errno(rawValue: errno)
            }
            let file = open(mark.string, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return Errno(rawValue: errno) }
            close(file)
            return nil
        }
        if let problem {
            throw DocumentError(.localStorage, "The recordings' folder “\(folder)” cannot be used: \(problem).")
        }
    }

    /// The last record of any of the domains, and of those of the provider that were not added.
    func lastFailure(
        of domains: [DomainName], and provider: ProviderIdentifier?
    ) async -> (text: String, path: FilePath)? {
        let store = postMortems
        let found = try? await blocking.run {
            let ofProvider = provider.flatMap { store.last(of: $0) }
            // Their names sort by time.
            return (domains.map { store.last(of: $0) } + [ofProvider]).compactMap { $0 }.max {
                ($0.path.lastComponent?.string ?? "") < ($1.path.lastComponent?.string ?? "")
            }
        }
        return found ?? nil
    }

    /// The domain was not added: what its provider's failure left is kept without it.
    func handOver(_ domain: DomainName, to provider: ProviderIdentifier) async {
        let store = postMortems
        _ = try? await blocking.run { store.handOver(domain, to: provider) }
    }

    /// The domain is gone, and what is kept of it goes too.
    func forget(_ domain: DomainName) async {
        let (store, folder) = (postMortems, folder(of: domain))
        _ = try? await blocking.run {
            store.removeAll(of: domain)
            guard let listing = opendir(folder.string) else { return }
            defer { closedir(listing) }
            while let entry = readdir(listing) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { unlink(folder.appending(name).string) }
            }
            rmdir(folder.string)
        }
    }
}
