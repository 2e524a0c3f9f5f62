internal import CFuse
import DocumentModel
import Glibc
import SystemPackage

/// The kernel's requests as libfuse hands them over, for the handler of the session that they are of.
enum KernelOperations {
    private static let mostBackground: UInt32 = 4096

    static func make() -> fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        operations.`init` = { _, connection in
            // Reads that wait for what does not come are in the background for the kernel, which has few places there unless it
            // is told otherwise: they are to keep no other reads from theirs.
            connection?.pointee.max_background = KernelOperations.mostBackground
            connection?.pointee.congestion_threshold = KernelOperations.mostBackground
        }
        operations.lookup = { raw, parent, name in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.noSuchFileOrDirectory) }
            handler(raw).lookUp(name, in: parent, request)
        }
        operations.forget = { raw, node, count in
            guard let raw else { return }
            handler(raw).forget(node, count)
            fuse_reply_none(raw)
        }
        operations.forget_multi = { raw, count, forgotten in
            guard let raw else { return }
            for entry in UnsafeBufferPointer(start: forgotten, count: count) {
                handler(raw).forget(entry.ino, entry.nlookup)
            }
            fuse_reply_none(raw)
        }
        operations.getattr = { raw, node, information in
            guard let raw else { return }
            handler(raw).attributes(of: node, handle: information?.pointee.fh, KernelRequest(raw))
        }
        addFolders(to: &operations)
        addFiles(to: &operations)
        addChanges(to: &operations)
        addRefusals(to: &operations)
        operations.statfs = { raw, _ in
            guard let raw else { return }
            handler(raw).fileSystem(KernelRequest(raw))
        }
        operations.getxattr = { raw, node, name, room in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.noData) }
            handler(raw).extendedAttribute(name, of: node, room: room, request)
        }
        operations.listxattr = { raw, node, room in
            guard let raw else { return }
            handler(raw).extendedAttributes(of: node, room: room, KernelRequest(raw))
        }
        return operations
    }

    private static func addFolders(to operations: inout fuse_lowlevel_ops) {
        operations.opendir = { raw, node, _ in
            guard let raw else { return }
            handler(raw).openFolder(node, KernelRequest(raw))
        }
        operations.readdir = { raw, node, room, position, information in
            guard let raw, let information else { return }
            handler(raw).readFolder(
                information.pointee.fh, node: node, from: Int(position),
                KernelListing(request: KernelRequest(raw), room: room, withEntries: false))
        }
        operations.readdirplus = { raw, node, room, position, information in
            guard let raw, let information else { return }
            handler(raw).readFolder(
                information.pointee.fh, node: node, from: Int(position),
                KernelListing(request: KernelRequest(raw), room: room, withEntries: true))
        }
        operations.releasedir = { raw, node, information in
            guard let raw, let information else { return }
            handler(raw).closeFolder(information.pointee.fh, node: node, KernelRequest(raw))
        }
    }

    private static func addFiles(to operations: inout fuse_lowlevel_ops) {
        operations.open = { raw, node, information in
            guard let raw, let information else { return }
            handler(raw).open(node, OpenFlags(rawValue: information.pointee.flags), KernelRequest(raw))
        }
        operations.read = { raw, _, count, offset, information in
            guard let raw, let information else { return }
            handler(raw).read(information.pointee.fh, at: Int64(offset), count: count, KernelRequest(raw))
        }
        operations.release = { raw, _, information in
            guard let raw, let information else { return }
            handler(raw).close(information.pointee.fh, KernelRequest(raw))
        }
    }
}

// Outside of the type: what C calls captures nothing, not even that.

func handler(_ raw: fuse_req_t) -> any KernelHandler {
    KernelSession.of(fuse_req_userdata(raw)).handler
}

/// A name as it came; nil when it is not UTF-8: there is no such item.
func text(_ name: UnsafePointer<CChar>?) -> String? {
    name.flatMap { String(validatingCString: $0) }
}
