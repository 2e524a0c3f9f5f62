internal import CDocentShims
internal import Glibc

/// Leases for reading: as long as somebody has one, nobody begins to write the file.
struct FileLeases: Sendable {
    /// Tests stand here before each call of the system, and may answer in its place.
    var beforeCall: @Sendable () -> Int32? = { nil }

    /// - Parameter file: open for reading.
    /// - Returns: 0, or the negative error number; -EAGAIN when a program has the file open for writing, and for every
    ///   file where ``areGiven(in:_:)`` says no.
    func take(_ file: borrowing OpenFile) -> Int32 {
        beforeCall() ?? docent_set_lease(file.descriptor, Int32(DOCENT_LEASE_READ.rawValue))
    }

    func giveBack(_ file: borrowing OpenFile) {
        _ = docent_set_lease(file.descriptor, Int32(DOCENT_LEASE_NONE.rawValue))
    }

    /// Whether a file that nobody writes gets a lease. NFS has them only for what its server delegates, and SMB only for
    /// what its server lets be cached: without, they are refused as if each file were being written.
    ///
    /// - Parameter temporary: a name in the folder that nobody uses.
    func areGiven(in folder: borrowing OpenFile, _ temporary: String) -> Bool {
        let result: Int32
        do throws(SystemFailure) {
            let file = try folder.openBeneath(temporary, .empty)
            result = take(file)
        } catch {
            return true
        }
        _ = FolderNames.remove(temporary, in: folder)
        return result != -EAGAIN
    }
}
