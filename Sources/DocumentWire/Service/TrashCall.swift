package import DocumentModel
import SwiftProtobuf

/// What a host tool asks about the trash (CONT-13).
package enum TrashCall: Hashable, Sendable {
    /// One page, behind a place in the list.
    case list(TrashChoice, after: UInt64)
    /// Answered as an item is; nil: where it was.
    case restore(String, to: Location?)
    /// What was removed before, in seconds since 1970.
    case empty(TrashChoice, removedBefore: Int64?)
    /// Nil changes nothing.
    case use(TrashLimits?)
}

/// What the host answers to that.
package enum TrashReply: Hashable, Sendable {
    case list(TrashPage)
    case empty(documents: UInt64, bytes: UInt64)
    case use(TrashStatus)
}

extension TrashCall {
    init?(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .listTrash(let call): self = .list(try TrashChoice(call.choice), after: call.after)
        case .restoreTrash(let call):
            self = .restore(call.id, to: call.location.isEmpty ? nil : try Location(call.location))
        case .emptyTrash(let call):
            self = .empty(try TrashChoice(call.choice), removedBefore: call.hasRemovedBefore ? call.removedBefore : nil)
        case .trashUse(let call): self = .use(call.hasLimits ? try TrashLimits(call.limits) : nil)
        default: return nil
        }
    }

    var wire: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .list(let choice, let after):
            .listTrash(
                .with {
                    $0.choice = WireServiceTrashChoice(choice)
                    $0.after = after
                })
        case .restore(let id, let location):
            .restoreTrash(
                .with {
                    $0.id = id
                    $0.location = location?.description ?? ""
                })
        case .empty(let choice, let date):
            .emptyTrash(
                .with {
                    $0.choice = WireServiceTrashChoice(choice)
                    if let date { $0.removedBefore = date }
                })
        case .use(let limits):
            .trashUse(.with { if let limits { $0.limits = WireServiceTrashLimits(limits) } })
        }
    }
}

extension TrashReply {
    init(_ answer: WireServiceListTrashAnswer) throws(DocumentError) {
        self = .list(
            TrashPage(
                documents: try mapped(answer.documents, TrashedDocument.init),
                next: answer.next == 0 ? nil : answer.next))
    }

    init(_ answer: WireServiceEmptyTrashAnswer) {
        self = .empty(documents: answer.documents, bytes: answer.bytes)
    }

    init(_ answer: WireServiceTrashUseAnswer) throws(DocumentError) {
        self = .use(
            TrashStatus(limits: try TrashLimits(answer.limits), documents: answer.documents, bytes: answer.bytes))
    }

    var wire: WireServiceServiceAnswer.OneOf_Answer {
        switch self {
        case .list(let page):
            .listTrash(
                .with {
                    $0.documents = page.documents.map(WireServiceTrashedDocument.init)
                    $0.next = page.next ?? 0
                })
        case .empty(let documents, let bytes):
            .emptyTrash(
                .with {
                    $0.documents = documents
                    $0.bytes = bytes
                })
        case .use(let status):
            .trashUse(
                .with {
                    $0.limits = WireServiceTrashLimits(status.limits)
                    $0.documents = status.documents
                    $0.bytes = status.bytes
                })
        }
    }
}

extension TrashChoice {
    fileprivate init(_ wire: WireServiceTrashChoice) throws(DocumentError) {
        switch (wire.location.isEmpty, wire.id.isEmpty, wire.all) {
        case (true, true, true): self = .all
        case (false, true, false): self = .below(try Location(wire.location))
        case (true, false, false): self = .one(wire.id)
        default: throw Checks.refusal("What of the trash is meant is one document, a place, or all of it.")
        }
    }
}

extension WireServiceTrashChoice {
    fileprivate init(_ choice: TrashChoice) {
        self.init()
        switch choice {
        case .all: all = true
        case .below(let place): location = place.description
        case .one(let id): self.id = id
        }
    }
}

extension TrashLimits {
    fileprivate init(_ wire: WireServiceTrashLimits) throws(DocumentError) {
        guard wire.days <= Self.mostDays else {
            throw Checks.refusal("\(wire.days) days are too many: at most \(Self.mostDays).")
        }
        self.init(bytes: wire.bytes, days: wire.days)
    }
}

extension WireServiceTrashLimits {
    fileprivate init(_ limits: TrashLimits) {
        self.init()
        bytes = limits.bytes
        days = limits.days
    }
}

extension TrashedDocument {
    fileprivate init(_ wire: WireServiceTrashedDocument) throws(DocumentError) {
        self.init(
            id: wire.id, location: try Location(wire.location), size: wire.size, modified: try Timestamp(wire.modified),
            removed: wire.removed)
    }
}

extension WireServiceTrashedDocument {
    fileprivate init(_ document: TrashedDocument) {
        self.init()
        id = document.id
        location = document.location.description
        size = document.size
        modified = WireModelTimestamp(document.modified)
        removed = document.removed
    }
}
