import DocumentModel
import FileCoordination

/// What must hold, whatever is done.
extension History {
    mutating func note(_ step: @autoclosure () -> String, _ actions: [CoordinationAction]) {
        onStep?("\(step()) -> \(actions.map(Self.short))")
        for action in actions {
            switch action {
            case .grant(let id, _):
                guard let claim = claims[id], running.insert(id).inserted else {
                    complaints.append("\(id) was granted twice, or after it had ended")
                    continue
                }
                if claim.isHalfForUploading { complaints.append("\(id) was granted, and holds what it uploads") }
                if !claim.isForUploading { hold(id) }
            case .refuse(let id, let error):
                if running.contains(id) { complaints.append("\(id) was refused after it was granted: \(error)") }
                if error.code == .deadlock { justify(id) }
                drop(id)
            case .provide(let id, _):
                providing.append(id)
                hold(id)
            case .makeSnapshots(let id, _):
                snapshotting.append(id)
                if claims[id]?.isForUploading != true { complaints.append("\(id) wanted no snapshots") }
                hold(id)
            case .deliver(let message, let id, let presenter):
                if messages.values.contains(where: { $0.presenter == presenter }) {
                    complaints.append("\(presenter) got a second message before it had answered the first")
                }
                if presenters[presenter] == nil { complaints.append("\(presenter) is gone and got a message") }
                messages[id] = Message(presenter: presenter, message: message)
            case .drop(let record): forget(record.presenter)
            case .report, .rereadItem: break
            }
        }
    }

    /// Exclusion, and the order in which claims are granted.
    private mutating func hold(_ id: ClaimID) {
        guard let claim = claims[id], held[id] == nil else { return }
        held[id] = Held(claim: claim, isAlone: claim.style == .preparation)
        guard claim.style != .preparation else { return }
        for other in held.values where other.claim.id != id && !other.isAlone {
            if Self.exclude(claim, other.claim), !Self.areFriends(claim, other.claim) {
                complaints.append("\(id) was granted beside \(other.claim.id)")
            }
        }
        guard claim.nestedIn.isEmpty, claim.answering == nil, !claim.movesDirectory, !befriended.contains(id) else {
            return
        }
        for older in claims.values where older.id < id && held[older.id] == nil && !running.contains(older.id) {
            // Who waits for a nested claim's sake may be passed by; nobody else is.
            guard older.style == .access, Self.exclude(claim, older), !Self.areFriends(claim, older) else { continue }
            complaints.append("\(id) was granted before \(older.id), which waited for it")
        }
    }

    /// The others of the same connection that it never waits for.
    func friends(of claim: Claim) -> [Claim] {
        claims.values.filter {
            $0.id != claim.id && $0.owner == claim.owner && $0.style != .preparation && Self.areFriends($0, claim)
        }
    }

    // MARK: - Deadlocks

    /// COORD-39: a claim that is refused because of a deadlock waits for itself, step by step.
    private mutating func justify(_ id: ClaimID) {
        guard let deadlock = machine.deadlocks.first(where: { $0.refusedClaim == id }) else {
            // COORD-33: what is refused inside of an accessor that writes is so whoever waits.
            let isInsideWrite = claims[id]?.nestedIn.contains { claims[$0]?.isWriting == true } == true
            if !isInsideWrite { complaints.append("\(id) was refused for a deadlock that nobody tells of") }
            return
        }
        guard let last = deadlock.waits.last?.to, deadlock.waits.contains(where: { $0.from == .claim(id) }) else {
            return complaints.append("\(id) was refused for a deadlock that it is no part of: \(deadlock)")
        }
        var before = last
        for wait in deadlock.waits {
            if wait.from != before { complaints.append("what was said to be a circle is none: \(deadlock)") }
            if !isWait(wait.from, for: wait.to) {
                complaints.append("\(wait.from) does not wait for \(wait.to), as was said: \(deadlock)")
            }
            before = wait.to
        }
    }

    private func isWait(_ one: Deadlock.Party, for other: Deadlock.Party) -> Bool {
        switch (one, other) {
        case (.claim(let id), .claim(let blocker)):
            guard let claim = claims[id], let blocking = claims[blocker] else { return false }
            let hasIt = running.contains(id) || held[id] != nil
            if hasIt { return inside[id]?.contains(blocker) == true }
            return Self.exclude(claim, blocking) && !Self.areFriends(claim, blocking)
                && (running.contains(blocker) || held[blocker] != nil || isBefore(blocking, claim))
        case (.claim(let id), .presenter(let presenter)):
            return claims[id] != nil && messages.values.contains { $0.presenter == presenter }
        case (.presenter(let presenter), .claim(let id)):
            guard let message = claims[id]?.answering else { return false }
            return messages[message]?.presenter == presenter
        case (.presenter, .presenter): return false
        }
    }

    /// Whether a claim that waits, too, may stand before another one: it was asked for before, or may pass others.
    private func isBefore(_ one: Claim, _ other: Claim) -> Bool {
        one.id < other.id || one.movesDirectory || !one.nestedIn.isEmpty || befriended.contains(one.id)
            || { if case .presenter? = one.purpose { true } else { false } }()
    }

    /// Exclusion said a second time, in other words than the machine's: by paths.
    private static func exclude(_ one: Claim, _ other: Claim) -> Bool {
        one.intentions.contains { mine in other.intentions.contains { exclude(mine, $0) } }
    }

    private static func exclude(_ one: AccessIntention, _ other: AccessIntention) -> Bool {
        let (first, second) = (whole(one.item), whole(other.item))
        if first == second { return one.intent.isWriting || other.intent.isWriting }
        func covers(_ intent: ClaimIntent) -> Bool {
            [.writing(.forDeleting), .writing(.forReplacing), .writing(.forMoving), .evicting].contains(intent)
        }
        return (covers(one.intent) && one.item.kind != .document && second.starts(with: first))
            || (covers(other.intent) && other.item.kind != .document && first.starts(with: second))
    }

    /// The path of an item, or of the package that it lies in.
    private static func whole(_ item: CoordinatedItem) -> ArraySlice<ItemName> {
        let components = item.location.components
        let package = components.firstIndex { $0.rawValue.hasSuffix(".pkg") }
        return components[...(package ?? components.count - 1)]
    }

    private static func areFriends(_ one: Claim, _ other: Claim) -> Bool {
        if one.purpose != nil, one.purpose == other.purpose { return true }
        if one.coordinator != nil, one.coordinator == other.coordinator { return true }
        return one.nestedIn.contains(other.id) && !one.isWriting
    }

    private static func short(_ action: CoordinationAction) -> String {
        switch action {
        case .grant(let id, _): "grant \(id.rawValue)"
        case .refuse(let id, let error): "refuse \(id.rawValue) \(error.code)"
        case .provide(let id, _): "provide \(id.rawValue)"
        case .makeSnapshots(let id, _): "snapshots \(id.rawValue)"
        case .deliver(let message, let id, let presenter): "\(message) \(id.rawValue) to \(presenter.rawValue)"
        case .drop(let record): "drop \(record.presenter)"
        case .report(_, let owner): "report \(owner)"
        case .rereadItem(let presenter): "reread \(presenter)"
        }
    }
}

extension Claim {
    /// Whether it reads snapshots instead of the items.
    fileprivate var isForUploading: Bool {
        style != .preparation
            && intentions.allSatisfy { if case .reading(.forUploading) = $0.intent { true } else { false } }
    }

    /// Some of it, and not all: no snapshot would be made, or what is held would be free.
    fileprivate var isHalfForUploading: Bool {
        let uploads = intentions.filter { if case .reading(.forUploading) = $0.intent { true } else { false } }.count
        return style != .preparation && uploads > 0 && uploads < intentions.count
    }

    /// COORD-4: goes before what is queued inside.
    fileprivate var movesDirectory: Bool {
        intentions.contains { $0.intent == .writing(.forMoving) && $0.item.kind != .document }
    }
}
