import DocumentModel
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Glibc
import SystemPackage
import Testing

/// The examples, as any host sees them.
@Suite(.timeLimit(.minutes(1)))
struct ExamplesTests {
    private func items(of host: ProviderTestHost, in container: ItemIdentifier = .root) async throws -> [Item] {
        let reply = try await host.ask(.enumerate(container: container, page: nil, suggestedCount: 100))
        guard case .enumerate(let page) = reply else { return [] }
        return page.items.sorted { $0.id < $1.id }
    }

    /// Has a document provided into a staging file, and gives what is in it then.
    private func contents(_ id: ItemIdentifier, from host: ProviderTestHost) async throws -> String {
        try await TemporaryFile.with(contents: "left over") { path async throws in
            let reply = try await host.ask(.startProviding(id, stagingPath: path.string, contentVersion: []))
            guard case .startProviding(let provided) = reply else { return "" }
            let text = try TemporaryFile.read(path)
            #expect(provided.item.size == Int64(text.utf8.count))
            return text
        }
    }

    private func code(_ body: () async throws -> some Any) async -> DocumentError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    @Test("a host lists the handbook and reads from it", arguments: Example.allCases)
    func reading(_ example: Example) async throws {
        try await example.session(settings: ["company": "Acme"]) { host, _ async throws in
            #expect(
                host.capabilities.capabilities
                    == (example == .python ? [.modifying, .ranges, .picker] : [.modifying, .ranges]))
            guard case .identity(let identifier, _) = try await host.ask(.identity) else { return }
            #expect(identifier.rawValue == "org.example.test", "as the hello said")
            #expect(try await items(of: host).map { $0.name?.rawValue } == ["First day", "Welcome.md"])
            let day = try ItemIdentifier("First day")
            #expect(
                try await items(of: host, in: day).map { $0.name?.rawValue } == ["Checklist.txt", "Who is who.csv"])
            #expect(
                try await contents(ItemIdentifier("Welcome.md"), from: host)
                    == "# Welcome to Acme\n\nRead “First day” first.\n"
            )
            #expect(try await contents(ItemIdentifier("First day/Checklist.txt"), from: host).hasPrefix("A key.\n"))
        }
    }

    @Test("PICK-7, PICK-18: the handbook in Python says something to people who choose in it, and has a say in names")
    func pickers() async throws {
        try await Example.python.session { host, _ async throws in
            let picker = ProviderCall.PickerCall(
                session: "one", mode: .export, originalPath: "/home/ada/q3.pdf", originalSize: 1)
            guard case .preparePicker(let presentation) = try await host.ask(.preparePicker(picker)) else {
                Issue.record("no presentation")
                return
            }
            #expect(presentation.message.hasPrefix("Everybody reads"))
            #expect(presentation.sections.map(\.containerID) == [try ItemIdentifier("First day")])
            func choose(_ name: String) async throws -> ProviderReply {
                let choice = PickerChoice.destination(container: .root, name: try ItemName(name), replacing: false)
                return try await host.ask(.validateChoice(choice, picker))
            }
            #expect(try await choose("q3.pdf") == .validateChoice)
            #expect(await code { try await choose(".hidden") } == .notPermitted)
            #expect(try await host.ask(.endPicker(session: "one")) == .endPicker)
        }
    }

    @Test(
        "PROV-7, PROV-12: placeholders are written by the host, in any order and repeatedly",
        arguments: Example.allCases)
    func placeholders(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            let id = try ItemIdentifier("Welcome.md")
            for round in 1...3 {
                _ = try await contents(id, from: host)
                #expect(try await host.ask(.providePlaceholder(id)) == .providePlaceholder)
                #expect(host.placeholders.count == round)
                #expect(try await host.ask(.stopProviding(id)) == .stopProviding)
                #expect(try await host.ask(.itemChanged(id)) == .itemChanged)
            }
            let item = try await host.ask(.item(id))
            #expect(host.placeholders.allSatisfy { .item($0) == item })
        }
    }

    @Test("ID-3: path and identifier are inverse for every listed item", arguments: Example.allCases)
    func mapping(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            var all = try await items(of: host)
            for folder in all where folder.kind == .folder { all += try await items(of: host, in: folder.id) }
            #expect(all.count == 4)
            for item in all {
                let reply = try await host.ask(.pathForIdentifier(item.id))
                guard case .pathForIdentifier(let path?) = reply else {
                    Issue.record("no path for \(item.id)")
                    continue
                }
                #expect(try await host.ask(.identifierForPath(path)) == .identifierForPath(item.id))
            }
            let unknown = try await host.ask(.identifierForPath("nothing/here"))
            #expect(unknown == .identifierForPath(nil))
            #expect(await code { try await host.ask(.item(ItemIdentifier("nothing"))) } == .noSuchItem)
        }
    }

    @Test("a host makes, changes and removes documents", arguments: Example.allCases)
    func modifying(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            try await TemporaryFile.with(contents: "one") { one async throws in
                let creation = ProviderCall.CreateCall(
                    parentID: .root, name: try ItemName("Notes.txt"), kind: .document, contentsPath: one.string,
                    modified: nil, operation: "operation-1"
                )
                guard case .create(let made) = try await host.ask(.create(creation)) else { return }
                #expect(made.size == 3)
                #expect(try await host.ask(.create(creation)) == .create(made), "a repeated create makes nothing new")
                var again = creation
                again.operation = "operation-2"
                #expect(await code { try await host.ask(.create(again)) } == .nameCollision)

                try TemporaryFile.write("three", to: one)
                let change = ProviderCall.ModifyCall(
                    id: made.id, baseVersion: made.version, contentsPath: one.string, operation: "operation-3"
                )
                guard case .modify(let changed) = try await host.ask(.modify(change)) else { return }
                #expect(changed.version.content != made.version.content)
                #expect(try await host.ask(.modify(change)) == .modify(changed), "a repeated change changes nothing")
                #expect(try await contents(made.id, from: host) == "three")

                var late = change
                late.operation = "operation-4"
                #expect(await code { try await host.ask(.modify(late)) } == .versionNoLongerAvailable)
                #expect(try await contents(made.id, from: host) == "three")

                let old = ProviderCall.DeleteCall(
                    id: made.id, baseVersion: made.version, recursive: false, operation: "operation-5"
                )
                #expect(await code { try await host.ask(.delete(old)) } == .versionNoLongerAvailable)
                var deletion = old
                deletion.baseVersion = changed.version
                for _ in 1...2 { #expect(try await host.ask(.delete(deletion)) == .delete) }
                #expect(try await items(of: host).count == 2)
            }
        }
    }

    @Test("a folder with documents in it is removed only with all of them", arguments: Example.allCases)
    func folders(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            let creation = ProviderCall.CreateCall(
                parentID: try ItemIdentifier("First day"), name: try ItemName("Pictures"), kind: .folder,
                contentsPath: nil, modified: nil, operation: "operation-1"
            )
            guard case .create(let made) = try await host.ask(.create(creation)) else { return }
            #expect(made.kind == .folder)
            let day = try ItemIdentifier("First day")
            var deletion = ProviderCall.DeleteCall(
                id: day, baseVersion: .none, recursive: false, operation: "operation-2")
            #expect(await code { try await host.ask(.delete(deletion)) } == .directoryNotEmpty)
            deletion.recursive = true
            #expect(try await host.ask(.delete(deletion)) == .delete)
            #expect(try await items(of: host).map(\.id.rawValue) == ["Welcome.md"])
            #expect(await code { try await host.ask(.item(made.id)) } == .noSuchItem)
        }
    }

    @Test("a cancelled request has one end, and others go on", arguments: Example.allCases)
    func cancelling(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            for _ in 1...20 {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try? await host.ask(.item(.root)) }
                    group.cancelAll()
                }
            }
            #expect(try await items(of: host).count == 2)
        }
    }

    @Test("requests run side by side", arguments: Example.allCases)
    func manyRequests(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            let id = try ItemIdentifier("Welcome.md")
            let expected = try await host.ask(.item(id))
            try await withThrowingTaskGroup(of: ProviderReply.self) { group in
                for _ in 1...300 { group.addTask { try await host.ask(.item(id)) } }
                for try await reply in group { #expect(reply == expected) }
            }
        }
    }

    @Test("what a provider does not know is unimplemented, and the session goes on", arguments: Example.allCases)
    func unknownRequests(_ example: Example) async throws {
        try await example.session { host, _ async throws in
            let unknown = await code {
                try await host.connection.request([0xC2, 0x3E, 0x00], deadline: .total(.seconds(10)))
            }
            #expect(unknown == .unimplemented)
            #expect(await code { try await host.ask(.currentAnchor) } == .unimplemented)
            let unreadable = await code {
                try await host.connection.request([0x0A, 0x05, 1], deadline: .total(.seconds(10)))
            }
            #expect(unreadable == .invalidArgument)
            #expect(try await items(of: host).count == 2)
        }
    }

    @Test("Rule 51: the end of the stream alone ends a provider", arguments: Example.allCases)
    func endOfStream(_ example: Example) async throws {
        try await example.start { child async throws in
            try child.standardInput.close()
            #expect(try await child.exitStatus(within: .seconds(5)) != nil)
            try child.standardOutput.close()
        }
        // Also after the hello, with the other pipe still open.
        try await example.start { child async throws in
            let loop = EventLoop(name: "host")
            defer { loop.shutdown() }
            let end = PipeEnd(reading: child.standardOutput, writing: child.standardInput, loop: loop)
            try await Example.withDomain { domain async throws in
                try await ProviderTestHost.with(end: end, loop: loop, settings: domain) { host async throws in
                    _ = try await items(of: host)
                    host.connection.close(nil)
                }
            }
            #expect(try await child.exitStatus(within: .seconds(5)) == 0, "\(child.errorText())")
        }
    }

    @Test("work that is stuck does not keep a provider alive that has lost its host")
    func stuckWork() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let (contents, pipe) = (folder.appending("contents"), folder.appending("pipe"))
        try TemporaryFile.write(String(repeating: "x", count: 1_000_000), to: contents)
        try #require(mkfifo(pipe.string, 0o600) == 0)
        try await Example.swift.start { child async throws in
            let loop = EventLoop(name: "host")
            defer { loop.shutdown() }
            let end = PipeEnd(reading: child.standardOutput, writing: child.standardInput, loop: loop)
            let reader = try await Example.withDomain { domain async throws in
                try await ProviderTestHost.with(end: end, loop: loop, settings: domain) { host async throws in
                    let creation = ProviderCall.CreateCall(
                        parentID: .root, name: try ItemName("long"), kind: .document, contentsPath: contents.string,
                        modified: nil, operation: "operation"
                    )
                    guard case .create(let item) = try await host.ask(.create(creation)) else { throw Errno.ioError }
                    // A pipe that is never emptied: writing a megabyte to it waits for ever.
                    let reader = try FileDescriptor.open(pipe, .readOnly, options: .nonBlocking)
                    async let stuck = code {
                        try await host.ask(.startProviding(item.id, stagingPath: pipe.string, contentVersion: []))
                    }
                    try await firstByte(of: reader)
                    host.connection.close(nil)
                    #expect(await stuck != nil)
                    return reader
                }
            }
            defer { try? reader.close() }
            let clock = ContinuousClock()
            let began = clock.now
            #expect(try await child.exitStatus(within: .seconds(8)) == 0, "\(child.errorText())")
            #expect(clock.now - began > .seconds(1), "it was stuck, and was given its grace")
        }
    }

    private func firstByte(of reader: FileDescriptor) async throws {
        for _ in 1...2000 {
            let isThere = try? withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
                try reader.read(into: $0) == 1
            }
            if isThere == true { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Errno.timedOut
    }

    @Test("Rule 12: a provider that speaks no version of the host's says so and ends well", arguments: Example.allCases)
    func versions(_ example: Example) async throws {
        try await example.start { child async throws in
            let loop = EventLoop(name: "host")
            defer { loop.shutdown() }
            let end = PipeEnd(reading: child.standardOutput, writing: child.standardInput, loop: loop)
            let refused = await code {
                try await ProviderTestHost.with(
                    end: end, loop: loop, settings: .test(), configure: { $0.versions = [77] }, body: { _ in }
                )
            }
            #expect(refused == .unimplemented)
            #expect(try await child.exitStatus(within: .seconds(5)) == 0, "\(child.errorText())")
        }
    }

    @Test("Rule 50: frames are out of the reach of prints and of children", arguments: Example.allCases)
    func descriptors(_ example: Example) async throws {
        try await example.session { host, child async throws in
            _ = try await host.ask(.identity)
            #expect(try child.target(of: 0) == "/dev/null")
            #expect(try child.target(of: 1) == child.target(of: 2))
            #expect(try child.target(of: 2) == child.standardError.string)
            let open = try child.inheritedDescriptors().map { "\($0) \(try child.target(of: $0))" }
            #expect(open == [])
        }
    }

    @Test("Rule 16: started by hand, it says what it is and how to use it", arguments: Example.allCases)
    func byHand(_ example: Example) async throws {
        try await example.start(environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]) { child async throws in
            #expect(try await child.exitStatus(within: .seconds(10)) == 64)
            let text = child.errorText()
            #expect(text.contains("is a provider for Docent"))
            #expect(text.contains("docent domain add NAME --provider IDENTIFIER"))
        }
    }
}
