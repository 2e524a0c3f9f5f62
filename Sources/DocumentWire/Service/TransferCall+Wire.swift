import DocumentModel
import SwiftProtobuf

extension TransferCall {
    init(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .startDownload(let call): self = .startDownload(try Location(call.location))
        case .pauseTransfers(let call): self = .pause(try Location(call.location), call.paused)
        case .resumeDocument(let call):
            self = .resume(try Location(call.location), try ResumeBehavior(call.behavior))
        case .keepItem(let call): self = .keep(try Location(call.location), try Keeping.optional(call.keeping))
        case .spaceUse(let call):
            self = call.set ? .setSpace(try SpaceLimits.optional(high: call.high, low: call.low)) : .space
        case .watchItems(let call): self = .watch(call.location.isEmpty ? nil : try Location(call.location))
        case .nextEvents(let call): self = .nextEvents(call.watch)
        case .endWatch(let call): self = .endWatch(call.watch)
        default: throw Checks.refusal("This is no call about transfers.")
        }
    }

    var wire: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .startDownload(let location): .startDownload(.with { $0.location = location.description })
        case .pause(let location, let isPaused):
            .pauseTransfers(
                .with {
                    $0.location = location.description
                    $0.paused = isPaused
                })
        case .resume(let location, let behavior):
            .resumeDocument(
                .with {
                    $0.location = location.description
                    $0.behavior = WireServiceResumeDocument.Behavior(behavior)
                })
        case .keep(let location, let keeping):
            .keepItem(
                .with {
                    $0.location = location.description
                    $0.keeping = WireServiceKeeping(keeping)
                })
        case .space: .spaceUse(WireServiceSpaceUse())
        case .setSpace(let limits):
            .spaceUse(
                .with {
                    $0.set = true
                    $0.high = limits?.high ?? 0
                    $0.low = limits?.low ?? 0
                })
        case .watch(let location): .watchItems(.with { $0.location = location?.description ?? "" })
        case .nextEvents(let watch): .nextEvents(.with { $0.watch = watch })
        case .endWatch(let watch): .endWatch(.with { $0.watch = watch })
        }
    }
}

extension TransferReply {
    init(_ answer: WireServiceSpaceUseAnswer) throws(DocumentError) {
        self = .space(
            SpaceStatus(
                limits: try SpaceLimits.optional(high: answer.high, low: answer.low), documents: answer.documents,
                bytes: answer.bytes))
    }

    init(_ answer: WireServiceWatchItemsAnswer) { self = .watch(answer.watch) }

    init(_ answer: WireServiceNextEventsAnswer) throws(DocumentError) {
        self = .events(try mapped(answer.events, ItemEvent.init))
    }

    var wire: WireServiceServiceAnswer.OneOf_Answer {
        switch self {
        case .space(let status):
            .spaceUse(
                .with {
                    $0.high = status.limits?.high ?? 0
                    $0.low = status.limits?.low ?? 0
                    $0.documents = status.documents
                    $0.bytes = status.bytes
                })
        case .watch(let watch): .watchItems(.with { $0.watch = watch })
        case .events(let events): .nextEvents(.with { $0.events = events.map(WireServiceItemEvent.init) })
        }
    }
}

extension SpaceLimits {
    /// A high mark of 0 is none.
    fileprivate static func optional(high: UInt64, low: UInt64) throws(DocumentError) -> SpaceLimits? {
        high == 0 ? nil : try SpaceLimits(high: high, low: low)
    }
}

extension ItemEvent {
    fileprivate init(_ wire: WireServiceItemEvent) throws(DocumentError) {
        switch wire.kind {
        case .appeared: self = .appeared(try ItemStatus(wire.item))
        case .changed: self = .changed(try ItemStatus(wire.item))
        case .moved: self = .moved(try ItemStatus(wire.item), from: try Location(wire.location))
        case .removed: self = .removed(try Location(wire.location))
        case .domain: self = .domain(try DomainDescription(wire.domain))
        case .domainRemoved: self = .domainRemoved(try DomainName(wire.domainName))
        case .lost: self = .lost
        // A kind that is not known here is of a newer host; something has happened all the same.
        case .unspecified, .UNRECOGNIZED: self = .lost
        }
    }
}

extension WireServiceItemEvent {
    fileprivate init(_ event: ItemEvent) {
        self.init()
        switch event {
        case .appeared(let status):
            kind = .appeared
            item = WireServiceItemStatus(status)
        case .changed(let status):
            kind = .changed
            item = WireServiceItemStatus(status)
        case .moved(let status, let origin):
            kind = .moved
            item = WireServiceItemStatus(status)
            location = origin.description
        case .removed(let place):
            kind = .removed
            location = place.description
        case .domain(let description):
            kind = .domain
            domain = WireServiceDomain(description)
        case .domainRemoved(let name):
            kind = .domainRemoved
            domainName = name.rawValue
        case .lost: kind = .lost
        }
    }
}

extension ResumeBehavior {
    fileprivate init(_ wire: WireServiceResumeDocument.Behavior) throws(DocumentError) {
        switch wire {
        case .keepBoth: self = .keepBoth
        case .keepLocal: self = .keepLocal
        case .failOnConflict: self = .failOnConflict
        case .dropLocal: self = .dropLocal
        // To take it for another one could overwrite what nobody wanted overwritten.
        case .UNRECOGNIZED(let number): throw Checks.refusal("\(number) is no way to resume a document.")
        }
    }
}

extension WireServiceResumeDocument.Behavior {
    fileprivate init(_ behavior: ResumeBehavior) {
        switch behavior {
        case .keepBoth: self = .keepBoth
        case .keepLocal: self = .keepLocal
        case .failOnConflict: self = .failOnConflict
        case .dropLocal: self = .dropLocal
        }
    }
}
