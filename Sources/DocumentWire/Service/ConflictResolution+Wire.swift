import DocumentModel

extension ConflictResolution {
    init(_ wire: WireServiceResolveConflict.Keep) throws(DocumentError) {
        switch wire {
        case .local: self = .local
        case .remote: self = .remote
        case .both: self = .both
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a way to end a conflict.")
        }
    }
}

extension WireServiceResolveConflict.Keep {
    init(_ resolution: ConflictResolution) {
        switch resolution {
        case .local: self = .local
        case .remote: self = .remote
        case .both: self = .both
        }
    }
}
