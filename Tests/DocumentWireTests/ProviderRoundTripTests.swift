import DocumentModel
import DocumentWire
import Testing

/// What goes into the provider contract's messages comes out of them.
struct ProviderRoundTripTests {
    private func calls(_ generator: inout Generator) throws -> [ProviderCall] {
        let kind = generator.one(of: [ItemKind.document, .folder])
        return [
            .identity, .currentAnchor,
            .item(try generator.identifier()),
            .enumerate(
                container: try generator.identifier(),
                page: try generator.optional { try PageToken($0.bytes(1...500)) },
                suggestedCount: generator.int(1...10_000)
            ),
            .providePlaceholder(try generator.identifier()),
            .startProviding(
                try generator.identifier(), stagingPath: generator.path(), contentVersion: generator.bytes(0...128)
            ),
            .itemChanged(try generator.identifier()),
            .stopProviding(try generator.identifier()),
            .identifierForPath(try generator.many(0...4) { try $0.name().rawValue }.joined(separator: "/")),
            .pathForIdentifier(try generator.identifier()),
            .create(
                .init(
                    parentID: try generator.identifier(), name: try generator.name(), kind: kind,
                    contentsPath: kind == .document ? generator.path() : nil,
                    modified: generator.optional { $0.timestamp() }, operation: "o" + generator.text(0...20)
                )
            ),
            .modify(
                .init(
                    id: try generator.identifier(), baseVersion: try generator.version(),
                    contentsPath: generator.optional { $0.path() }, name: try generator.optional { try $0.name() },
                    parentID: try generator.optional { try $0.identifier() },
                    modified: generator.optional { $0.timestamp() }, operation: "o" + generator.text(0...20)
                )
            ),
            .delete(
                .init(
                    id: try generator.identifier(), baseVersion: generator.bool() ? .none : try generator.version(),
                    recursive: generator.bool(), operation: "o"
                )
            ),
            .changesSince(try SyncAnchor(generator.bytes(1...500)), suggestedCount: generator.int(1...10_000)),
            .provideRange(
                .init(
                    id: try generator.identifier(), stagingPath: generator.path(),
                    contentVersion: generator.bytes(1...128),
                    range: {
                        let offset = Int64(generator.int(0...1 << 40))
                        return offset..<(offset + Int64(generator.int(1...1 << 30)))
                    }())),
            .preparePicker(try generator.picker()),
            .validateChoice(.item(try generator.identifier()), try generator.picker()),
            .validateChoice(
                .destination(
                    container: try generator.identifier(), name: try generator.name(), replacing: generator.bool()),
                try generator.picker()),
            .endPicker(session: "picker-\(generator.int(1...99))"), .quota,
            .thumbnails(
                .init(
                    items: try (0..<generator.int(1...32)).map { number in
                        WantedThumbnail(
                            try ItemIdentifier("item \(number)"), contentVersion: generator.bytes(1...128))
                    },
                    size: generator.int(16...1024))),
            .listVersions(try generator.identifier()),
            .provideVersion(
                .init(
                    id: try generator.identifier(), versionID: "version \(generator.int(1...99))",
                    stagingPath: "/staging/1")),
            .keepVersion(
                .init(
                    id: try generator.identifier(), contentsPath: "/staging/2",
                    role: generator.one(of: [.conflict, .older]), modified: generator.timestamp(),
                    savedBy: "device \(generator.int(0...9))", sha256: generator.bytes(32...32),
                    operation: "keep-\(generator.int(1...99))")),
            .removeVersion(try generator.identifier(), versionID: "version \(generator.int(1...99))"),
        ]
    }

    private func replies(_ generator: inout Generator) throws -> [ProviderReply] {
        [
            .identity(try generator.provider(), version: generator.text(0...8)),
            .item(try generator.item()),
            .enumerate(
                ItemPage(
                    items: try generator.many(0...5) { try $0.item() },
                    next: try generator.optional { try PageToken($0.bytes(1...500)) }
                )
            ),
            .providePlaceholder,
            .startProviding(
                ProvidedContents(try generator.item(), sha256: generator.optional { $0.bytes(32...32) })),
            .itemChanged, .stopProviding,
            .identifierForPath(try generator.optional { try $0.identifier() }),
            .pathForIdentifier(
                try generator.optional { try $0.many(0...4) { try $0.name().rawValue }.joined(separator: "/") }
            ),
            .create(try generator.item()),
            .modify(try generator.item()),
            .delete,
            .currentAnchor(try SyncAnchor(generator.bytes(1...500))),
            .preparePicker(
                PickerPresentation(
                    message: generator.text(0...20),
                    sections: try generator.many(0...3) {
                        PickerSection(title: $0.text(1...5), containerID: try $0.identifier())
                    },
                    // Each at most once: the host leaves out what is named again.
                    columns: PickerColumn.allCases.filter { _ in generator.one(of: [true, false]) },
                    startID: try generator.optional { try $0.identifier() })),
            .validateChoice,
            .endPicker,
            .quota(
                try RemoteQuota(
                    total: generator.optional { UInt64($0.int(1_000...2_000)) },
                    used: generator.optional { UInt64($0.int(0...1_000)) },
                    available: generator.optional { UInt64($0.int(0...1_000)) })),
            .provideRange(try generator.item()),
            .thumbnails(
                try generator.many(0...4) { generator in
                    ProvidedThumbnail(
                        try generator.identifier(),
                        generator.one(of: [
                            .image(
                                bytes: generator.bytes(0...300), mediaType: generator.text(0...20),
                                contentVersion: generator.bytes(0...128)),
                            .missing, .failure(DocumentError(.noSuchItem, "It is gone.")),
                        ]))
                }),
            .listVersions(generator.many(0...4) { $0.providedVersion() }),
            .provideVersion(generator.providedVersion()),
            .keepVersion(generator.providedVersion()),
            .removeVersion,
            .changesSince(
                ItemChanges(
                    updated: try generator.many(0...5) { try $0.item() },
                    deleted: try generator.many(0...5) { try $0.identifier() },
                    anchor: try SyncAnchor(generator.bytes(1...500)),
                    more: generator.bool()
                )
            ),
        ]
    }

    @Test("every call survives the wire")
    func calls() throws {
        try forEachSeed { generator in
            for call in try calls(&generator) {
                #expect(try ProviderCall(serialized: call.serialized()) == call)
            }
        }
    }

    @Test("every answer survives the wire")
    func replies() throws {
        try forEachSeed { generator in
            for reply in try replies(&generator) {
                #expect(try ProviderReply(serialized: reply.serialized()) == reply)
            }
        }
    }

    @Test("each call is answered by its own kind of answer and by no other")
    func kindsFit() throws {
        var generator = Generator(seed: 7)
        let calls = try calls(&generator)
        let order: [ProviderReply] = try replies(&generator)
        for call in calls {
            #expect(order.filter { $0.fits(call) }.count == 1)
        }
        for reply in order {
            // A choice is an item or a destination: one kind of call in two shapes.
            #expect(calls.filter { reply.fits($0) }.count == (reply == .validateChoice ? 2 : 1))
        }
    }

    @Test("what a provider asks and tells survives the wire")
    func hostCallsAndEvents() throws {
        try forEachSeed { generator in
            let calls: [HostCall] = [
                .writePlaceholder(try generator.item()), .prompt(try generator.prompt()), .loadSecret("token"),
                .storeSecret("token", generator.bytes(0...16_384)),
            ]
            for call in calls { #expect(try HostCall(serialized: call.serialized()) == call) }
            let replies: [HostReply] = [
                .prompt(["code": generator.text(0...20)]), .loadSecret(generator.optional { $0.bytes(0...20) }),
                .storeSecret,
            ]
            for reply in replies { #expect(try HostReply(serialized: reply.serialized()) == reply) }
            let events: [ProviderEvent] = [
                .changesAvailable,
                .note(DomainNote(generator.text(0...20), isWarning: generator.bool())),
                .errorResolved(generator.many(0...4) { DocumentError.Code(rawValue: $0.int(100...999)) }),
                .log(
                    level: generator.one(of: [.debug, .info, .warning, .error]),
                    message: generator.text(0...60),
                    metadata: generator.settings()
                ),
            ]
            for event in events {
                #expect(try ProviderEvent(serialized: event.serialized()) == event)
            }
        }
        #expect(try HostReply(serialized: HostReply.writePlaceholder.serialized()) == .writePlaceholder)
    }

    @Test("settings and capabilities of a session survive the wire")
    func sessions() throws {
        try forEachSeed { generator in
            let settings = SessionSettings(
                providerID: try generator.provider(), domain: try generator.domain(), settings: generator.settings(),
                stateFolder: generator.path(), storageRoot: generator.path(), stagingFolder: generator.path(),
                deviceName: "ada's machine"
            )
            #expect(try SessionSettings(serialized: settings.serialized()) == settings)
            let capabilities = SessionCapabilities(
                capabilities: Set(generator.many(0...2) { $0.one(of: ProviderCapability.allCases) }),
                rootID: generator.bool() ? .root : try generator.identifier()
            )
            #expect(try SessionCapabilities(serialized: capabilities.serialized()) == capabilities)
        }
    }
}
