import DocumentModel
import SystemPackage

/// A document that a program has open: its file, and the access that lasts as long.
final class OpenFile: Sendable {
    let node: UInt64
    let file: FileDescriptor
    /// Nil for one that is only read, and that nobody wrote when it was opened.
    let writer: Writer?
    /// Its contents, when it is read while they come.
    let coming: ComingContents?
    /// What was told of it when it was opened, where it is read while it comes.
    let opening: NodeAttributes?
    private let number: UInt64
    private let isWritable: Bool
    private let end: @Sendable () async -> Void

    /// - Parameter end: returns when the host knows that it is closed, where that matters.
    init(
        node: UInt64, file: FileDescriptor, writer: Writer?, coming: ComingContents? = nil,
        opening: NodeAttributes? = nil, number: UInt64, isWritable: Bool,
        end: @escaping @Sendable () async -> Void
    ) {
        self.node = node
        self.file = file
        self.writer = writer
        self.coming = coming
        self.opening = opening
        self.number = number
        self.isWritable = isWritable
        self.end = end
    }

    /// Whether not all of its contents is known to be here.
    var isComing: Bool { coming.map { !$0.isWhole } ?? false }

    /// As the file is now; nil when that says nothing of the document.
    var attributes: NodeAttributes? {
        guard coming == nil, let facts = FileState(file)?.facts else { return nil }
        return NodeAttributes(ofFile: facts, number: number, isWritable: isWritable)
    }

    func close() async { await end() }
}
