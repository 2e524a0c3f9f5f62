import DocumentModel
import SwiftProtobuf

extension SafeguardCall {
    init(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .ignoreRules(let call): self = .ignoreRules(try DomainName(call.domain), try IgnoreRuleChange(call))
        case .explainIgnoring(let call): self = .explainIgnoring(try Location(call.location))
        case .previewSync(let call): self = .previewSync(try Location(call.location))
        case .previewRemoval(let call):
            self = .previewRemoval(
                try Location(call.location), recursive: call.recursive, discardUnsent: call.discardUnsent)
        default:
            guard let trash = try TrashCall(request) else { throw Checks.refusal("This is no call about safeguards.") }
            self = .trash(trash)
        }
    }

    var wire: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .ignoreRules(let name, let change):
            .ignoreRules(
                .with {
                    $0.domain = name.rawValue
                    $0.add = change.adding.map(\.text)
                    $0.remove = change.removing.map(\.text)
                    if let usesDefaults = change.usesDefaults { $0.useDefaults = usesDefaults }
                })
        case .explainIgnoring(let location): .explainIgnoring(.with { $0.location = location.description })
        case .previewSync(let location): .previewSync(.with { $0.location = location.description })
        case .previewRemoval(let location, let recursive, let discardUnsent):
            .previewRemoval(
                .with {
                    $0.location = location.description
                    $0.recursive = recursive
                    $0.discardUnsent = discardUnsent
                })
        case .trash(let call): call.wire
        }
    }
}

extension SafeguardReply {
    init(_ answer: WireServiceIgnoreRulesAnswer) throws(DocumentError) {
        self = .ignoreRules(
            IgnoreRules(patterns: try Checks.patterns(answer.patterns), usesDefaults: answer.useDefaults))
    }

    init(_ answer: WireServiceExplainIgnoringAnswer) throws(DocumentError) {
        var decision: IgnoreDecision?
        if !answer.rule.isEmpty {
            decision = IgnoreDecision(
                rule: try IgnorePattern(answer.rule), isDefault: answer.isDefault,
                path: try mapped(answer.matched) { name throws(DocumentError) in try ItemName(name) })
        }
        self = .explainIgnoring(
            IgnoreExplanation(
                decision: decision, isIgnored: answer.ignored, isKnownToRemote: answer.knownToRemote))
    }

    init(_ answer: WireServicePreviewSyncAnswer) throws(DocumentError) {
        self = .previewSync(SyncPreview(steps: try mapped(answer.steps, PlannedStep.init), more: answer.more))
    }

    init(_ answer: WireServicePreviewRemovalAnswer) throws(DocumentError) {
        self = .previewRemoval(try RemovalPreview(answer))
    }

    init(_ answer: WireServiceListTrashAnswer) throws(DocumentError) { self = .trash(try TrashReply(answer)) }

    init(_ answer: WireServiceEmptyTrashAnswer) { self = .trash(TrashReply(answer)) }

    init(_ answer: WireServiceTrashUseAnswer) throws(DocumentError) { self = .trash(try TrashReply(answer)) }

    var wire: WireServiceServiceAnswer.OneOf_Answer {
        switch self {
        case .ignoreRules(let rules):
            .ignoreRules(
                .with {
                    $0.patterns = rules.patterns.map(\.text)
                    $0.useDefaults = rules.usesDefaults
                })
        case .previewSync(let preview):
            .previewSync(
                .with {
                    $0.steps = preview.steps.map(WireServicePlannedStep.init)
                    $0.more = preview.more
                })
        case .previewRemoval(let preview): .previewRemoval(WireServicePreviewRemovalAnswer(preview))
        case .trash(let reply): reply.wire
        case .explainIgnoring(let explanation):
            .explainIgnoring(
                .with {
                    if let decision = explanation.decision {
                        $0.rule = decision.rule.text
                        $0.isDefault = decision.isDefault
                        $0.matched = decision.path.map(\.rawValue)
                    }
                    $0.ignored = explanation.isIgnored
                    $0.knownToRemote = explanation.isKnownToRemote
                })
        }
    }
}

extension IgnoreRuleChange {
    fileprivate init(_ call: WireServiceIgnoreRules) throws(DocumentError) {
        self.init(
            adding: try Checks.patterns(call.add), removing: try Checks.patterns(call.remove),
            usesDefaults: call.hasUseDefaults ? call.useDefaults : nil)
    }
}

extension Checks {
    fileprivate static func patterns(_ texts: [String]) throws(DocumentError) -> [IgnorePattern] {
        guard texts.count <= IgnoreRules.mostPatterns else {
            throw refusal("A domain has \(IgnoreRules.mostPatterns) ignore rules at most.")
        }
        return try mapped(texts) { text throws(DocumentError) in try IgnorePattern(text) }
    }
}
