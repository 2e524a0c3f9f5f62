import DocumentModel
import SystemPackage

/// A document that a program has open: its file, and the access that lasts as long.
final class OpenFile: Sendable {
    let node: UInt64
    let file: FileDescriptor
    private let hold: AccessHold
    private let number: UInt64
    private let isWritable: Bool

    init(node: UInt64, file: FileDescriptor, hold: AccessHold, number: UInt64, isWritable: Bool) {
        self.node = node
        self.file = file
        self.hold = hold
        self.number = number
        self.isWritable = isWritable
    }

    /// As the file is now.
    var attributes: NodeAttributes? {
        guard let facts = FileState(file)?.facts else { return nil }
        return NodeAttributes(
            number: number, isFolder: false, size: facts.size, blocks: facts.blocks, modified: facts.modified,
            isWritable: isWritable)
    }

    /// Returns when the host knows that the access has ended.
    func close() async {
        try? file.close()
        await hold.endAndWait()
    }
}
