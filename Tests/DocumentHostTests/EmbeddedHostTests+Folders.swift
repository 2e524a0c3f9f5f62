import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentHost

/// Folders that change on the remote while something in them is used here.
extension EmbeddedHostTests {
    @Test(
        "VER-15: what somebody is just making in a folder that is removed on the remote survives, and so does its place",
        arguments: [true, false])
    func madeInWhatIsRemoved(isCreating: Bool) async throws {
        try await withHost { host, remote in
            let folder = remote.appending("f")
            try #require(mkdir(folder.string, 0o700) == 0)
            try TemporaryFile.write("other", to: folder.appending("a.txt"))
            _ = try await host.items(in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: true)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let place = try Location("d:/f/b.txt")
            var request = AccessRequest(location: place, intent: .writing)
            request.isCreating = isCreating
            let access = try await host.beginAccess(request, for: tool)
            try TemporaryFile.write("mine", to: FilePath(access.items[0].path))
            try FileManager.default.removeItem(atPath: folder.string)
            try await host.refresh(Location("d:/"))
            for _ in 0..<100 where try isKnown("d:/f/a.txt", host) { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try !isKnown("d:/f/a.txt", host))
            try await host.endAccess(access.number, of: tool)
            try await host.waitUntilSent(Location("d:/"))
            #expect(try TemporaryFile.read(folder.appending("b.txt")) == "mine")
            #expect(try await host.item(at: place).state == .materialised)
        }
    }

    @Test(
        "VER-15, CONT-12: a folder that is made for what is in it, where something else has its name, is made beside that",
        arguments: [true, false])
    func besideDocument(isMadeHere: Bool) async throws {
        try await withHost { host, remote in
            let folder = remote.appending("f.d")
            if !isMadeHere { try #require(mkdir(folder.string, 0o700) == 0) }
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            try await host.setPaused(true, at: Location("d:/"))
            if isMadeHere { _ = try await host.makeFolder(at: Location("d:/f.d"), atOnce: true) }
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            var request = AccessRequest(location: try Location("d:/f.d/b.txt"), intent: .writing)
            request.isCreating = true
            let access = try await host.beginAccess(request, for: tool)
            try TemporaryFile.write("mine", to: FilePath(access.items[0].path))
            try await host.endAccess(access.number, of: tool)
            if !isMadeHere { try FileManager.default.removeItem(atPath: folder.string) }
            try TemporaryFile.write("theirs", to: folder)
            try await host.refresh(Location("d:/"))
            try await host.setPaused(false, at: Location("d:/"))
            try await host.waitUntilSent(Location("d:/"))
            #expect(try TemporaryFile.read(folder) == "theirs")
            #expect(try TemporaryFile.read(remote.appending("f (folder).d").appending("b.txt")) == "mine")
            try await host.refresh(Location("d:/"))
            #expect(try await host.item(at: Location("d:/f (folder).d/b.txt")).state == .materialised)
            #expect(try await host.item(at: Location("d:/f.d")).item.kind == .document)
            try await host.download(Location("d:/f.d"))
        }
    }

    @Test(
        "VER-15: a folder that was renamed here, and is gone on the remote, does not take along what has left it there")
    func goneWhenRenamed() async throws {
        try await withHost { host, remote in
            let (folder, domain) = (remote.appending("f"), try DomainName("d"))
            try #require(mkdir(folder.string, 0o700) == 0)
            try TemporaryFile.write("text", to: folder.appending("a.txt"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            _ = try await host.items(in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: true)
            try await host.download(Location("d:/f/a.txt"))
            // Nobody hears of what is done there and here.
            let away = FilePath(remote.string + "-away")
            try #require(rename(remote.string, away.string) == 0)
            _ = try await host.rename(Location("d:/f"), to: Location("d:/g"), atOnce: true)
            let left = away.appending("f").appending("a.txt")
            try #require(rename(left.string, away.appending("a.txt").string) == 0)
            try #require(rmdir(away.appending("f").string) == 0)
            try #require(rename(away.string, remote.string) == 0)
            host.resolved(domain)
            for _ in 0..<500 where host.backlog.count(of: domain) > 0 {
                await host.backlog.settle(domain)
                try await Task.sleep(for: .milliseconds(20))
            }
            try await host.refresh(Location("d:/"))
            #expect(try isKnown("d:/a.txt", host) && !isKnown("d:/g", host))
            #expect(try host.trashStatus().documents == 0)
            #expect(try TemporaryFile.read(host.root.tree.path(of: Location("d:/a.txt"))) == "text")
        }
    }

    @Test(
        "DOWN-2: what somebody waits for while it is paused, and is removed on the remote, is waited for no longer",
        arguments: [true, false])
    func removedWhilePaused(isHere: Bool) async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("one", to: file)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            if isHere { try await host.download(location) }
            try await host.setPaused(true, at: location)
            try TemporaryFile.write("two, longer", to: file)
            // Who is told of nothing new reads what is here, and nothing is waited for.
            if isHere { #expect(try await becomes(.outdated, location, host)) }
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            async let reading = code {
                _ = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
            }
            try await untilTold(host, location)
            try FileManager.default.removeItem(atPath: file.string)
            try await host.refresh(Location("d:/"))
            let refusal = await reading
            #expect(refusal == .noSuchItem)
            for _ in 0..<200 where try isKnown("d:/a.txt", host) { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try !isKnown("d:/a.txt", host))
            #expect(!FileManager.default.fileExists(atPath: host.root.tree.path(of: location).string))
        }
    }

    @Test(
        "VER-15: a conflict whose other side goes from the remote, with the folder around it or alone, ends; the edit survives",
        arguments: [true, false])
    func removedInConflict(withFolder: Bool) async throws {
        try await withHost { host, remote in
            let folder = remote.appending("f")
            try #require(mkdir(folder.string, 0o700) == 0)
            let (file, location) = (folder.appending("a.txt"), try Location("d:/f/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try TemporaryFile.write("mine", to: FilePath(access.items[0].path))
            try TemporaryFile.write("theirs, longer", to: file)
            try await host.endAccess(access.number, of: tool)
            let refusal = await code { try await host.waitUntilSent(location) }
            #expect(refusal == .inConflict)
            try FileManager.default.removeItem(atPath: withFolder ? folder.string : file.string)
            try await host.refresh(Location("d:/"))
            if !withFolder { try await host.refresh(Location("d:/f")) }
            for _ in 0..<500 where !FileManager.default.fileExists(atPath: file.string) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try TemporaryFile.read(file) == "mine")
            try await host.waitUntilSent(Location("d:/"))
            #expect(try await host.item(at: location).state == .materialised)
            let older = try await host.versions(at: location).filter { $0.kind == .older }.compactMap(\.path)
            #expect(try older.map { try TemporaryFile.read(FilePath($0)) }.contains("theirs, longer"))
        }
    }

    @Test("VER-5: a conflict whose file a program has removed ends when somebody resolves it: the other side is left")
    func conflictWithoutFile() async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            let path = FilePath(access.items[0].path)
            try TemporaryFile.write("mine", to: path)
            try TemporaryFile.write("theirs, longer", to: file)
            try await host.endAccess(access.number, of: tool)
            let conflict = await code { try await host.waitUntilSent(location) }
            #expect(conflict == .inConflict)
            try FileManager.default.removeItem(atPath: path.string)
            let refusal = await code { try await host.resolveConflict(at: location, keeping: .both) }
            // Whether the host has heard of it already or not.
            #expect(refusal == .noSuchItem || refusal == .versionNoLongerAvailable)
            try await host.waitUntilSent(Location("d:/"))
            try await host.resolveConflict(at: location, keeping: .both)
            try await host.download(location)
            #expect(try TemporaryFile.read(path) == "theirs, longer")
        }
    }

    @Test("VER-5: a conflict whose file a program has just renamed is resolved with that, under its new name")
    func conflictWithRenamedFile() async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            let path = FilePath(access.items[0].path)
            try TemporaryFile.write("mine", to: path)
            try TemporaryFile.write("theirs, longer", to: file)
            try await host.endAccess(access.number, of: tool)
            let conflict = await code { try await host.waitUntilSent(location) }
            #expect(conflict == .inConflict)
            try FileManager.default.moveItem(
                atPath: path.string, toPath: path.removingLastComponent().appending("b.txt").string)
            var isResolved = false
            for _ in 0..<200 where !isResolved {
                // Where it is by now.
                for place in [location, try Location("d:/b.txt")] where !isResolved {
                    isResolved = await code { try await host.resolveConflict(at: place, keeping: .local) } == nil
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(isResolved)
            try await host.waitUntilSent(Location("d:/"))
            #expect(try TemporaryFile.read(remote.appending("b.txt")) == "mine")
        }
    }

    /// A host with “d:/a.txt”, which is “mine” here and “theirs, longer” on the remote.
    private func whileInConflict(_ body: (DocumentHost, Location) async throws -> Void) async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try TemporaryFile.write("mine", to: FilePath(access.items[0].path))
            try TemporaryFile.write("theirs, longer", to: file)
            try await host.endAccess(access.number, of: tool)
            let conflict = await code { try await host.waitUntilSent(location) }
            #expect(conflict == .inConflict)
            try await body(host, location)
        }
    }

    @Test(
        "VER-5: a conflict is ended when nobody else works on its document, whichever side stays",
        arguments: [true, false])
    func resolvedInTurn(keepsLocal: Bool) async throws {
        try await whileInConflict { host, location in
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            async let resolved = code {
                try await host.resolveConflict(at: location, keeping: keepsLocal ? .local : .remote)
            }
            try await host.locks.withLock(item.key) { () async throws(DocumentError) in
                for _ in 0..<50 where !host.locks.isAwaited(item.key) {
                    try? await Task.sleep(for: .milliseconds(20))
                }
                let state = try host.storage.read { try $0.item(at: location)?.state }
                #expect(state == .conflict)
            }
            #expect(await resolved == nil)
            try await host.waitUntilSent(location)
            let contents = keepsLocal ? "mine" : "theirs, longer"
            #expect(try TemporaryFile.read(host.root.tree.path(of: location)) == contents)
        }
    }

    @Test(
        "VER-5: who is to end a conflict that somebody else has ended meanwhile is told so, and where the other contents are",
        arguments: [ConflictResolution.local, .both])
    func endedMeanwhile(choice: ConflictResolution) async throws {
        try await whileInConflict { host, location in
            let tool = host.connect(tool: "reader")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
            func untilWaiting(_ count: Int) async throws {
                for _ in 0..<500 where host.broker.explanations.count < count {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(host.broker.explanations.count >= count)
            }
            async let first = code { try await host.resolveConflict(at: location, keeping: .remote) }
            try await untilWaiting(1)
            async let second = code { try await host.resolveConflict(at: location, keeping: choice) }
            try await untilWaiting(2)
            try await host.endAccess(access.number, of: tool)
            #expect(await first == nil)
            #expect(await second == .versionNoLongerAvailable)
            let older = try await host.versions(at: location).filter { $0.kind == .older }.compactMap(\.path)
            #expect(try older.map { try TemporaryFile.read(FilePath($0)) }.contains("mine"))
        }
    }

    @Test(
        "VER-5: who ends a conflict, brings, looks at and moves its document at the same time waits for nobody for good"
    )
    func resolvedAmongOthers() async throws {
        try await whileInConflict { host, location in
            let other = try Location("d:/b.txt")
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = await code { try await host.resolveConflict(at: location, keeping: .remote) } }
                group.addTask { _ = await code { _ = try await host.rename(location, to: other) } }
                for place in [location, other] {
                    for _ in 0..<8 {
                        group.addTask { _ = await code { try await host.download(place) } }
                        group.addTask { _ = await code { try await host.waitUntilSent(place) } }
                    }
                }
            }
            var place = location
            for each in [location, other] where try host.storage.read({ try $0.item(at: each)?.exists }) == true {
                place = each
            }
            if try await host.item(at: place).state == .conflict {
                try await host.resolveConflict(at: place, keeping: .remote)
            }
            try await host.download(place)
            #expect(try TemporaryFile.read(host.root.tree.path(of: place)) == "theirs, longer")
        }
    }

    private func isKnown(_ location: String, _ host: DocumentHost) throws -> Bool {
        try host.storage.read { try $0.item(at: Location(location)) } != nil
    }
}
