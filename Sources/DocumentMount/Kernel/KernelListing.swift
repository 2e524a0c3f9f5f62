internal import CFuse
import DocumentModel
import Glibc
import SystemPackage

/// The kernel's request for a part of a folder's names: as many as there is room for.
struct KernelListing: Sendable {
    let request: KernelRequest
    let room: Int
    /// Whether the kernel wants to know of each item what a look-up would tell it.
    let withEntries: Bool

    /// Fills the room and answers.
    ///
    /// - Parameters:
    ///   - names: what comes next.
    ///   - lifetime: how long the kernel may keep what it is told of each, in seconds.
    ///   - lookUp: counts a look-up of a name, and gives the kernel's number for it; nil for what is not to be counted.
    ///   - forget: takes back the look-ups of an answer that the kernel does not want any more.
    func reply(
        _ names: some Sequence<OpenFolder.Entry>, lifetime: Double,
        lookUp: (OpenFolder.Entry) -> (number: UInt64, inode: UInt64)?, forget: ([UInt64]) -> Void
    ) {
        var counted: [UInt64] = []
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: max(room, 1))
        defer { buffer.deallocate() }
        var used = 0
        for listed in names {
            let taken: Int
            let name = listed.name
            var attributes = listed.attributes
            if withEntries {
                guard size(of: name) <= room - used else { break }
                let node = lookUp(listed)
                if let node {
                    counted.append(node.number)
                    attributes.number = node.inode
                }
                let entry = KernelEntry(node: node?.number ?? 0, attributes: attributes, lifetime: lifetime)
                var parameters = KernelRequest.parameters(of: entry)
                taken = fuse_add_direntry_plus(
                    request.raw, buffer + used, room - used, name, &parameters, off_t(listed.position))
            } else {
                var status = KernelRequest.status(of: attributes)
                taken = fuse_add_direntry(
                    request.raw, buffer + used, room - used, name, &status, off_t(listed.position))
                guard taken <= room - used else { break }
            }
            used += taken
        }
        if fuse_reply_buf(request.raw, buffer, used) != 0 { forget(counted) }
    }

    private func size(of name: String) -> Int {
        fuse_add_direntry_plus(request.raw, nil, 0, name, nil, 0)
    }
}
