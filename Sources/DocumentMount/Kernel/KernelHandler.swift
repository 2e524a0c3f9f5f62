import DocumentModel
import Glibc
import SystemPackage

/// Who answers the kernel. Called on several threads of the session's at once, which may wait for the disk, and for nothing
/// else: what waits for more is done in ``KernelRequest/answer(_:)``.
protocol KernelHandler: Sendable {
    func lookUp(_ name: String, in folder: UInt64, _ request: KernelRequest)
    func forget(_ node: UInt64, _ count: UInt64)
    /// - Parameter handle: of the file that is asked through, where it is open.
    func attributes(of node: UInt64, handle: UInt64?, _ request: KernelRequest)
    func openFolder(_ node: UInt64, _ request: KernelRequest)
    func readFolder(_ handle: UInt64, node: UInt64, from position: Int, _ listing: KernelListing)
    func closeFolder(_ handle: UInt64, node: UInt64, _ request: KernelRequest)
    func open(_ node: UInt64, _ flags: OpenFlags, _ request: KernelRequest)
    func read(_ handle: UInt64, at offset: Int64, count: Int, _ request: KernelRequest)
    func close(_ handle: UInt64, _ request: KernelRequest)
    func fileSystem(_ request: KernelRequest)
    /// - Parameter room: how many bytes there is room for; 0: only the size is asked for.
    func extendedAttribute(_ name: String, of node: UInt64, room: Int, _ request: KernelRequest)
    func extendedAttributes(of node: UInt64, room: Int, _ request: KernelRequest)

    // MARK: What programs change

    func create(_ name: String, in folder: UInt64, _ flags: OpenFlags, _ request: KernelRequest)
    /// A regular file, which is not opened.
    func makeDocument(_ name: String, in folder: UInt64, _ request: KernelRequest)
    /// - Parameter offset: of what appends, where the kernel takes the end to be.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ flags: OpenFlags, _ handle: UInt64,
        _ request: KernelRequest)
    /// Returns to the program when what was written is on disk.
    func flush(_ handle: UInt64, _ request: KernelRequest)
    /// The same for what names are in a folder.
    func flushFolder(_ node: UInt64, _ request: KernelRequest)
    func set(_ changes: AttributeChanges, of node: UInt64, handle: UInt64?, _ request: KernelRequest)
    func set(_ change: ExtendedAttributeChange, of node: UInt64, _ request: KernelRequest)
    func makeFolder(_ name: String, in folder: UInt64, _ request: KernelRequest)
    func remove(_ name: String, in folder: UInt64, isFolder: Bool, _ request: KernelRequest)
    func rename(
        _ name: String, in folder: UInt64, to newName: String, in newFolder: UInt64, flags: UInt32,
        _ request: KernelRequest)
    func allocate(_ size: Int64, at offset: Int64, mode: Int32, _ handle: UInt64, _ request: KernelRequest)
}

/// What a program wants changed of a file's or a folder's attributes; nil: nothing.
struct AttributeChanges: Sendable {
    var size: Int64?
    var modified: Timestamp?
    /// To the time of the disk's clock.
    var isModifiedNow = false
    var owner: UInt32?
    var group: UInt32?
}

/// What a program wants of an extended attribute.
struct ExtendedAttributeChange: Sendable {
    var name: String
    /// Nil: it is to be removed.
    var value: [UInt8]?
    /// Whether it is to be new, or to be there (setxattr(2)).
    var flags: Int32 = 0
}

/// How a file is opened.
struct OpenFlags: Sendable {
    let rawValue: Int32

    var isWriting: Bool { rawValue & O_ACCMODE != O_RDONLY }
    var truncates: Bool { rawValue & O_TRUNC != 0 }
    var isExclusive: Bool { rawValue & O_EXCL != 0 }
    /// Not of one that goes past the kernel's pages: what it writes comes in parts, in any order.
    var appends: Bool { rawValue & O_APPEND != 0 && rawValue & __O_DIRECT == 0 }
}

/// What the kernel is told of a name.
struct KernelEntry: Sendable {
    var node: UInt64
    var attributes: NodeAttributes
    /// How long the kernel may keep it without asking again, in seconds.
    var lifetime: Double
}
