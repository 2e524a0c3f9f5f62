import DocumentModel
import DocumentWire
import Testing

/// Calls and answers about tools and containers.
struct ToolsRoundTripTests {
    private func container(_ generator: inout Generator) throws -> ContainerIdentifier {
        try ContainerIdentifier("ABCDE\(generator.int(10_000...99_999)).c\(generator.int(0...99))")
    }

    private func tool(_ generator: inout Generator) throws -> ToolIdentifier {
        try ToolIdentifier("org.example.t\(generator.int(0...999))")
    }

    private func description(_ generator: inout Generator) throws -> ToolDescription {
        var containers = try generator.many(0...2) { try ContainerPattern(container(&$0).rawValue) }
        if !containers.isEmpty { containers.append(try ContainerPattern("ABCDE12345.*")) }
        var domains: [DomainName: Entitlements.DomainUse] = [:]
        for _ in 0..<generator.int(0...3) {
            domains[try generator.domain()] = generator.one(of: Entitlements.DomainUse.allCases)
        }
        return ToolDescription(
            id: try tool(&generator), name: generator.text(0...20), executable: generator.path(),
            entitlements: try Entitlements(
                containers: containers, keyValueIdentifier: try generator.optional { try container(&$0) },
                domains: domains),
            publicContainers: try generator.many(0...2) { generator in
                PublicContainer(
                    identifier: try container(&generator), name: generator.text(1...9),
                    folderLevels: generator.one(of: PublicContainer.FolderLevels.allCases))
            })
    }

    @Test("every call about tools and containers survives the wire")
    func calls() throws {
        try forEachSeed { generator in
            let calls: [ToolsCall] = [
                .register(generator.path()), .describe(try generator.optional { try tool(&$0) }),
                .unregister(try tool(&generator)), .openContainer(try generator.optional { try container(&$0) }),
                .listContainers, .placeContainers(try generator.optional { try $0.location() }),
                .removeContainerData(try container(&generator)),
                .getKeyValues(generator.many(0...3) { $0.text(1...3) + "k" }, after: generator.next()),
                .setKeyValues(
                    try KeyValueChange(["a": generator.bytes(0...99), "é": []], removing: ["e", "f"])),
            ]
            for call in calls {
                let call = ServiceCall.tools(call)
                #expect(try ServiceCall(serialized: call.serialized()) == call)
            }
        }
    }

    @Test("every answer about tools and containers survives the wire")
    func replies() throws {
        try forEachSeed { generator in
            let replies: [ToolsReply] = [
                .tools(try generator.many(0...3) { try description(&$0) }),
                .openContainer(try generator.optional { try $0.location() }),
                .keyValues(["a": generator.bytes(0...99), "b": []], revision: generator.next()),
                .containers(
                    try generator.many(0...3) { generator in
                        ContainerDescription(
                            identifier: try container(&generator), name: generator.text(0...9),
                            location: try generator.location(), isPublic: generator.bool(), isEntitled: generator.bool()
                        )
                    }, place: try generator.optional { try $0.location() }),
            ]
            for reply in replies {
                let reply = ServiceReply.tools(reply)
                #expect(try ServiceReply(serialized: reply.serialized()) == reply)
            }
        }
    }
}
