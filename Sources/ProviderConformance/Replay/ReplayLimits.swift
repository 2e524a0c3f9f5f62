import DocumentModel
import DocumentTransport
import DocumentWire

/// Which recorded sessions of a run cannot be played again, and why: what they depend on is not in them.
struct ReplayLimits: Sendable {
    /// What sessions before this one left at the provider.
    private var made: Set<ItemIdentifier> = []
    private var hasChanges = false

    /// Of a check whose host does things beside the pipes; the end of a sentence: `the host takes files away`.
    static func fault(of check: String) -> String? {
        faults.first { CheckSelection.matches(check, $0.pattern) }?.reason
    }

    private static let faults = [
        (pattern: "PC-STAGING-*", reason: "its host takes files away, or has a full disk, which is no part of it"),
        (pattern: "PC-REMOTE-*", reason: "what the provider gives access to went away meanwhile"),
        (pattern: "PC-CODE-*", reason: "hooks had the provider fail meanwhile"),
        (pattern: "PC-GIVEUP-*", reason: "its host gives up after a while, which is a matter of time"),
    ]

    /// Looks at the next session of the same provider folder, in the order in which they began.
    ///
    /// - Returns: why it cannot be replayed, as the end of a sentence; nil when it can.
    mutating func reason(against record: TrafficRecord) -> String? {
        let frames = record.entries.compactMap { entry in entry.frame.map { (entry.direction, $0) } }
        let session = Session(frames)
        defer {
            made.formUnion(session.made)
            hasChanges = hasChanges || session.changes
        }
        if session.cancels { return "it cancels requests, and when a cancel comes is a matter of time" }
        if session.hasOpenRequests {
            return "requests are open at its end, and what is answered by then is a matter of time"
        }
        if session.isCrowded {
            return "more is asked at once than is taken, and what is refused is a matter of time"
        }
        if record.entries.contains(where: { $0.direction == .toProvider && $0.isLoose }) {
            return "its host sends what is no frame, and of that only the length is kept"
        }
        if !made.isDisjoint(with: session.mentioned) { return "it is about items that an earlier session made" }
        if hasChanges, session.changes || session.asksForFeed {
            return "an earlier session changed something, which identifiers, versions and anchors may follow from"
        }
        return nil
    }

    /// What happens in one.
    private struct Session {
        var made: Set<ItemIdentifier> = []
        var mentioned: Set<ItemIdentifier> = []
        var changes = false
        var cancels = false
        var asksForFeed = false
        var hasOpenRequests = false
        var isCrowded = false

        init(_ frames: [(FrameRedaction.Direction, Frame)]) {
            var open: Set<UInt64> = []
            for (direction, frame) in frames {
                switch (direction, frame.kind) {
                case (.toProvider, .request(let body, _, _, _)):
                    open.insert(frame.id)
                    guard let call = try? ProviderCall(serialized: body) else { continue }
                    mentioned.formUnion(call.identifiers)
                    switch call {
                    case .create, .modify, .delete: changes = true
                    case .currentAnchor, .changesSince: asksForFeed = true
                    default: break
                    }
                case (.toProvider, .cancel): cancels = true
                case (.toHost, .answer(let body)):
                    open.remove(frame.id)
                    guard let reply = try? ProviderReply(serialized: body) else { continue }
                    if case .create(let item) = reply { made.insert(item.id) }
                    mentioned.formUnion(reply.identifiers)
                case (.toHost, .failure(let error)):
                    open.remove(frame.id)
                    if error.code == .busy { isCrowded = true }
                default: break
                }
            }
            hasOpenRequests = !open.isEmpty
        }
    }
}

extension TrafficEntry {
    fileprivate var isLoose: Bool { if case .bytes = content { true } else { false } }
}

extension ProviderCall {
    /// Of the items that it is about.
    fileprivate var identifiers: [ItemIdentifier] {
        switch self {
        case .item(let id), .providePlaceholder(let id), .itemChanged(let id), .stopProviding(let id),
            .pathForIdentifier(let id), .enumerate(let id, _, _), .startProviding(let id, _, _):
            [id]
        case .create(let call): [call.parentID]
        case .modify(let call): [call.id] + (call.parentID.map { [$0] } ?? [])
        case .delete(let call): [call.id]
        case .provideRange(let call): [call.id]
        case .thumbnails(let call): call.items.map(\.id)
        case .listVersions(let id), .removeVersion(let id, _): [id]
        case .provideVersion(let call): [call.id]
        case .keepVersion(let call): [call.id]
        default: []
        }
    }
}

extension ProviderReply {
    /// Of the items that it tells of.
    fileprivate var identifiers: [ItemIdentifier] {
        switch self {
        case .item(let item), .create(let item), .modify(let item), .provideRange(let item): [item.id]
        case .enumerate(let page): page.items.map(\.id)
        case .startProviding(let provided): [provided.item.id]
        case .identifierForPath(let id): id.map { [$0] } ?? []
        case .changesSince(let changes): changes.updated.map(\.id) + changes.deleted
        case .thumbnails(let given): given.map(\.id)
        default: []
        }
    }
}
