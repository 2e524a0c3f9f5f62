internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// An open file, closed with its last reference.
final class OpenFile: Sendable {
    let descriptor: Int32
    /// What it is called in messages.
    let name: String

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        _ = docent_close(descriptor)
    }

    func status() throws -> FileStatus {
        var raw = docent_status()
        let result = kernel(.status) { docent_fstat(descriptor, &raw) }
        guard result >= 0 else { throw DocumentError.system(result, "The state of “\(name)” could not be read") }
        return FileStatus(raw: raw)
    }

    /// The same open file once more, for somebody who closes it, and who may wait for what it reads.
    func copy() throws -> FileDescriptor {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw DocumentError.system(-Int(errno), "“\(name)” could not be opened once more") }
        _ = fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) & ~O_NONBLOCK)
        return FileDescriptor(rawValue: copy)
    }

    /// - Parameter size: how much room there is for it; more than that is an error.
    func read(upTo size: Int, from offset: Int64 = 0) throws -> [UInt8] {
        var failure = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            while count < size {
                let result = kernel(.read) {
                    docent_pread(descriptor, base + count, size - count, offset + Int64(count))
                }
                if result < 0 { failure = result }
                if result <= 0 { return }
                count += result
            }
        }
        guard failure == 0 else { throw DocumentError.system(failure, "“\(name)” could not be read") }
        return bytes
    }

    func write(_ bytes: some Collection<UInt8>) throws {
        let result =
            bytes.withContiguousStorageIfAvailable { buffer in write(UnsafeRawBufferPointer(buffer)) }
            ?? Array(bytes).withUnsafeBytes { write($0) }
        guard result >= 0 else { throw DocumentError.system(result, "“\(name)” could not be written") }
    }

    private func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
        return kernel(.write) { docent_write_all(descriptor, base, buffer.count) }
    }

    func truncate(to size: Int64) throws {
        let result = kernel(.truncate) { docent_ftruncate(descriptor, size) }
        guard result >= 0 else { throw DocumentError.system(result, "“\(name)” could not be given its size") }
    }

    func flush() throws {
        let result = kernel(.flush) { docent_fsync(descriptor) }
        guard result >= 0 else { throw DocumentError.system(result, "“\(name)” could not be written to disk") }
    }

    /// From here on every store to a page that some program has mapped changes the file's time of modification: not so one
    /// to a page that was changed before and has not been written to disk since. (In tmpfs no such store changes it, ever; and
    /// kernels before 6.13 count time in steps of some milliseconds.)
    func writeBack() throws {
        let result = kernel(.flush) { docent_write_back(descriptor) }
        // File systems without pages of their own.
        if [-Int(EINVAL), -Int(ESPIPE), -Int(ENOSYS), -Int(EOPNOTSUPP)].contains(result) { return }
        guard result >= 0 else { throw DocumentError.system(result, "“\(name)” could not be written to disk") }
    }

    func setModified(_ time: Timestamp) throws {
        let result = kernel(.setTimes) { docent_set_modified(descriptor, time.seconds, time.nanoseconds) }
        guard result >= 0 else { throw DocumentError.system(result, "The time of “\(name)” could not be set") }
    }

    func setMode(_ mode: UInt32) throws {
        let result = kernel(.setMode) { docent_fchmod(descriptor, mode) }
        guard result >= 0 else { throw DocumentError.system(result, "The mode of “\(name)” could not be set") }
    }

    /// Where the first hole from a byte on is; the file's size when there is none, or when the file system cannot tell.
    func firstHole(from start: Int64, size: Int64) throws -> Int64 {
        guard size > start else { return size }
        let result = kernel(.seekHole) { docent_seek_hole(descriptor, start) }
        if result == -Int(EINVAL) || result == -Int(EOPNOTSUPP) { return size }
        guard result >= 0 else { throw DocumentError.system(result, "“\(name)” could not be checked for holes") }
        return Int64(result)
    }

    /// Takes a lease, which ends with ``dropLease()`` or when the file is closed.
    func takeLease(_ kind: docent_lease_kind) throws -> Lease {
        let result = kernel(.lease) { docent_set_lease(descriptor, Int32(kind.rawValue)) }
        switch result {
        case 0...: return .held
        case -Int(EAGAIN): return .refused
        case -Int(EINVAL), -Int(EACCES), -Int(EOPNOTSUPP), -Int(ENOLCK): return .unavailable
        default: throw DocumentError.system(result, "“\(name)” could not be reserved")
        }
    }

    /// Whether somebody waits for the lease to end: the kernel then already gives the lower one.
    func isLeaseWanted(_ kind: docent_lease_kind) -> Bool {
        kernel(.lease) { docent_get_lease(descriptor) } < Int(kind.rawValue)
    }

    func dropLease() {
        _ = docent_set_lease(descriptor, Int32(DOCENT_LEASE_NONE.rawValue))
    }
}

/// What asking for a lease gave.
enum Lease {
    case held
    /// Somebody has the file open in a way that the lease excludes.
    case refused
    /// This file system has none: nobody can tell who has the file open.
    case unavailable
}
