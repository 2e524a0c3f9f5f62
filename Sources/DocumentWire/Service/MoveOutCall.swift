package import DocumentModel
import SwiftProtobuf

/// An item of which a tool has a copy of its own is to leave its domain: the checked form of `docent.service.v1.MoveOut`.
package struct MoveOutCall: Hashable, Sendable {
    package var location: Location
    package var destinationPath: String
    package var parts: [Part]

    package init(location: Location, destinationPath: String, parts: [Part]) {
        self.location = location
        self.destinationPath = destinationPath
        self.parts = parts
    }

    /// A document or a folder that was copied.
    package struct Part: Hashable, Sendable {
        /// Below the item that is moved out; empty for that itself.
        package var path: [ItemName]
        /// Nil for a folder.
        package var file: File?

        package init(path: [ItemName], file: File?) {
            self.path = path
            self.file = file
        }
    }

    /// What the file was before and after it was copied.
    package struct File: Hashable, Sendable {
        package var inode: UInt64
        package var size: Int64
        package var modified: Timestamp

        package init(inode: UInt64, size: Int64, modified: Timestamp) {
            self.inode = inode
            self.size = size
            self.modified = modified
        }
    }
}

extension MoveOutCall {
    init(_ wire: WireServiceMoveOut) throws(DocumentError) {
        var parts: [Part] = []
        for part in wire.parts {
            var path: [ItemName] = []
            for name in part.path.utf8.split(separator: UInt8(ascii: "/")) {
                path.append(try ItemName(String(Substring(name))))
            }
            guard part.hasFile else {
                parts.append(Part(path: path, file: nil))
                continue
            }
            guard part.file.size >= 0, part.file.modifiedNanoseconds < 1_000_000_000 else {
                throw Checks.refusal("What is said of the file “\(ItemName.printable(part.path))” cannot be.")
            }
            let modified = Timestamp(
                seconds: part.file.modifiedSeconds, nanoseconds: part.file.modifiedNanoseconds)
            parts.append(
                Part(path: path, file: File(inode: part.file.inode, size: part.file.size, modified: modified)))
        }
        self.init(
            location: try Location(wire.location),
            destinationPath: try Checks.absolutePath(wire.destinationPath, "The copy's path"), parts: parts)
    }

    var wire: WireServiceMoveOut {
        .with {
            $0.location = location.description
            $0.destinationPath = destinationPath
            $0.parts = parts.map { part in
                .with { wire in
                    wire.path = part.path.map(\.rawValue).joined(separator: "/")
                    guard let file = part.file else { return }
                    wire.file = .with {
                        $0.inode = file.inode
                        $0.size = file.size
                        $0.modifiedSeconds = file.modified.seconds
                        $0.modifiedNanoseconds = file.modified.nanoseconds
                    }
                }
            }
        }
    }
}
