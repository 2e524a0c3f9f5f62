import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What is told of downloads that have failed.
extension EmbeddedHostTests {
    @Test("That the remote could not be reached is told until it can be, and no longer, when nobody waits any more")
    func failureIsOver() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/a.txt")
            try TemporaryFile.write("one", to: remote.appending("a.txt"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            try #require(rename(remote.string, remote.string + "-away") == 0)
            let failure = await #expect(throws: DocumentError.self) { try await host.download(location) }
            #expect(failure?.code == .serverUnreachable)
            var told = try await host.status()
            #expect(told.items.map(\.problem?.code) == [.serverUnreachable])
            try #require(rename(remote.string + "-away", remote.string) == 0)
            for _ in 0..<1_000 where told.items.first?.problem != nil {
                try? await host.refresh(Location("d:/"))
                told = try await host.status()
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(told.items.isEmpty)
            let named = try await host.status(below: location).items
            #expect(named.map(\.problem) == [nil])
        }
    }

    @Test(
        "CONT-7, XFER-8: a folder that was made here and cannot be made on the remote is told of, with why and what would end that, until it is there"
    )
    func folderThatCannotBeMade() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/made")
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            try #require(rename(remote.string, remote.string + "-away") == 0)
            _ = try await host.makeFolder(at: location, atOnce: true)
            var told = try await host.status()
            for _ in 0..<1_000 where told.items.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
                told = try await host.status()
            }
            let folder = try #require(told.items.first)
            #expect(folder.location == location && folder.item.kind == .folder)
            #expect(folder.problem?.code == .serverUnreachable)
            #expect(folder.transfers.upload?.wait == .remote && folder.transfers.download == nil)
            #expect(told.transfers.failed == 1 && told.domains.map(\.unsent) == [1])
            #expect(try host.preview(below: location).steps.map(\.wait) == [.remote])
            try #require(rename(remote.string + "-away", remote.string) == 0)
            for _ in 0..<1_000 where !told.items.isEmpty {
                // As when the provider says that it is resolved.
                try host.sender.enqueueAll(of: location.domain)
                try await Task.sleep(for: .milliseconds(20))
                told = try await host.status()
            }
            #expect(told.items.isEmpty && told.transfers.isEmpty && told.domains.map(\.unsent) == [0])
            #expect(access(remote.appending("made").string, F_OK) == 0)
        }
    }

    @Test("XFER-8: a document that is not sent because a folder around it cannot be made says so, until that is there")
    func documentInFolderThatCannotBeMade() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/made/a.txt")
            let source = remote.removingLastComponent().appending("made")
            try #require(mkdir(source.string, 0o700) == 0)
            try TemporaryFile.write("one", to: source.appending("a.txt"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            try #require(rename(remote.string, remote.string + "-away") == 0)
            _ = try await host.moveIn(source, to: try Location("d:/made"))
            var told = try await host.status(below: location).items.first
            for _ in 0..<1_000 where told?.problem == nil {
                try await Task.sleep(for: .milliseconds(10))
                told = try await host.status(below: location).items.first
            }
            #expect(told?.problem?.code == .serverUnreachable && told?.location == location)
            #expect(told?.transfers.upload?.wait == .remote && told?.transfers.upload?.problem == told?.problem)
            try #require(rename(remote.string + "-away", remote.string) == 0)
            for _ in 0..<1_000 where told?.state != .materialised {
                try host.sender.enqueueAll(of: location.domain)
                try await Task.sleep(for: .milliseconds(20))
                told = try await host.status(below: location).items.first
            }
            #expect(told?.problem == nil && told?.transfers == ItemTransfers())
            #expect(try TemporaryFile.read(remote.appending("made/a.txt")) == "one")
        }
    }

    @Test("PROV-21, XFER-8: that a remote cannot be asked is told with its domain, also where nothing waits for it")
    func remoteThatCannotBeAsked() async throws {
        try await withHost { host, remote in
            let top = try Location("d:/")
            try TemporaryFile.write("one", to: remote.appending("a.txt"))
            _ = try await host.items(in: top, page: nil, suggestedCount: 10, refreshing: false)
            func problem() async throws -> DocumentError? { try await host.status().domains.first?.domain.problem }
            #expect(try await problem() == nil)
            try #require(rename(remote.string, remote.string + "-away") == 0)
            await #expect(throws: DocumentError.self) { try await host.refresh(top) }
            let told = try #require(try await problem())
            #expect(told.code == .serverUnreachable && told.message.contains("docent refresh d:/"))
            #expect(!told.causes.isEmpty)
            try #require(rename(remote.string + "-away", remote.string) == 0)
            for _ in 0..<1_000 {
                try? await host.refresh(top)
                if try await problem() == nil { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await problem() == nil)
        }
    }

    @Test("CONT-7: what of a folder stays in its old place is told of, also when all is sent, until nothing is there")
    func stayingSource() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/moved")
            let source = remote.removingLastComponent().appending("moved")
            try #require(mkdir(source.string, 0o700) == 0)
            let file = source.appending("a.txt")
            try TemporaryFile.write("one", to: file)
            let writer = try FileDescriptor.open(file, .writeOnly, options: [.append, .closeOnExec])
            _ = try await host.moveIn(source, to: location)
            try writer.close()
            for _ in 0..<1_000 where access(remote.appending("moved/a.txt").string, F_OK) != 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            var told = try await host.status()
            for _ in 0..<1_000 where told.items.count != 1 {
                try await Task.sleep(for: .milliseconds(10))
                told = try await host.status()
            }
            let folder = try #require(told.items.first)
            #expect(folder.location == location && folder.item.kind == .folder)
            #expect(folder.problem?.code == .unsyncedEdits)
            #expect(folder.problem?.message.hasPrefix(file.string) == true)
            #expect(try await host.status(below: location).items.map(\.location) == [location])
            try #require(unlink(file.string) == 0)
            for _ in 0..<1_000 where !told.items.isEmpty {
                told = try await host.status()
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(told.items.isEmpty)
        }
    }
}
