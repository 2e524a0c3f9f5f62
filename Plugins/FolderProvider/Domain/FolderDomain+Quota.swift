internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Synchronization
internal import SystemPackage

extension FolderDomain {
    /// The room of the file system that the folder is on, as its user has it.
    func quota() throws -> RemoteQuota {
        let root = try mirror.withLock { mirror in try mirror.openRoot() }
        var system = docent_file_system()
        try SystemFailure.check(
            docent_fstatfs(root.descriptor, &system), .remote, "“\(settings.folder)” cannot be used")
        return try Self.quota(
            blocks: system.blocks, free: system.free_blocks, available: system.available_blocks,
            blockSize: system.block_size)
    }

    /// Some file systems count nothing, and some what cannot be, such as more that is free than there is: that is left out.
    static func quota(
        blocks: UInt64, free: UInt64, available: UInt64, blockSize: UInt64
    ) throws(DocumentError) -> RemoteQuota {
        func bytes(_ blocks: UInt64) -> UInt64? {
            let (bytes, isHuge) = blocks.multipliedReportingOverflow(by: blockSize)
            return isHuge || bytes > UInt64(Int64.max) ? nil : bytes
        }
        guard blocks > 0, blockSize > 0 else { return .unknown }
        guard free <= blocks, available <= blocks else { return try RemoteQuota(total: bytes(blocks)) }
        return try RemoteQuota(total: bytes(blocks), used: bytes(blocks - free), available: bytes(available))
    }
}
