internal import CFuse
import DocumentModel
import Glibc
import SystemPackage

/// What programs change.
extension KernelOperations {
    static func addChanges(to operations: inout fuse_lowlevel_ops) {
        operations.create = { raw, parent, name, _, information in
            guard let raw, let information else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.illegalByteSequence) }
            handler(raw).create(name, in: parent, OpenFlags(rawValue: information.pointee.flags), request)
        }
        operations.mknod = { raw, parent, name, mode, _ in
            guard let raw else { return }
            let request = KernelRequest(raw)
            // What is no file there is not in a domain.
            guard [0, S_IFREG].contains(mode & S_IFMT) else { return request.fail(.notPermitted) }
            guard let name = text(name) else { return request.fail(.illegalByteSequence) }
            handler(raw).makeDocument(name, in: parent, request)
        }
        operations.write = { raw, _, bytes, count, offset, information in
            guard let raw, let information else { return }
            handler(raw).write(
                UnsafeRawBufferPointer(start: bytes, count: count), at: Int64(offset),
                OpenFlags(rawValue: information.pointee.flags), information.pointee.fh, KernelRequest(raw))
        }
        operations.fsync = { raw, _, _, information in
            guard let raw, let information else { return }
            handler(raw).flush(information.pointee.fh, KernelRequest(raw))
        }
        operations.fsyncdir = { raw, node, _, _ in
            guard let raw else { return }
            handler(raw).flushFolder(node, KernelRequest(raw))
        }
        operations.setattr = { raw, node, status, wanted, information in
            guard let raw, let status else { return }
            handler(raw).set(
                changes(status.pointee, wanted), of: node, handle: information?.pointee.fh, KernelRequest(raw))
        }
        operations.fallocate = { raw, _, mode, offset, length, information in
            guard let raw, let information else { return }
            handler(raw).allocate(
                Int64(length), at: Int64(offset), mode: mode, information.pointee.fh, KernelRequest(raw))
        }
        operations.mkdir = { raw, parent, name, _ in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.illegalByteSequence) }
            handler(raw).makeFolder(name, in: parent, request)
        }
        operations.unlink = { raw, parent, name in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.noSuchFileOrDirectory) }
            handler(raw).remove(name, in: parent, isFolder: false, request)
        }
        operations.rmdir = { raw, parent, name in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.noSuchFileOrDirectory) }
            handler(raw).remove(name, in: parent, isFolder: true, request)
        }
        operations.rename = { raw, parent, name, newParent, newName, flags in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.noSuchFileOrDirectory) }
            guard let newName = text(newName) else { return request.fail(.illegalByteSequence) }
            handler(raw).rename(name, in: parent, to: newName, in: newParent, flags: flags, request)
        }
        operations.setxattr = { raw, node, name, bytes, count, flags in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.notSupported) }
            let value = Array(UnsafeRawBufferPointer(start: bytes, count: count))
            handler(raw).set(ExtendedAttributeChange(name: name, value: value, flags: flags), of: node, request)
        }
        operations.removexattr = { raw, node, name in
            guard let raw else { return }
            let request = KernelRequest(raw)
            guard let name = text(name) else { return request.fail(.notSupported) }
            handler(raw).set(ExtendedAttributeChange(name: name), of: node, request)
        }
    }

    /// What there is not in a domain.
    static func addRefusals(to operations: inout fuse_lowlevel_ops) {
        operations.symlink = { raw, _, _, _ in
            guard let raw else { return }
            KernelRequest(raw).fail(.notPermitted)
        }
        operations.link = { raw, _, _, _ in
            guard let raw else { return }
            KernelRequest(raw).fail(.notPermitted)
        }
    }
}

private func changes(_ status: stat, _ wanted: Int32) -> AttributeChanges {
    var changes = AttributeChanges()
    if wanted & FUSE_SET_ATTR_SIZE != 0 { changes.size = Int64(status.st_size) }
    if wanted & FUSE_SET_ATTR_MTIME_NOW != 0 {
        changes.isModifiedNow = true
    } else if wanted & FUSE_SET_ATTR_MTIME != 0 {
        changes.modified = Timestamp(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: UInt32(status.st_mtim.tv_nsec))
    }
    if wanted & FUSE_SET_ATTR_UID != 0 { changes.owner = status.st_uid }
    if wanted & FUSE_SET_ATTR_GID != 0 { changes.group = status.st_gid }
    return changes
}
