package import DocumentModel
import SwiftProtobuf

extension ToolIdentity {
    /// Reads a serialised `ToolIdentity`; its name is bounded and made fit for logs.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let wire = try WireServiceToolIdentity.decoded(from: bytes, as: "A host tool's identity")
        self.init(name: Checks.displayable(wire.name, limit: 256))
    }

    package func serialized() -> [UInt8] {
        WireServiceToolIdentity.with { $0.name = name }.encoded()
    }
}
