import DocumentModel
import DocumentWire
import Testing

/// What goes into the host tools' contract's messages comes out of them.
struct ServiceRoundTripTests {
    @Test("every message to a presenter survives the wire, and its news too")
    func presenterMessages() throws {
        try forEachSeed { generator in
            let messages: [PresenterMessage] =
                [
                    .relinquishToReader, .relinquishToWriter, .reacquire, .saveChanges, .accommodateDeletion,
                    .accommodateSubitemDeletion(try generator.location()), .accommodateEviction, .didChange,
                    .didMove(to: try generator.location()), .didMoveOut(to: generator.path()),
                    .didChangeAttributes(generator.many(0...3) { $0.text(1...9) }),
                    .subitemDidAppear(try generator.location()), .subitemDidChange(try generator.location()),
                    .subitemDidMove(try generator.location(), to: try generator.location()),
                ]
                + (try PresenterMessage.VersionEvent.allCases.flatMap { event in
                    [
                        .version(event, generator.text(1...9)),
                        .subitemVersion(try generator.location(), event, generator.text(1...9)),
                    ]
                })
            for message in messages {
                let call = ToolCall.tellPresenter(generator.next(), message: generator.next(), message)
                #expect(try ToolCall(serialized: call.serialized()) == call)
            }
            let prompt = ToolCall.ask(try generator.domain(), provider: "Photos", try generator.prompt())
            #expect(try ToolCall(serialized: prompt.serialized()) == prompt)
            #expect(try ToolCall.promptAnswer(serialized: ToolCall.answer(to: ["code": "1"])) == ["code": "1"])
            for event in [
                ToolEvent.deadlock(generator.text(1...50)), .droppedPresenter(7, reason: generator.text(1...9)),
            ] {
                #expect(try ToolEvent(serialized: event.serialized()) == event)
            }
        }
    }

    @Test("PICK-9: import and open take types and no document, export and move one document and no types")
    func pickerRequests() throws {
        for mode in PickerMode.allCases {
            let types = mode.choosesDocuments ? [ContentType.text] : []
            let path = mode.choosesDocuments ? nil : "/a/b.pdf"
            func request(_ types: [ContentType], _ path: String?, several: Bool = false) throws -> PickerRequest {
                try PickerRequest(mode: mode, types: types, originalPath: path, domain: nil, allowsSeveral: several)
            }
            let request1 = try request(types, path)
            #expect((request1.validTypes == nil) == (path != nil) && request1.originalPath == path)
            #expect(throws: DocumentError.self) { try request([], nil) }
            #expect(throws: DocumentError.self) { try request([.text], "/a/b.pdf") }
            #expect(throws: DocumentError.self) { try request(types.isEmpty ? [.text] : [], path ?? "/a/b.pdf") }
            #expect(throws: DocumentError.self) { try request(types, path.map { _ in "relative" } ?? "/x") }
            if !mode.choosesDocuments { #expect(throws: DocumentError.self) { try request([], path, several: true) } }
        }
        #expect(throws: DocumentError.self) {
            try PickerRequest(.open, types: Array(repeating: .text, count: PickerRequest.mostTypes + 1))
        }
    }

    @Test("every call survives the wire")
    func calls() throws {
        try forEachSeed { generator in
            let calls: [ServiceCall] = [
                .hostStatus, .stopHost, .listDomains,
                .listProviders(try generator.optional { try $0.provider() }),
                .addDomain(
                    name: try generator.domain(), providerID: try generator.provider(), settings: generator.settings()
                ),
                .removeDomain(try generator.domain(), discardUnsent: generator.bool()),
                .signIn(
                    try generator.domain(), settings: generator.settings(), answersPrompts: generator.bool()),
                .signOut(try generator.domain(), dropUnsent: generator.bool()), .quota(try generator.domain()),
                .answerDeletions(
                    try generator.domain(), generator.optional { $0.one(of: HeldDeletions.Direction.allCases) },
                    carryOut: generator.bool()),
                .setDomainRules(
                    try generator.domain(),
                    DomainRuleChange(
                        deletionMinimum: generator.optional { $0.int(1...1_000_000_000) },
                        deletionPercent: generator.optional { $0.int(0...101) },
                        lookAgain: generator.optional { .seconds($0.int(10...86_400)) })),
                .listItems(
                    try generator.location(), page: try generator.optional { try PageToken($0.bytes(1...500)) },
                    suggestedCount: generator.int(1...10_000), refresh: generator.bool(),
                    known: generator.bool()
                ),
                .getItem(try generator.location(), known: generator.bool()),
                .makeFolder(try generator.location(), atOnce: generator.bool()),
                .renameItem(
                    try generator.location(), destination: try generator.location(), atOnce: generator.bool()),
                .removeItem(
                    try generator.location(), recursive: generator.bool(), discardUnsent: generator.bool(),
                    atOnce: generator.bool()),
                .beginAccess(try access(&generator)),
                .endAccess(generator.next()),
                .flushAccess(generator.next()),
                .awaitContents(generator.next(), Int64(generator.int(0...1000))..<Int64(generator.int(1001...Int.max))),
                .openAccessed(
                    generator.next(), number: 3, part: [try ItemName("Contents"), try ItemName("a")], making: true),
                .addPresenter(
                    PresenterRegistration(
                        number: UInt64(generator.int(1...1000)), place: try place(&generator),
                        capabilities: capabilities(&generator),
                        observedAttributes: generator.many(0...3) { "a" + $0.text(0...9) },
                        patience: .milliseconds(generator.int(1...100_000)))),
                .removePresenter(generator.next()),
                .endWrite(generator.next(), presenter: generator.next() | 1, presents: try generator.location()),
                .setPresentedItem(generator.next(), try place(&generator)),
                .cancelCoordinator(generator.next()), .coordinationStatus,
                .exportDocument(
                    sourcePath: generator.path(), destination: try generator.location(), replace: generator.bool()
                ),
                .moveDocument(
                    sourcePath: generator.path(), destination: try generator.location(), replace: generator.bool()
                ),
                .moveIn(sourcePath: generator.path(), destination: try generator.location()),
                .moveOut(
                    MoveOutCall(
                        location: try generator.location(), destinationPath: generator.path(),
                        parts: try generator.many(0...5) { generator in
                            MoveOutCall.Part(
                                path: try generator.many(0...3) { try $0.name() },
                                file: generator.optional {
                                    MoveOutCall.File(
                                        inode: $0.next(), size: Int64($0.int(0...Int.max)), modified: $0.timestamp())
                                })
                        })),
                .download(try generator.location()),
                .evict(try generator.location()),
                .waitUntilSent(try generator.location()),
                .status(try generator.optional { try $0.location() }),
                .resolveConflict(try generator.location(), keep: generator.one(of: ConflictResolution.allCases)),
                .resolveConflict(try generator.location(), keep: .both, name: try ItemName("mine.txt")),
                .listVersions(try generator.location()),
                .restoreVersion(try generator.location(), "4f1c09ab"),
                .fetchRemoteVersion(try generator.location()),
                .transfers(
                    .resume(try generator.location(), generator.one(of: ResumeBehavior.allCases))),
                .removeVersions(try generator.location(), []),
                .removeVersions(try generator.location(), ["4f1c09ab", "77aa01"]),
                .refresh(try generator.location()),
                .transfers(.startDownload(try generator.location())),
                .transfers(.pause(try generator.location(), generator.bool())),
                .transfers(.keep(try generator.location(), generator.optional { $0.one(of: Keeping.allCases) })),
                .transfers(.space), .transfers(.setSpace(nil)),
                .transfers(.setSpace(try SpaceLimits(high: UInt64(generator.int(1...Int.max)), low: 1))),
                .transfers(.watch(try generator.optional { try $0.location() })),
                .transfers(.nextEvents(generator.next())), .transfers(.endWatch(generator.next())),
                .beginPicker(
                    try PickerRequest(
                        generator.one(of: [.import, .open]),
                        types: try generator.many(1...4) { try ContentType("public.kind-\($0.int(0...9))") },
                        domain: try generator.optional { try $0.domain() }, allowsSeveral: generator.bool())),
                .beginPicker(
                    try PickerRequest(
                        generator.one(of: [.export, .move]), originalPath: generator.path(),
                        domain: try generator.optional { try $0.domain() })),
                .browsePicker(
                    generator.next(), folder: try generator.entryID(),
                    page: try generator.optional { try PageToken($0.bytes(1...500)) },
                    suggestedCount: generator.int(1...10_000), refresh: generator.bool()),
                .makePickerFolder(generator.next(), in: try generator.entryID(), name: try generator.name()),
                .choosePicker(generator.next(), .entries(try generator.many(1...3) { try $0.entryID() })),
                .choosePicker(generator.next(), .paths(generator.many(1...3) { $0.path() })),
                .choosePicker(
                    generator.next(),
                    .target(folder: try generator.entryID(), name: try generator.name(), replacing: generator.bool())),
                .cancelPicker(generator.next()),
                .thumbnails(
                    .entries(
                        generator.next(), try generator.many(1...32) { try $0.entryID() },
                        size: generator.int(16...1024))),
                .thumbnails(
                    .items(try generator.many(1...32) { try $0.location() }, size: generator.int(16...1024))),
                .searchPicker(
                    generator.next(), below: try generator.entryID(), try PickerQuery(generator.text(1...20) + "x"),
                    page: try generator.optional { try PageToken($0.bytes(1...500)) },
                    suggestedCount: generator.int(1...10_000)),
            ]
            for call in calls {
                #expect(try ServiceCall(serialized: call.serialized()) == call)
                let numbers = generator.many(0...3) { $0.next() }
                let nested = try ServiceCall.nested(serialized: call.serialized(nestedIn: numbers))
                #expect(nested.call == call)
                switch call {
                case .beginAccess, .endAccess: #expect(nested.nestedIn == [], "they need not say it here")
                default: #expect(nested.nestedIn == numbers)
                }
            }
        }
    }

    @Test("every answer survives the wire")
    func replies() throws {
        try forEachSeed { generator in
            let replies: [ServiceReply] = [
                .done,
                .beginPicker(generator.next(), roots: try generator.many(0...3) { try root(&$0) }),
                .browsePicker(try listing(&generator)),
                .pickerEntry(try entry(&generator)),
                .thumbnails([
                    .image(try generator.picture()), .missing,
                    .failed(DocumentError(.noSuchItem, "It is gone.")),
                ]),
                .searchPicker(
                    PickerFindings(
                        entries: try generator.many(0...3) { try entry(&$0) },
                        next: try generator.optional { try PageToken($0.bytes(1...8)) }, isLoading: generator.bool())),
                .choosePicker(
                    try generator.many(0...2) { generator in
                        PickedItem(
                            status: try status(&generator), access: generator.optional { UInt64($0.int(1...Int.max)) })
                    }),
                .hostStatus(
                    HostStatus(
                        version: generator.text(0...9), processID: 77, root: generator.path(),
                        started: generator.timestamp(), connections: generator.int(0...999),
                        claims: generator.int(0...999), findings: generator.many(0...3) { $0.text(0...30) },
                        memory: generator.next()
                    )
                ),
                .listProviders(
                    try generator.many(0...3) { try provider(&$0) }, problems: generator.many(0...3) { $0.text(0...30) }
                ),
                .listDomains(try generator.many(0...3) { try domain(&$0) }),
                .listItems(
                    ItemStatusPage(
                        items: try generator.many(0...4) { try status(&$0) },
                        next: try generator.optional { try PageToken($0.bytes(1...500)) }
                    )
                ),
                .item(try status(&generator)),
                .beginAccess(
                    access: generator.next(), path: generator.path(), item: try status(&generator),
                    also: try generator.many(0...2) { AccessedItem(path: $0.path(), item: try status(&$0)) }),
                .coordinationStatus(
                    CoordinationStatus(
                        holdings: generator.many(0...2) { $0.text(0...20) },
                        waits: generator.many(0...2) { $0.text(0...20) },
                        droppedPresenters: generator.many(0...2) { $0.text(0...20) })),
                .evict(evicted: generator.int(0...4_000_000_000), bytes: generator.next()),
                .status(
                    domains: try generator.many(0...3) { generator in
                        DomainStatus(
                            domain: try domain(&generator), items: generator.next(), materialised: generator.next(),
                            materialisedBytes: generator.next(), unsent: generator.next(), conflicts: generator.next(),
                            transfers: summary(&generator)
                        )
                    },
                    items: try generator.many(0...4) { try status(&$0) },
                    transfers: summary(&generator),
                    broughtFor: try generator.many(0...2) { generator in
                        BroughtFor(
                            who: "w" + generator.text(0...20), documents: generator.next(), bytes: generator.next(),
                            last: try generator.location())
                    }
                ),
                .transfers(
                    .space(
                        SpaceStatus(
                            limits: try generator.optional {
                                try SpaceLimits(high: 1 << 40, low: UInt64($0.int(0...99)))
                            },
                            documents: generator.next(), bytes: generator.next()))),
                .transfers(.watch(generator.next())),
                .transfers(
                    .events([
                        .appeared(try status(&generator)), .changed(try status(&generator)),
                        .moved(try status(&generator), from: try generator.location()),
                        .removed(try generator.location()), .domain(try domain(&generator)),
                        .domainRemoved(try generator.domain()), .lost,
                    ])),
            ]
            for reply in replies {
                #expect(try ServiceReply(serialized: reply.serialized()) == reply)
            }
        }
    }

    @Test("a tool's identity survives the wire, fit for a log")
    func identity() throws {
        let identity = ToolIdentity(name: "docent edit")
        #expect(try ToolIdentity(serialized: identity.serialized()) == identity)
        let hostile = ToolIdentity(name: "\u{1B}[2J" + String(repeating: "x", count: 1000))
        let read = try ToolIdentity(serialized: hostile.serialized())
        #expect(read.name.hasPrefix("\\u{1b}[2J"))
        #expect(read.name.utf8.count <= 260)
    }
}
