package import DocumentModel
import SwiftProtobuf

/// An accessed document as it travels in the answer that grants the access: encoded once, for as many answers as are given
/// before something of it changes.
package struct EncodedAccess: Hashable, Sendable {
    /// The fields of `BeginAccessAnswer` but for the access's number, which is the first of them.
    private let fields: [UInt8]

    package init(_ item: AccessedItem) {
        fields =
            WireServiceBeginAccessAnswer.with {
                $0.path = item.path
                $0.item = WireServiceItemStatus(item.item)
            }.encoded()
    }

    /// The serialised `ServiceAnswer`: the same bytes as those of ``ServiceReply/serialized()``.
    package func answer(access: UInt64) -> [UInt8] {
        let numberSize = access == 0 ? 0 : 1 + varintSize(access)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.count + numberSize + 6)
        bytes.append(Self.beginAccess)
        appendVarint(UInt64(fields.count + numberSize), to: &bytes)
        if access != 0 {
            bytes.append(Self.number)
            appendVarint(access, to: &bytes)
        }
        bytes += fields
        return bytes
    }

    /// The tag of `ServiceAnswer.begin_access`: number 7, with a length.
    static let beginAccess: UInt8 = 7 << 3 | 2
    /// The tag of `BeginAccessAnswer.access`: number 1, a varint.
    static let number: UInt8 = 1 << 3
}
