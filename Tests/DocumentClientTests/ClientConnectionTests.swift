import DocumentClient
import DocumentModel
import DocumentTestSupport
import DocumentWire
import Glibc
import SystemPackage
import Testing

/// Reaching the host, and losing it.
struct ClientConnectionTests {
    @Test func pagesAreAskedForWhenTheyAreNeeded() async throws {
        let folder = try Location("work:/")
        let token = try PageToken([7])
        try await FakeHost.serving({ call in
            guard case .listItems(_, let page, _, _, _) = call else { throw DocumentError(.unimplemented, "No.") }
            if page == nil {
                return .listItems(
                    ItemStatusPage(items: [try someItem("work:/a"), try someItem("work:/b")], next: token))
            }
            return .listItems(ItemStatusPage(items: [try someItem("work:/c")]))
        }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                var names: [String] = []
                for try await item in client.items(in: folder, refresh: true) {
                    names.append(item.location.relativePath)
                    #expect(host.calls.count == (names.count < 3 ? 1 : 2))
                }
                #expect(names == ["a", "b", "c"])
            }
            #expect(
                host.calls == [
                    .listItems(folder, page: nil, suggestedCount: 500, refresh: true),
                    .listItems(folder, page: token, suggestedCount: 500, refresh: false),
                ])
        }
    }

    @Test func aHostThatDiesWhileItIsAskedIsAClearError() async throws {
        let location = try Location("work:/a")
        let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
        try await FakeHost.serving({ _ in
            asked.finish()
            try await Task.sleep(for: .seconds(3_600))
            return .done
        }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                async let download: Void = client.download(location)
                for await _ in isAsked {}
                host.die()
                do {
                    try await download
                    Issue.record("It succeeded")
                } catch let error as DocumentError {
                    #expect(error.code == .hostUnavailable)
                    #expect(
                        error.message.hasPrefix(
                            "The host ended while it was asked. Edits that were acknowledged are safe"))
                }
            }
        }
    }

    @Test func anErrorOfTheHostArrivesWithItsCodeTextsAndCauses() async throws {
        let refusal = DocumentError(
            .insufficientQuota, "work is full: remove something.", detail: "507", causes: ["The server said no."])
        try await FakeHost.serving({ _ in throw refusal }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let error = await #expect(throws: DocumentError.self) { _ = try await client.domains() }
                #expect(error == refusal)
            }
        }
    }

    @Test func aHostThatAnswersSomethingElseIsAnError() async throws {
        try await FakeHost.serving({ _ in .done }) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let error = await #expect(throws: DocumentError.self) { _ = try await client.domains() }
                #expect(error?.code == .protocolViolation)
            }
        }
    }

    @Test func withoutAHostThereIsAnErrorThatSaysHowToStartOne() async throws {
        let address = try HostAddress(root: "/nowhere", socket: "/tmp/docent-no-such-socket")
        let error = await #expect(throws: DocumentError.self) {
            try await withDocumentClient(tool: "test", address: address, start: .never) { _ in }
        }
        #expect(error?.code == .hostUnavailable)
        #expect(error?.message == "No host runs for /nowhere: “docent host start” starts one.")
    }

    @Test func aHostThatDoesNotComeUpIsToldWithWhatItsLogSays() async throws {
        let folder = try TemporaryFolder.make("start")
        let (root, program) = (folder.appending("root"), folder.appending("broken"))
        defer {
            for name in [root.appending(".docent/host.log"), program] { unlink(name.string) }
            for name in [root.appending(".docent"), root, folder] { rmdir(name.string) }
        }
        let file = try FileDescriptor.open(program, .writeOnly, options: .create, permissions: .ownerReadWriteExecute)
        try file.closeAfter {
            _ = try file.writeAll("#!/bin/sh\necho 'no index today: DOCENT_ROOT='$DOCENT_ROOT\nexit 3\n".utf8)
        }
        let address = try HostAddress(root: root.string, socket: folder.appending("s").string)
        let error = await #expect(throws: DocumentError.self) {
            try await withDocumentClient(tool: "test", address: address, start: .ifNeeded(executable: program)) { _ in }
        }
        #expect(error?.code == .hostUnavailable)
        #expect(error?.causes == ["no index today: DOCENT_ROOT=\(root)"])
        var status = stat()
        #expect(stat(address.root + "/.docent/host.log", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func aProgramThatCannotBeRunIsNamed() async throws {
        let folder = try TemporaryFolder.make("start")
        defer {
            unlink(folder.appending(".docent/host.log").string)
            for name in [folder.appending(".docent"), folder] { rmdir(name.string) }
        }
        let address = try HostAddress(root: folder.string, socket: folder.appending("s").string)
        let error = await #expect(throws: DocumentError.self) {
            try await withDocumentClient(
                tool: "test", address: address, start: .ifNeeded(executable: "/nowhere/docentd")
            ) { _ in }
        }
        #expect(
            error?.message.hasPrefix("The host /nowhere/docentd cannot be started (No such file or directory)") == true)
    }
}
