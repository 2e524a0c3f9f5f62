import DocumentModel
import DocumentWire
import Testing

/// What goes into the host tools' contract's messages comes out of them.
struct ServiceRoundTripTests {
    private func status(_ generator: inout Generator) throws -> ItemStatus {
        ItemStatus(
            item: try generator.item(),
            location: try generator.location(),
            state: generator.one(of: ItemState.allCases),
            path: generator.bool() ? generator.path() : "",
            problem: try generator.optional { try $0.error() },
            progress: generator.optional { generator in
                TransferProgress(
                    done: UInt64(generator.int(0...Int.max)),
                    expected: generator.optional { UInt64($0.int(1...Int.max)) }
                )
            },
            conflictPath: generator.optional { $0.path() }
        )
    }

    private func domain(_ generator: inout Generator) throws -> DomainDescription {
        DomainDescription(
            name: try generator.domain(), providerID: try generator.provider(), settings: generator.settings(),
            providerState: generator.one(of: ProviderState.allCases),
            problem: try generator.optional { try $0.error() },
            providerProcessID: generator.optional { Int32($0.int(1...4_194_304)) }
        )
    }

    private func access(_ generator: inout Generator) throws -> AccessRequest {
        let intent = generator.one(of: AccessIntent.allCases)
        return AccessRequest(
            location: try generator.location(),
            intent: intent,
            writingOption: intent == .writing ? generator.optional { $0.one(of: WritingOption.allCases) } : nil,
            purpose: generator.optional { "p" + $0.text(0...20) },
            metadataOnly: generator.bool(),
            nestedIn: generator.many(0...3) { $0.next() }
        )
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
                .listItems(
                    try generator.location(), page: try generator.optional { try PageToken($0.bytes(1...500)) },
                    suggestedCount: generator.int(1...10_000), refresh: generator.bool()
                ),
                .getItem(try generator.location()),
                .makeFolder(try generator.location()),
                .renameItem(try generator.location(), destination: try generator.location()),
                .removeItem(try generator.location(), recursive: generator.bool(), discardUnsent: generator.bool()),
                .beginAccess(try access(&generator)),
                .endAccess(generator.next()),
                .exportDocument(
                    sourcePath: generator.path(), destination: try generator.location(), replace: generator.bool()
                ),
                .moveDocument(
                    sourcePath: generator.path(), destination: try generator.location(), replace: generator.bool()
                ),
                .download(try generator.location()),
                .evict(try generator.location()),
                .waitUntilSent(try generator.location()),
                .status(try generator.optional { try $0.location() }),
                .resolveConflict(try generator.location(), keep: generator.one(of: ConflictResolution.allCases)),
                .refresh(try generator.location()),
            ]
            for call in calls {
                #expect(try ServiceCall(serialized: call.serialized()) == call)
            }
        }
    }

    @Test("every answer survives the wire")
    func replies() throws {
        try forEachSeed { generator in
            let replies: [ServiceReply] = [
                .done,
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
                .beginAccess(access: generator.next(), path: generator.path(), item: try status(&generator)),
                .evict(evicted: generator.int(0...4_000_000_000), bytes: generator.next()),
                .status(
                    domains: try generator.many(0...3) { generator in
                        DomainStatus(
                            domain: try domain(&generator), items: generator.next(), materialised: generator.next(),
                            materialisedBytes: generator.next(), unsent: generator.next(), conflicts: generator.next()
                        )
                    },
                    items: try generator.many(0...4) { try status(&$0) }
                ),
            ]
            for reply in replies {
                #expect(try ServiceReply(serialized: reply.serialized()) == reply)
            }
        }
    }

    private func provider(_ generator: inout Generator) throws -> ProviderDescription {
        ProviderDescription(
            id: try generator.provider(), name: generator.text(0...9), version: generator.text(0...4),
            bundlePath: generator.path(), executable: generator.path(), protocolVersions: [1, 2],
            pickerModes: generator.many(0...4) { $0.one(of: PickerMode.allCases) },
            supportedTypes: [.content, .plainText], capabilities: [.changes, .modifying],
            settings: generator.many(0...3) {
                SettingDescription(
                    key: "k" + $0.text(0...9), type: $0.one(of: SettingType.allCases), required: $0.bool(),
                    defaultValue: $0.optional { "v" + $0.text(0...9) }, description: $0.text(0...30)
                )
            },
            permissions: generator.many(0...3) { $0.text(0...30) },
            domains: try generator.many(0...3) { try $0.domain() }
        )
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
