import DocumentModel
import SwiftProtobuf

extension DocumentVersion {
    init(_ wire: WireServiceVersion) throws(DocumentError) {
        self.init(
            id: Checks.displayable(wire.id, limit: 256), kind: try Kind(wire.kind),
            path: wire.path.isEmpty ? nil : try Checks.absolutePath(wire.path, "A version's file"),
            size: wire.hasSize ? wire.size : nil, modified: try Timestamp(wire.modified), isInPlace: wire.inPlace,
            device: wire.device.isEmpty ? nil : Checks.displayable(wire.device, limit: 256),
            hasThumbnail: wire.hasThumbnail_p,
            reason: wire.reason.isEmpty ? nil : Checks.displayable(wire.reason, limit: 1024))
    }
}

extension WireServiceVersion {
    init(_ version: DocumentVersion) {
        self.init()
        id = version.id
        kind = Kind(version.kind)
        path = version.path ?? ""
        if let size = version.size { self.size = size }
        modified = WireModelTimestamp(version.modified)
        inPlace = version.isInPlace
        device = version.device ?? ""
        hasThumbnail_p = version.hasThumbnail
        reason = version.reason ?? ""
    }
}

extension DocumentVersion.Kind {
    fileprivate init(_ wire: WireServiceVersion.Kind) throws(DocumentError) {
        switch wire {
        case .current: self = .current
        case .conflict: self = .conflict
        case .base: self = .base
        case .older: self = .older
        case .remote: self = .remote
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a kind of version.")
        }
    }
}

extension WireServiceVersion.Kind {
    fileprivate init(_ kind: DocumentVersion.Kind) {
        switch kind {
        case .current: self = .current
        case .conflict: self = .conflict
        case .base: self = .base
        case .older: self = .older
        case .remote: self = .remote
        }
    }
}
