internal import DocumentModel
internal import Logging

/// Makes one change under a claim: does what a ``ClaimPlan`` says, and looks at what came of it. What a server answers is
/// never believed alone (RS-5); whatever is repeated, by Docent or on the way, finds that it was done.
struct ClaimedWrite: Sendable {
    struct Change: Sendable {
        var key: RemoteName
        var kind: ClaimPlan.Kind
        /// Where the document is; nil for a new one.
        var source: RemotePath?
        /// Where it is to be; where it is when it is removed.
        var target: RemotePath
        var contents: FileParts?
        var base: ItemVersion
        var hasExactTags = false

        var isInPlace: Bool { source == target }
    }

    enum Outcome: Sendable {
        /// Nil when it was removed.
        case done(Properties?)
        case refused(ClaimPlan.Refusal)
    }

    /// A step that fails so often is given up.
    static let mostAttempts = 6

    let link: ServerLink
    let watch: ClaimWatch
    let logger: Logger
    /// Told from time to time that it goes on.
    var isWaiting: @Sendable () -> Void = {}
    /// Writes the outcome down, before the claim is given back.
    let record: @Sendable (Properties?) throws -> Void

    /// - Throws: also when it is not known what came of it; then it is to be made again, under the same name.
    func make(_ change: Change) async throws -> Outcome {
        watch.begins(change.key)
        do {
            // What was begun is ended, also when nobody waits for it any more.
            let outcome = try await Task(executorPreference: link.timing.executor) { try await carryOut(change) }.value
            watch.ends(change.key, isClean: true)
            return outcome
        } catch {
            watch.ends(change.key, isClean: false)
            throw error
        }
    }

    private func carryOut(_ change: Change) async throws -> Outcome {
        let names = try ClaimNames(change.key, from: change.source, to: change.target)
        var plan = ClaimPlan(
            kind: change.kind, hasSource: change.source != nil, isInPlace: change.isInPlace, base: change.base,
            place: change.source ?? change.target)
        plan.hasExactTags = change.hasExactTags
        var taking = ClaimTaking(write: self, change: change, names: names)
        var reservation = ClaimReservation(write: self, change: change, names: names)
        var failures = 0
        var last: ClaimPlan.Step?
        while true {
            let sight = try await sight(change, names, plan)
            let step = plan.next(sight)
            failures = step == last ? failures + 1 : 0
            last = step
            let answer: ServerLink.Answer?
            switch step {
            case .claim:
                do {
                    if let outcome = try await taking.take(plan) { return outcome }
                } catch {
                    await taking.giveUp()
                    throw error
                }
                // It has a patience of its own.
                last = nil
                answer = nil
            case .reserve:
                switch try await reservation.take() {
                case .unsure: break
                case .reserved: plan.isReserved = true
                case .refused(let refusal): plan.refuse(refusal)
                }
                // The same.
                last = nil
                answer = nil
            case .takeAway: answer = try await move(change.source, to: names.old)
            case .putBack: answer = try await putBack(names.old, change, isExpected: plan.hasTakenExpected)
            case .publish:
                taking.wasPublished = true
                answer = try await move(change.kind == .move ? names.old : names.new, to: change.target)
            case .decide: answer = try await move(names.old, to: names.gone)
            case .finish(let refusal): return try await finish(change, names, plan, refusal, target: sight.target)
            }
            // Who says that it has worked, and it has not, is not asked for ever either.
            if let answer, !answer.isSuccess || failures > 0 {
                logger.debug(
                    "A step of a change has not worked.", metadata: ["step": "\(step)", "answer": "\(answer)"])
                guard failures + 1 < Self.mostAttempts else { throw answer.failure }
                isWaiting()
                try await link.pause(after: answer, atLeast: .milliseconds(50 << failures))
            }
        }
    }

    /// How things are on the server, as far as the plan has to know it.
    private func sight(_ change: Change, _ names: ClaimNames, _ plan: ClaimPlan) async throws -> ClaimPlan.Sight {
        var sight = ClaimPlan.Sight()
        guard let entries = try await link.entries(of: names.own) else { return sight }
        var own = ClaimPlan.Own()
        own.new = entries.first { $0.name == ClaimNames.new }?.properties
        own.old = entries.first { $0.name == ClaimNames.old }?.properties
        own.gone = entries.first { $0.name == ClaimNames.gone }?.properties
        own.hasPlace = entries.contains { $0.name == ClaimNames.place }
        sight.own = own
        if let source = change.source, plan.asksForSource(own) {
            sight.source = try await link.lookIfThere(source)?.properties
        }
        if change.isInPlace {
            sight.target = sight.source
        } else if plan.asksForTarget(own) {
            sight.target = try await link.lookIfThere(change.target)?.properties
        }
        return sight
    }

    private func move(_ from: RemotePath?, to: RemotePath) async throws -> ServerLink.Answer? {
        guard let from else { return nil }
        return try await link.move(from, to: to, asFolder: false)
    }

    /// What was taken away gets its place again; where somebody else has taken that, it is kept beside it under another
    /// name, unless new contents were to replace it anyway: whoever sends them has them. A rename has nothing but this.
    private func putBack(
        _ old: RemotePath, _ change: Change, isExpected: Bool
    ) async throws -> ServerLink.Answer? {
        guard let source = change.source else { return nil }
        let answer = try await link.move(old, to: source, asFolder: false)
        if answer.isSuccess { return answer }
        guard try await link.lookIfThere(old) != nil, try await link.lookIfThere(source) != nil else { return answer }
        if isExpected, change.kind == .put { return try await link.remove(old, asFolder: false) }
        return try await link.keep(old, beside: source, logger)
    }

    /// - Parameter target: what has the document's new name; nil also when that was not looked at.
    private func finish(
        _ change: Change, _ names: ClaimNames, _ plan: ClaimPlan, _ refusal: ClaimPlan.Refusal?, target: Properties?
    ) async throws -> Outcome {
        let ending = ClaimEnding(write: self, change: change, names: names, isReserved: plan.isReserved)
        if let refusal {
            try await ending.giveBack(puttingBack: true)
            return .refused(refusal)
        }
        if change.kind == .remove {
            // It is decided: what is removed goes with the claim, whoever ends that.
            try record(nil)
            // What a late request has taken away besides was not meant.
            try await giveBack(ending, puttingBack: true)
            return .done(nil)
        }
        guard let result = try await result(change, plan, target) else {
            try await ending.giveBack(puttingBack: false)
            return .refused(.changed)
        }
        try record(result)
        try await giveBack(ending, puttingBack: false)
        return .done(result)
    }

    private func giveBack(_ ending: ClaimEnding, puttingBack: Bool) async throws {
        do {
            try await ending.giveBack(puttingBack: puttingBack)
        } catch {
            if error is CancellationError { throw error }
            // It is done; who comes next waits for a while, and then ends it.
            logger.warning("A claim could not be given back.", metadata: ["cause": "\(error)"])
        }
    }

    /// What was made, as it is on the server; nil when that cannot be told from what somebody else has written since.
    private func result(_ change: Change, _ plan: ClaimPlan, _ target: Properties?) async throws -> Properties? {
        var seen = target
        if seen == nil { seen = try await link.lookIfThere(change.target)?.properties }
        if let result = plan.result {
            // Another version by now: what was made is told as it was, and the next look tells the other one.
            return seen?.contentVersion == result.contentVersion ? seen : result
        }
        guard let seen, let contents = change.contents, seen.length ?? contents.length == contents.length,
            try await link.hasContents(change.target, of: contents, isWaiting: isWaiting)
        else { return nil }
        return seen
    }
}
