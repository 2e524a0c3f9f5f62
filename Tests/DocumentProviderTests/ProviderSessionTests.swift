import DocumentProvider
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Synchronization
import Testing

/// A provider and a host that talk to each other.
@Suite(.timeLimit(.minutes(1)))
struct ProviderSessionTests {
    typealias Script = ScriptedProvider.Script

    @Test("PROV-3, PROV-4: the context tells what the hello told", arguments: EndKind.allCases)
    func context(over kind: EndKind) async throws {
        let seen = Mutex<ProviderContext?>(nil)
        let outcome = try await ProviderFixture.with(
            Script(open: { context in seen.withLock { $0 = context } }), over: kind
        ) { host async throws in
            #expect(try await host.ask(.identity) == .identity(ProviderIdentifier("org.example.test"), version: "3.1"))
        }
        let context = try #require(seen.withLock { $0 })
        #expect(context.providerIdentifier.rawValue == "org.example.test")
        #expect(context.documentStorageURL == "/nowhere/root")
        #expect(context.stateFolder == "/nowhere/state")
        #expect(context.stagingFolder == "/nowhere/staging")
        #expect(try outcome.get().reason == .goodbye)
    }

    @Test("capabilities come from conformances, the top folder from the provider")
    func capabilities() async throws {
        try await ProviderFixture.with(Script(rootID: try ItemIdentifier("top"))) { host async throws in
            #expect(host.capabilities.capabilities == [.modifying, .changes])
            #expect(host.capabilities.rootID.rawValue == "top")
            #expect(host.peer.software == "ScriptedProvider 3.1")
        }
        try await ProviderFixture.with(MinimumProvider.self, settings: .test()) { host async throws in
            #expect(host.capabilities == SessionCapabilities(capabilities: []))
            #expect(host.peer.software == "MinimumProvider")
        }
    }

    @Test("PROV-20: what a minimum provider cannot do is unimplemented, and so is what nobody knows")
    func unimplemented() async throws {
        try await ProviderFixture.with(MinimumProvider.self, settings: .test()) { host async throws in
            let deletion = ProviderCall.DeleteCall(id: .root, baseVersion: .none, recursive: false, operation: "o")
            #expect(await code { try await host.ask(.delete(deletion)) } == .unimplemented)
            #expect(await code { try await host.ask(.currentAnchor) } == .unimplemented)
            // Field 1000, empty: a request of some later version.
            #expect(
                await code { try await host.connection.request([0xC2, 0x3E, 0x00], deadline: .total(.seconds(10))) }
                    == .unimplemented
            )
            #expect(try await host.ask(.itemChanged(.root)) == .itemChanged)
            #expect(try await host.ask(.stopProviding(.root)) == .stopProviding)
        }
    }

    @Test("a request that cannot be read is the asker's mistake, and the session goes on", arguments: EndKind.allCases)
    func undecodable(over kind: EndKind) async throws {
        try await ProviderFixture.with(Script(), over: kind) { host async throws in
            let broken = await code {
                try await host.connection.request([0x0A, 0x05, 1], deadline: .total(.seconds(10)))
            }
            #expect(broken == .invalidArgument)
            #expect(try await host.ask(.itemChanged(.root)) == .itemChanged)
        }
    }

    @Test("PROV-1, PROV-7: a placeholder is written by the host, before the call ends", arguments: EndKind.allCases)
    func placeholders(over kind: EndKind) async throws {
        let item = try Item.document("a.txt", size: 7)
        let script = Script(placeholder: { context, _ in try await context.writePlaceholder(item) })
        try await ProviderFixture.with(script, over: kind) { host async throws in
            #expect(try await host.ask(.providePlaceholder(item.id)) == .providePlaceholder)
            #expect(host.placeholders == [item])
        }
        let refusal = DocumentError(.outsideStorageRoot, "No.", causes: ["Because."])
        try await ProviderFixture.with(script, over: kind, refusal: refusal) { host async throws in
            #expect(await code { try await host.ask(.providePlaceholder(item.id)) } == .outsideStorageRoot)
        }
    }

    @Test("PROV-8: contents go into the staging file, with progress and heartbeats", arguments: EndKind.allCases)
    func providing(over kind: EndKind) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let staging = folder.appending("contents")
        try FileDescriptor.open(staging, .writeOnly, options: .create, permissions: .ownerReadWrite).close()
        let contents = [UInt8](repeating: 0x61, count: 3_000_000)
        let item = try Item.document("a.txt", size: Int64(contents.count))
        let script = Script(start: { _, file, version, transfer in
            #expect(version == [9])
            transfer.heartbeat()
            try transfer.write(contents, to: file)
            return item
        })
        let reports = Mutex<[TransferProgress?]>([])
        try await ProviderFixture.with(script, over: kind) { host async throws in
            let call = ProviderCall.startProviding(item.id, stagingPath: staging.string, contentVersion: [9])
            let reply = try await host.ask(call, deadline: .stall(.seconds(10))) { report in
                reports.withLock { $0.append(report) }
            }
            #expect(reply == .startProviding(ProvidedContents(item)))
        }
        #expect(try Transfer().read(staging) == contents)
        #expect(!reports.withLock { $0.isEmpty })
    }

    @Test("WIRE-36: what a provider vouches for goes to the host with the item; what is no SHA-256 fails")
    func vouching() async throws {
        let item = try Item.document("a.txt", size: 0)
        let script = Script(start: { _, _, version, transfer in
            transfer.vouch(forContentsWith: [UInt8](repeating: 5, count: Int(version[0])))
            return item
        })
        try await ProviderFixture.with(script, over: .memory) { host async throws in
            func call(_ length: UInt8) -> ProviderCall {
                .startProviding(item.id, stagingPath: "/s/x", contentVersion: [length])
            }
            let provided = ProvidedContents(item, sha256: [UInt8](repeating: 5, count: 32))
            #expect(try await host.ask(call(32)) == .startProviding(provided))
            #expect(await code { try await host.ask(call(31)) } == .internal)
        }
    }

    @Test("a provider asks whoever signs in, and gets back what it kept", arguments: EndKind.allCases)
    func signingIn(over kind: EndKind) async throws {
        let contexts = Mutex<ProviderContext?>(nil)
        let item = try Item.document("a.txt")
        let script = Script(
            open: { context in contexts.withLock { $0 = context } },
            item: { _ in
                let context = try #require(contexts.withLock { $0 })
                let field = Prompt.Field(key: "code", label: "The code", isSecret: true)
                let values = try await context.prompt(Prompt(message: "A code was sent.", fields: [field]))
                #expect(values == ["code": "typed The code"])
                #expect(try await context.secret(named: "token") == nil)
                try await context.store(secret: [1, 2], named: "token")
                #expect(try await context.secret(named: "token") == [1, 2])
                try await context.store(secret: [], named: "token")
                #expect(try await context.secret(named: "token") == nil)
                return item
            })
        try await ProviderFixture.with(script, over: kind) { host async throws in
            #expect(try await host.ask(.item(item.id)) == .item(item))
        }
    }

    @Test("a cancelled transfer learns of it, and ends as cancelled", arguments: EndKind.allCases)
    func cancelling(over kind: EndKind) async throws {
        let (started, startedSignal) = AsyncStream.makeStream(of: Void.self)
        let script = Script(start: { _, _, _, transfer in
            startedSignal.yield()
            while true {
                try transfer.checkCancellation()
                await Task.yield()
            }
        })
        try await ProviderFixture.with(script, over: kind) { host async throws in
            await withTaskGroup(of: DocumentError.Code?.self) { group in
                group.addTask {
                    await code { try await host.ask(.startProviding(.root, stagingPath: "/s/x", contentVersion: [])) }
                }
                for await _ in started { break }
                group.cancelAll()
                #expect(await group.next() == .cancelled)
            }
            #expect(try await host.ask(.itemChanged(.root)) == .itemChanged)
        }
    }

    @Test("PROV-14: what a provider throws arrives with code, texts and causes intact")
    func errors() async throws {
        let thrown = DocumentError(
            .insufficientQuota, "The account is full. Remove something.", detail: "507", retryAfter: .seconds(60),
            causes: ["The server said 507."], itemID: try ItemIdentifier("other")
        )
        try await ProviderFixture.with(Script(item: { _ in throw thrown })) { host async throws in
            let error = await #expect(throws: DocumentError.self) { try await host.ask(.item(.root)) }
            #expect(error == thrown)
        }
    }

    @Test("other errors become internal, file errors local storage, cancellations cancelled")
    func otherErrors() async throws {
        struct Odd: Error, CustomStringConvertible {
            let description = "the moon is in the way"
        }
        let errors: [(any Error & Sendable, DocumentError.Code)] = [
            (Odd(), .internal), (Errno.noSpace, .localStorage), (CancellationError(), .cancelled),
        ]
        for (thrown, expected) in errors {
            try await ProviderFixture.with(Script(item: { _ in throw thrown })) { host async throws in
                let error = await #expect(throws: DocumentError.self) { try await host.ask(.item(.root)) }
                #expect(error?.code == expected)
                if expected == .internal { #expect(error?.message.contains("the moon is in the way") == true) }
            }
        }
    }

    @Test("PROV-18: a provider cannot use the host's own codes, which would cost it its connection")
    func reservedCodes() async throws {
        let script = Script(item: { _ in throw DocumentError(.providerDied, "I am dead.") })
        try await ProviderFixture.with(script) { host async throws in
            let error = await #expect(throws: DocumentError.self) { try await host.ask(.item(.root)) }
            #expect(error?.code == .internal)
            #expect(error?.message == "I am dead.")
        }
    }

    @Test("a domain that cannot be opened says so with the hello, and at every request")
    func failedOpening() async throws {
        let refusal = DocumentError(.notConfigured, "The folder /photos does not exist. Set another one.")
        try await ProviderFixture.with(Script(open: { _ in throw refusal })) { host async throws in
            for call: ProviderCall in [.identity, .item(.root), .stopProviding(.root)] {
                let error = await #expect(throws: DocumentError.self) { try await host.ask(call) }
                #expect(error == refusal)
            }
            #expect(host.capabilities.capabilities == [.modifying, .changes])
            #expect(host.peer.failure == refusal)
        }
        try await ProviderFixture.with(
            Script(open: { _ in throw DocumentError(.protocolViolation, "Not for it to say.") })
        ) { host async throws in
            #expect(host.peer.failure?.code == .internal)
        }
        struct Odd: Error {}
        try await ProviderFixture.with(Script(open: { _ in throw Odd() })) { host async throws in
            let error = await #expect(throws: DocumentError.self) { try await host.ask(.identity) }
            #expect(error?.code == .notConfigured)
            #expect(error?.causes == ["Odd()"])
        }
    }

    @Test("the host is not asked before it can answer")
    func placeholderWhileOpening() async throws {
        let item = try Item.document("a")
        try await ProviderFixture.with(Script(open: { try await $0.writePlaceholder(item) })) { host async throws in
            #expect(await code { try await host.ask(.identity) } == .notPermitted)
        }
    }

    @Test("log, changes and resolved errors reach the host in order, also from before the hello was over")
    func events() async throws {
        let script = Script(
            open: { context in
                context.logger.warning("opening", metadata: ["folder": "/photos"])
                context.signalChanges()
                context.logger.debug("not worth a frame")
            },
            changed: { context, _ in
                context.signalErrorResolved([.notAuthenticated])
                context.logger.error("after")
            }
        )
        try await ProviderFixture.with(script) { host async throws in
            _ = try await host.ask(.itemChanged(.root))
            var events: [ProviderEvent] = []
            for await event in host.events {
                events.append(event)
                if events.count == 4 { break }
            }
            guard case .log(.warning, "opening", let metadata) = events.first else {
                Issue.record("the first event is \(String(describing: events.first))")
                return
            }
            #expect(metadata["folder"] == "/photos")
            #expect(metadata["domain"]?.hasPrefix("d") == true)
            #expect(events[1] == .changesAvailable)
            #expect(events[2] == .errorResolved([.notAuthenticated]))
            guard case .log(.error, "after", _) = events[3] else {
                Issue.record("the last event is \(events[3])")
                return
            }
        }
    }

    @Test("§10.11: what is logged while a request is answered carries the label that the host gave it")
    func labels() async throws {
        let script = Script(changed: { context, _ in context.logger.warning("changed") })
        try await ProviderFixture.with(script) { host async throws in
            _ = try await host.ask(.itemChanged(.root), label: RequestLabel("PC-ITEM-001"))
            _ = try await host.ask(.itemChanged(.root))
            var labels: [String?] = []
            for await case .log(.warning, "changed", let metadata) in host.events {
                labels.append(metadata["request.label"])
                if labels.count == 2 { break }
            }
            #expect(labels == ["PC-ITEM-001", nil])
        }
    }

    @Test("PROV-20: creations, modifications, deletions and changes arrive as they were asked")
    func modifying() async throws {
        let made = try Item.document("new")
        let asked = Mutex<[String]>([])
        let script = Script(
            create: { creation in
                asked.withLock {
                    $0.append("create \(creation.name) \(creation.contents?.string ?? "-") \(creation.operation)")
                }
                return made
            },
            modify: { change in
                asked.withLock {
                    $0.append("modify \(change.id) \(change.name?.rawValue ?? "-") \(change.baseVersion.content)")
                }
                return made
            },
            delete: { deletion in
                asked.withLock { $0.append("delete \(deletion.id) \(deletion.recursive)") }
            },
            changes: { anchor, count in
                ItemChanges(
                    updated: [made], deleted: [], anchor: try SyncAnchor(anchor.bytes + [UInt8(count)]), more: true)
            }
        )
        try await ProviderFixture.with(script) { host async throws in
            let creation = ProviderCall.CreateCall(
                parentID: .root, name: try ItemName("new"), kind: .document, contentsPath: "/s/c", modified: nil,
                operation: "op1"
            )
            #expect(try await host.ask(.create(creation)) == .create(made))
            let change = ProviderCall.ModifyCall(
                id: made.id, baseVersion: made.version, name: try ItemName("renamed"), operation: "op2"
            )
            #expect(try await host.ask(.modify(change)) == .modify(made))
            let deletion = ProviderCall.DeleteCall(id: made.id, baseVersion: .none, recursive: true, operation: "op3")
            #expect(try await host.ask(.delete(deletion)) == .delete)
            let anchor = try SyncAnchor([1])
            #expect(try await host.ask(.currentAnchor) == .currentAnchor(anchor))
            #expect(
                try await host.ask(.changesSince(anchor, suggestedCount: 5))
                    == .changesSince(ItemChanges(updated: [made], deleted: [], anchor: SyncAnchor([1, 5]), more: true))
            )
        }
        #expect(asked.withLock { $0 } == ["create new /s/c op1", "modify new renamed [1]", "delete new true"])
    }

    @Test("an answer that fits no frame is an error of that request alone", arguments: EndKind.allCases)
    func oversizedAnswer(over kind: EndKind) async throws {
        let script = Script(items: { _, _, count in
            ItemPage(items: try (0..<count).map { try Item.document("\($0)-" + String(repeating: "x", count: 200)) })
        })
        try await ProviderFixture.with(script, over: kind) { host async throws in
            let error = await #expect(throws: DocumentError.self) {
                try await host.ask(.enumerate(container: .root, page: nil, suggestedCount: 10_000))
            }
            #expect(error?.code.isReservedForHost == false, "\(String(describing: error))")
            #expect(error?.message.contains("bytes") == true)
            let page = try await host.ask(.enumerate(container: .root, page: nil, suggestedCount: 100))
            guard case .enumerate(let page) = page else { return }
            #expect(page.items.count == 100)
        }
    }

    @Test("the end of the stream ends a session and cancels what runs", arguments: EndKind.allCases)
    func endOfStream(over kind: EndKind) async throws {
        let (started, startedSignal) = AsyncStream.makeStream(of: Void.self)
        let wasCancelled = Mutex(false)
        let script = Script(start: { _, _, _, transfer in
            startedSignal.yield()
            while !transfer.isCancelled { await Task.yield() }
            wasCancelled.withLock { $0 = true }
            throw CancellationError()
        })
        let outcome = try await ProviderFixture.with(script, over: kind) { host async throws in
            async let asked = code {
                try await host.ask(.startProviding(.root, stagingPath: "/s/x", contentVersion: []))
            }
            for await _ in started { break }
            host.connection.close(nil)
            #expect(await asked != nil)
        }
        #expect(wasCancelled.withLock { $0 })
        #expect(try outcome.get().reason == .endOfStream)
    }

    @Test("a hello with settings that make no sense is refused")
    func badSettings() async throws {
        var settings = try SessionSettings.test()
        settings.stagingFolder = "relative"
        let refused = await code {
            try await ProviderFixture.with(MinimumProvider.self, settings: settings) { _ in }
        }
        #expect(refused != nil)
    }
}
