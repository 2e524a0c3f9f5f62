import DocumentModel
import SwiftProtobuf

extension ItemStatus {
    init(_ wire: WireServiceItemStatus) throws(DocumentError) {
        self.init(
            item: try Item(wire.item),
            location: try Location(wire.location),
            state: try ItemState(wire.state),
            path: try Checks.documentPath(wire.path),
            problem: wire.hasProblem ? DocumentError(wire.problem) : nil,
            progress: wire.hasProgress ? TransferProgress(wire.progress) : nil,
            conflictPath: wire.conflictPath.isEmpty
                ? nil : try Checks.absolutePath(wire.conflictPath, "A conflict version"),
            transfers: try ItemTransfers(wire),
            marks: try ItemMarks(wire)
        )
    }
}

extension WireServiceItemStatus {
    init(_ status: ItemStatus) {
        self.init()
        item = WireModelItem(status.item)
        location = status.location.description
        state = WireServiceState(status.state)
        path = status.path
        if let problem = status.problem { self.problem = WireFailure(problem) }
        if let progress = status.progress { self.progress = WireProgress(progress) }
        conflictPath = status.conflictPath ?? ""
        set(status.transfers, status.marks)
    }
}

extension ItemState {
    fileprivate init(_ wire: WireServiceState) throws(DocumentError) {
        switch wire {
        case .placeholder: self = .placeholder
        case .materialising: self = .materialising
        case .materialised: self = .materialised
        case .outdated: self = .outdated
        case .changed: self = .changed
        case .sending: self = .sending
        case .conflict: self = .conflict
        case .nameClash: self = .nameClash
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a state of an item.")
        }
    }
}

extension WireServiceState {
    fileprivate init(_ state: ItemState) {
        switch state {
        case .placeholder: self = .placeholder
        case .materialising: self = .materialising
        case .materialised: self = .materialised
        case .outdated: self = .outdated
        case .changed: self = .changed
        case .sending: self = .sending
        case .conflict: self = .conflict
        case .nameClash: self = .nameClash
        }
    }
}

extension HostStatus {
    init(_ wire: WireServiceHostStatusAnswer) throws(DocumentError) {
        self.init(
            version: wire.version,
            processID: try Checks.processID(wire.processID),
            // Not everybody is told.
            root: wire.root.isEmpty ? "" : try Checks.absolutePath(wire.root, "The document storage root"),
            started: try Timestamp(wire.started),
            connections: Int(wire.connections),
            claims: Int(wire.claims),
            findings: wire.findings,
            memory: wire.memory
        )
    }
}

extension WireServiceHostStatusAnswer {
    init(_ status: HostStatus) {
        self.init()
        version = status.version
        processID = Int64(status.processID)
        root = status.root
        started = WireModelTimestamp(status.started)
        connections = UInt32(clamping: status.connections)
        claims = UInt32(clamping: status.claims)
        findings = status.findings
        memory = status.memory
    }
}

extension DomainDescription {
    init(_ wire: WireServiceDomain) throws(DocumentError) {
        guard let state = ProviderState(rawValue: wire.providerState) else {
            throw Checks.refusal("“\(ItemName.printable(wire.providerState))” is not a state of a provider.")
        }
        let processID = try Checks.processID(wire.providerProcessID)
        self.init(
            name: try DomainName(wire.name),
            providerID: try ProviderIdentifier(wire.providerID),
            settings: try Checks.settings(wire.settings),
            providerState: state,
            problem: wire.hasProblem ? DocumentError(wire.problem) : nil,
            providerProcessID: processID == 0 ? nil : processID,
            restartDelay: wire.restartInMs == 0 ? nil : .milliseconds(wire.restartInMs),
            recordings: wire.recordings.isEmpty ? nil : try Checks.absolutePath(wire.recordings, "A recording's folder")
        )
        if !wire.note.isEmpty {
            note = DomainNote(Checks.displayable(wire.note, limit: 2048), isWarning: wire.noteIsWarning)
        }
        needsSignIn = wire.needsSignIn
        rules = try DomainRules(wire.rules)
        heldDeletions = try mapped(wire.heldDeletions, HeldDeletions.init)
        quota = wire.hasQuota ? try ToldQuota(wire.quota) : nil
    }
}

extension WireServiceDomain {
    init(_ domain: DomainDescription) {
        self.init()
        name = domain.name.rawValue
        providerID = domain.providerID.rawValue
        settings = domain.settings
        providerState = domain.providerState.rawValue
        if let problem = domain.problem { self.problem = WireFailure(problem) }
        providerProcessID = Int64(domain.providerProcessID ?? 0)
        if let delay = domain.restartDelay {
            restartInMs = UInt32(min(max(delay / .milliseconds(1), 1), 4e9))
        }
        recordings = domain.recordings ?? ""
        note = domain.note?.text ?? ""
        noteIsWarning = domain.note?.isWarning ?? false
        needsSignIn = domain.needsSignIn
        rules = WireServiceDomainRules(domain.rules)
        heldDeletions = domain.heldDeletions.map(WireServiceHeldDeletions.init)
        if let quota = domain.quota { self.quota = WireServiceRemoteQuota(quota) }
    }
}

extension DomainStatus {
    init(_ wire: WireServiceDomainStatus) throws(DocumentError) {
        self.init(
            domain: try DomainDescription(wire.domain),
            items: wire.items,
            materialised: wire.materialised,
            materialisedBytes: wire.materialisedBytes,
            unsent: wire.unsent,
            conflicts: wire.conflicts,
            transfers: TransferSummary(wire.transfers)
        )
    }
}

extension WireServiceDomainStatus {
    init(_ status: DomainStatus) {
        self.init()
        domain = WireServiceDomain(status.domain)
        items = status.items
        materialised = status.materialised
        materialisedBytes = status.materialisedBytes
        unsent = status.unsent
        conflicts = status.conflicts
        transfers = WireServiceTransferSummary(status.transfers)
    }
}
