import DocumentModel
import DocumentWire
import Testing

/// Calls and answers about what keeps people from losing or spreading things by mistake.
struct SafeguardRoundTripTests {
    private func pattern(_ generator: inout Generator) throws -> IgnorePattern {
        try IgnorePattern("\(generator.bool() ? "!" : "")\(generator.int(0...999))/*.tmp")
    }

    private func choice(_ generator: inout Generator) throws -> TrashChoice {
        switch generator.int(0...2) {
        case 0: .all
        case 1: .below(try generator.location())
        default: .one("e\(generator.next())")
        }
    }

    private func limits(_ generator: inout Generator) -> TrashLimits {
        TrashLimits(bytes: generator.next(), days: UInt32(generator.int(0...Int(TrashLimits.mostDays))))
    }

    @Test("CONT-13: every call about ignore rules, dry runs and the trash survives the wire")
    func calls() throws {
        try forEachSeed { generator in
            let calls: [SafeguardCall] = [
                .ignoreRules(
                    try generator.domain(),
                    IgnoreRuleChange(
                        adding: try generator.many(0...3) { try pattern(&$0) },
                        removing: try generator.many(0...3) { try pattern(&$0) },
                        usesDefaults: generator.optional { $0.bool() })),
                .explainIgnoring(try generator.location()),
                .previewSync(try generator.location()),
                .previewRemoval(
                    try generator.location(), recursive: generator.bool(), discardUnsent: generator.bool()),
                .trash(.list(try choice(&generator), after: generator.next())),
                .trash(.restore("e\(generator.next())", to: try generator.optional { try $0.location() })),
                .trash(
                    .empty(
                        try choice(&generator), removedBefore: generator.optional { Int64(bitPattern: $0.next()) })),
                .trash(.use(generator.optional { limits(&$0) })),
            ]
            for call in calls {
                let call = ServiceCall.safeguards(call)
                #expect(try ServiceCall(serialized: call.serialized()) == call)
            }
        }
    }

    @Test("CONT-13: every answer about ignore rules, dry runs and the trash survives the wire")
    func replies() throws {
        try forEachSeed { generator in
            let replies: [SafeguardReply] = [
                .trash(
                    .list(
                        TrashPage(
                            documents: try generator.many(0...3) { generator in
                                TrashedDocument(
                                    id: "e\(generator.next())", location: try generator.location(),
                                    size: generator.next(),
                                    modified: Timestamp(seconds: Int64(generator.int(0...2_000_000_000))),
                                    removed: Int64(bitPattern: generator.next()))
                            }, next: generator.optional { UInt64($0.int(1...Int.max)) }))),
                .trash(.empty(documents: generator.next(), bytes: generator.next())),
                .trash(
                    .use(
                        TrashStatus(
                            limits: limits(&generator), documents: generator.next(), bytes: generator.next()))),
                .previewSync(
                    SyncPreview(
                        steps: try generator.many(0...4) { generator in
                            PlannedStep(
                                generator.one(of: PlannedStep.Kind.allCases), try generator.location(),
                                to: try generator.optional { try $0.location() }, items: generator.next(),
                                size: generator.optional { $0.next() },
                                wait: generator.optional { $0.one(of: TransferWait.allCases) },
                                needsApproval: generator.bool(),
                                ignoredBy: try generator.optional { try pattern(&$0) },
                                problem: try generator.optional { try $0.error() })
                        }, more: generator.next())),
                .previewRemoval(
                    RemovalPreview(
                        location: try generator.location(), documents: generator.next(), folders: generator.next(),
                        bytes: generator.next(), here: generator.next(), unsent: generator.next(),
                        isComplete: generator.bool(), needsApproval: generator.bool(),
                        refusal: try generator.optional { try $0.error() })),
                .ignoreRules(
                    IgnoreRules(
                        patterns: try generator.many(0...3) { try pattern(&$0) }, usesDefaults: generator.bool())),
                .explainIgnoring(
                    IgnoreExplanation(
                        decision: try generator.optional { generator in
                            IgnoreDecision(
                                rule: try pattern(&generator), isDefault: generator.bool(),
                                path: try generator.many(1...3) { try $0.name() })
                        }, isIgnored: generator.bool(), isKnownToRemote: generator.bool())),
            ]
            for reply in replies {
                let reply = ServiceReply.safeguards(reply)
                #expect(try ServiceReply(serialized: reply.serialized()) == reply)
            }
        }
    }

    @Test("CONT-13: a bad pattern and too many patterns are refused when they are read")
    func refused() throws {
        let domain = try DomainName("work")
        let many = try (0...IgnoreRules.mostPatterns).map { try IgnorePattern("p\($0)") }
        let call = ServiceCall.safeguards(.ignoreRules(domain, IgnoreRuleChange(adding: many)))
        #expect(throws: DocumentError.self) { try ServiceCall(serialized: call.serialized()) }
        // The same bytes with a bracket that nothing closes.
        var bytes = ServiceCall.safeguards(
            .ignoreRules(domain, IgnoreRuleChange(adding: [try IgnorePattern("qqq")]))
        ).serialized()
        bytes = bytes.map { $0 == UInt8(ascii: "q") ? UInt8(ascii: "[") : $0 }
        let error = #expect(throws: DocumentError.self) { try ServiceCall(serialized: bytes) }
        #expect(error?.message.contains("“[[[”") == true)
    }
}
