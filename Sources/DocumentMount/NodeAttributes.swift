package import DocumentModel

/// What a program is told of a file or a folder of the mount.
package struct NodeAttributes: Hashable, Sendable {
    /// The same for the same item at every look, in every mount; but for what is shown by another one (``ShownInodes``).
    package var number: UInt64
    package var isFolder: Bool
    /// In bytes.
    package var size: Int64
    /// In units of 512 bytes: what of it is on this disk.
    package var blocks: Int64
    package var modified: Timestamp
    /// Whether its contents, or what is in it, may be changed.
    package var isWritable: Bool

    package init(
        number: UInt64, isFolder: Bool, size: Int64 = 0, blocks: Int64 = 0, modified: Timestamp = .zero,
        isWritable: Bool = false
    ) {
        self.number = number
        self.isFolder = isFolder
        self.size = size
        self.blocks = blocks
        self.modified = modified
        self.isWritable = isWritable
    }

    /// Of a document as its file on this disk is.
    init(ofFile file: FileFacts, number: UInt64, isWritable: Bool) {
        self.init(
            number: number, isFolder: false, size: file.size, blocks: file.blocks, modified: file.modified,
            isWritable: isWritable)
    }

    /// Of an item: the true size and time, also of a placeholder.
    ///
    /// - Parameter file: of its file on this disk, where its contents are here: it may have been written to since the host
    ///   has looked.
    package init(_ status: ItemStatus, file: FileFacts?) {
        let item = status.item
        number = Self.number(of: item.id, in: status.location.domain)
        isFolder = item.kind != .document
        isWritable = item.capabilities.contains(.write)
        if let file, !isFolder {
            (size, blocks, modified) = (file.size, file.blocks, file.modified)
        } else {
            size = isFolder ? 0 : max(item.size ?? 0, 0)
            blocks = 0
            modified = item.modified
        }
    }

    /// Of a document that is read while it comes. It is no hole: who leaves those out would leave out all of it.
    init(coming status: ItemStatus, number: UInt64) {
        self.init(status, file: nil)
        self.number = number
        blocks = (size + 511) / 512
    }

    /// Of the domain and the identifier; never one of the numbers that mean something else.
    package static func number(of id: ItemIdentifier, in domain: DomainName) -> UInt64 {
        max(StableHash(domain.rawValue.utf8 + [0] + id.rawValue.utf8).value, 2)
    }

    /// What a file on this disk is.
    package struct FileFacts: Hashable, Sendable {
        package var size: Int64
        package var blocks: Int64
        package var modified: Timestamp

        package init(size: Int64, blocks: Int64, modified: Timestamp) {
            self.size = size
            self.blocks = blocks
            self.modified = modified
        }
    }
}

extension ItemStatus {
    /// Whether its document's file is here and stands for it: nothing has to be brought before it is used.
    var hasCurrentContents: Bool {
        guard item.kind == .document, !path.isEmpty else { return false }
        return switch state {
        case .materialised, .changed, .sending, .conflict: true
        case .placeholder, .outdated, .materialising, .nameClash: false
        }
    }
}

extension NodeTable.Identity {
    package init(_ status: ItemStatus) {
        self.init(id: status.item.id, isFolder: status.item.kind != .document)
    }
}
