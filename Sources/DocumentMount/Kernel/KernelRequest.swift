internal import CFuse
import DocumentModel
import Glibc
import SystemPackage

/// One request of the kernel's. It is answered once, from any thread; then it is not there any more.
struct KernelRequest: @unchecked Sendable {  // libfuse takes answers from any thread.
    let raw: fuse_req_t

    init(_ raw: fuse_req_t) {
        self.raw = raw
    }

    /// Answers in a task, which is cancelled when the program that waits is interrupted.
    func answer(_ body: @escaping @Sendable (KernelRequest) async -> Void) {
        KernelSession.of(fuse_req_userdata(raw)).answer(self) { await body(self) }
    }

    /// The process that asks; 0 when it is in a place that cannot be seen from here. Only until it is answered.
    var process: Int32 { fuse_req_ctx(raw).pointee.pid }

    /// As whom it asks. Only until it is answered.
    var user: UInt32 { fuse_req_ctx(raw).pointee.uid }

    /// Only until it is answered.
    var session: KernelSession { KernelSession.of(fuse_req_userdata(raw)) }

    func fail(_ error: Errno) { fuse_reply_err(raw, error.rawValue) }

    func succeed() { fuse_reply_err(raw, 0) }

    /// - Returns: false when the kernel does not want it any more: then it does not know the node.
    func reply(entry: KernelEntry) -> Bool {
        var parameters = Self.parameters(of: entry)
        return fuse_reply_entry(raw, &parameters) == 0
    }

    /// - Parameter lifetime: how long the kernel may keep them, in seconds.
    func reply(_ attributes: NodeAttributes, lifetime: Double) {
        var status = Self.status(of: attributes)
        fuse_reply_attr(raw, &status, lifetime)
    }

    /// What becomes of the pages that the kernel keeps of a file.
    enum Pages {
        /// Those that it has are still right.
        case kept
        case new
        /// It goes to the file by itself, by its name for it.
        case file(Int32)
        /// Others read the file so: what is read through this open is asked for each time.
        case asked(Int32)
    }

    /// - Returns: false when the kernel does not want it any more: then it does not know the handle.
    func reply(opened handle: UInt64, _ pages: Pages) -> Bool {
        var flags: docent_fuse_open_flags.RawValue = 0
        var backing: Int32 = 0
        switch pages {
        case .kept: flags = DOCENT_FUSE_OPEN_KEEP.rawValue
        case .new: break
        case .file(let name): (flags, backing) = (DOCENT_FUSE_OPEN_PASSTHROUGH.rawValue, name)
        case .asked(let name):
            (flags, backing) = (DOCENT_FUSE_OPEN_PASSTHROUGH.rawValue | DOCENT_FUSE_OPEN_DIRECT.rawValue, name)
        }
        // As libfuse answers it, and with the name that it does not know of.
        let answer = docent_fuse_open_answer(handle: handle, flags: flags, backing: backing)
        return withUnsafeBytes(of: answer) {
            fuse_reply_buf(raw, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) == 0
        }
    }

    /// The same for a folder.
    func reply(openedFolder handle: UInt64, _ opening: ListingTable.Opening) -> Bool {
        var information = fuse_file_info()
        information.fh = handle
        information.cache_readdir = opening == .plain ? 0 : 1
        // One that has no part in what is kept leaves it alone.
        information.keep_cache = opening == .filling ? 0 : 1
        return fuse_reply_open(raw, &information) == 0
    }

    /// The same for a document that was made just now.
    func reply(created entry: KernelEntry, opened handle: UInt64) -> Bool {
        var parameters = Self.parameters(of: entry)
        var information = fuse_file_info()
        information.fh = handle
        return fuse_reply_create(raw, &parameters, &information) == 0
    }

    func reply(written count: Int) { fuse_reply_write(raw, count) }

    /// From a file, without a copy where the kernel can.
    func reply(from file: FileDescriptor, at offset: Int64, count: Int) {
        var vector = fuse_bufvec()
        vector.count = 1
        vector.buf.size = count
        vector.buf.flags = fuse_buf_flags(FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue)
        vector.buf.fd = file.rawValue
        vector.buf.pos = off_t(offset)
        fuse_reply_data(raw, &vector, FUSE_BUF_SPLICE_MOVE)
    }

    func reply(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            _ = fuse_reply_buf(raw, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    /// An extended attribute, or the names of all: as much as there is room for, or how much that would be.
    func reply(attribute bytes: [UInt8], room: Int) {
        if room == 0 {
            fuse_reply_xattr(raw, bytes.count)
        } else if bytes.count > room {
            fail(.outOfRange)
        } else {
            reply(bytes)
        }
    }

    /// The room on the disk that contents come to.
    func reply(fileSystemOf folder: String) {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return fail(Errno(rawValue: errno)) }
        status.f_namemax = UInt(ItemName.maximumLength)
        fuse_reply_statfs(raw, &status)
    }

    static func parameters(of entry: KernelEntry) -> fuse_entry_param {
        var parameters = fuse_entry_param()
        parameters.ino = entry.node
        parameters.attr = status(of: entry.attributes)
        parameters.attr_timeout = entry.lifetime
        parameters.entry_timeout = entry.lifetime
        return parameters
    }

    static func status(of attributes: NodeAttributes) -> stat {
        var status = stat()
        status.st_ino = UInt(attributes.number)
        let permissions: mode_t = attributes.isWritable ? 0o600 : 0o400
        status.st_mode = attributes.isFolder ? S_IFDIR | permissions | 0o100 : S_IFREG | permissions
        // Of folders: how many are in them is not known without a listing.
        status.st_nlink = 1
        status.st_uid = getuid()
        status.st_gid = getgid()
        status.st_size = off_t(attributes.size)
        status.st_blocks = blkcnt_t(attributes.blocks)
        status.st_blksize = 4096
        let time = timespec(
            tv_sec: time_t(attributes.modified.seconds), tv_nsec: Int(attributes.modified.nanoseconds))
        (status.st_mtim, status.st_ctim, status.st_atim) = (time, time, time)
        return status
    }
}
