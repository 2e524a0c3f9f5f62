import DocumentModel
import Synchronization
import SystemPackage

/// Which file is open under which number, and which of them the kernel reads by itself.
final class DirectFiles: Sendable {
    private let table = Mutex(PassthroughTable<FileState.Identity>())

    /// A program opens a document: to be followed by ``close(_:_:)``.
    ///
    /// - Parameter pages: what becomes of the kernel's pages, where it has them from us.
    /// - Returns: nil when programs have another file open under the same number: it would get that one's pages.
    func open(
        _ file: OpenFile, for use: PassthroughTable<FileState.Identity>.Use, _ pages: KernelRequest.Pages,
        _ session: KernelSession
    ) -> KernelRequest.Pages? {
        guard let identity = FileState(file.file)?.identity else { return nil }
        // The kernel takes the name until the file is closed here for the last time.
        let way = table.withLock { table in
            table.open(file.node, identity, for: use) { session.share(file.file) }
        }
        return switch way {
        case nil: nil
        case .pages: pages
        case .file(let name): .file(name)
        case .asked(let name): .asked(name)
        }
    }

    func close(_ node: UInt64, _ session: KernelSession) {
        table.withLock { table in
            if let name = table.close(node) { session.unshare(name) }
        }
    }
}
