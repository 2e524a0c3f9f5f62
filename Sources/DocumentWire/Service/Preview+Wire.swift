import DocumentModel
import SwiftProtobuf

extension PlannedStep {
    init(_ wire: WireServicePlannedStep) throws(DocumentError) {
        self.init(
            try Kind(wire.kind), try Location(wire.location),
            to: wire.destination.isEmpty ? nil : try Location(wire.destination), items: wire.items,
            size: wire.hasSize ? wire.size : nil,
            wait: wire.wait.isEmpty ? nil : TransferWait(rawValue: wire.wait) ?? .change,
            needsApproval: wire.needsYes, ignoredBy: wire.ignoredBy.isEmpty ? nil : try IgnorePattern(wire.ignoredBy),
            problem: wire.hasProblem ? DocumentError(wire.problem) : nil)
    }
}

extension WireServicePlannedStep {
    init(_ step: PlannedStep) {
        self.init()
        kind = Kind(step.kind)
        location = step.location.description
        destination = step.destination?.description ?? ""
        items = step.items
        if let size = step.size { self.size = size }
        wait = step.wait?.rawValue ?? ""
        needsYes = step.needsApproval
        ignoredBy = step.ignoredBy?.text ?? ""
        if let problem = step.problem { self.problem = WireFailure(problem) }
    }
}

extension PlannedStep.Kind {
    fileprivate init(_ wire: WireServicePlannedStep.Kind) throws(DocumentError) {
        switch wire {
        case .sendNew: self = .sendNew
        case .makeFolder: self = .makeFolder
        case .send: self = .send
        case .sendAgain: self = .sendAgain
        case .compare: self = .compare
        case .keepBoth: self = .keepBoth
        case .bring: self = .bring
        case .moveThere: self = .moveThere
        case .removeThere: self = .removeThere
        case .removeHere: self = .removeHere
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a kind of step.")
        }
    }
}

extension WireServicePlannedStep.Kind {
    fileprivate init(_ kind: PlannedStep.Kind) {
        switch kind {
        case .sendNew: self = .sendNew
        case .makeFolder: self = .makeFolder
        case .send: self = .send
        case .sendAgain: self = .sendAgain
        case .compare: self = .compare
        case .keepBoth: self = .keepBoth
        case .bring: self = .bring
        case .moveThere: self = .moveThere
        case .removeThere: self = .removeThere
        case .removeHere: self = .removeHere
        }
    }
}

extension RemovalPreview {
    init(_ wire: WireServicePreviewRemovalAnswer) throws(DocumentError) {
        self.init(
            location: try Location(wire.location), documents: wire.documents, folders: wire.folders, bytes: wire.bytes,
            here: wire.here, unsent: wire.unsent, isComplete: wire.complete, needsApproval: wire.needsYes,
            refusal: wire.hasRefusal ? DocumentError(wire.refusal) : nil)
    }
}

extension WireServicePreviewRemovalAnswer {
    init(_ preview: RemovalPreview) {
        self.init()
        location = preview.location.description
        documents = preview.documents
        folders = preview.folders
        bytes = preview.bytes
        here = preview.here
        unsent = preview.unsent
        complete = preview.isComplete
        needsYes = preview.needsApproval
        if let refusal = preview.refusal { self.refusal = WireFailure(refusal) }
    }
}
