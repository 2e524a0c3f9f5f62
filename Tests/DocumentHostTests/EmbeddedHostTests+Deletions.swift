import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentHost

/// Whether deletions of much are meant (CONT-13).
extension EmbeddedHostTests {
    @Test("CONT-13: what waits in a folder that is not shown because of its name is told of, and can be answered for")
    func heldInHiddenFolder() async throws {
        try await withHost { host, remote in
            for name in ["f", "g"] {
                let folder = remote.appending(name)
                try #require(mkdir(folder.string, 0o700) == 0)
                for file in ["x.txt", "y.txt", "z.txt"] { try TemporaryFile.write(file, to: folder.appending(file)) }
                _ = try await host.items(in: Location("d:/\(name)"), page: nil, suggestedCount: 10, refreshing: true)
            }
            let domain = try DomainName("d")
            try await host.setRules(DomainRuleChange(deletionMinimum: 2, deletionPercent: 1), of: domain)
            try #require(rename(remote.appending("g").string, remote.appending("F").string) == 0)
            for _ in 0..<200 where try host.storage.read({ try $0.item(at: Location("d:/g")) }) != nil {
                try await host.refresh(Location("d:/"))
                try await Task.sleep(for: .milliseconds(20))
            }
            for file in ["x.txt", "y.txt"] {
                try FileManager.default.removeItem(atPath: remote.appending("F").appending(file).string)
            }
            try await host.refresh(Location("d:/"))
            for _ in 0..<200 where try host.deletions.held(in: domain).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try host.deletions.held(in: domain).map(\.items) == [2])
            try await host.answerDeletions(of: domain, carryOut: true)
            #expect(try host.deletions.held(in: domain).isEmpty)
        }
    }

    @Test("CONT-13: a removal for which others were waited for in vain counts for nothing")
    func inVain() async throws {
        try await withHost(claimPatience: .milliseconds(50)) { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("one", to: file)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
            func counts() throws -> [Int] {
                try host.storage.read { try $0.removalWatch(of: .asked, in: location.domain).recent }.map(\.count)
            }
            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(location, recursive: false, discardingUnsent: false, atOnce: true)
            }
            #expect(error?.code == .busy)
            #expect(try counts() == [])
            try await host.endAccess(access.number, of: tool)
            try await host.remove(location, recursive: false, discardingUnsent: false, atOnce: true)
            #expect(try counts() == [1])
        }
    }

    /// Makes a folder of the remote with files in it, and has the host know of all that.
    private func makeFolder(
        _ path: String, of files: [String], _ host: DocumentHost, _ remote: FilePath
    ) async throws {
        let folder = remote.appending(path)
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        for file in files { try TemporaryFile.write(file, to: folder.appending(file)) }
        var place = Location(domain: try DomainName("d"))
        for part in path.split(separator: "/") {
            _ = try await host.items(in: place, page: nil, suggestedCount: 10, refreshing: true)
            place = place.appending(try ItemName(String(part)))
        }
        _ = try await host.items(in: place, page: nil, suggestedCount: 10, refreshing: true)
    }

    @Test("CONT-13: a yes to the removal of a folder covers what there was when that was asked for, the next the rest")
    func yesCoversWhatWasAskedFor() async throws {
        try await withHost { host, remote in
            let names = ["x.txt", "y.txt", "z.txt"]
            try await makeFolder("f", of: names, host, remote)
            let domain = try DomainName("d")
            try await host.setRules(DomainRuleChange(deletionMinimum: 2, deletionPercent: 1), of: domain)
            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(Location("d:/f"), recursive: true, discardingUnsent: false, atOnce: false)
            }
            #expect(error?.code == .deletionRejected)
            let folder = remote.appending("f")
            try TemporaryFile.write("changed since", to: folder.appending("x.txt"))
            try TemporaryFile.write("put there since", to: folder.appending("new.txt"))
            _ = try await host.items(in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: true)

            await #expect(throws: DocumentError.self) { try await host.answerDeletions(of: domain, carryOut: true) }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.string).filter { !$0.hasPrefix(".") }
            #expect(left.sorted() == ["new.txt", "x.txt"])
            #expect(try host.deletions.held(in: domain).map(\.items) == [3])

            try await host.answerDeletions(of: domain, carryOut: true)
            #expect(!FileManager.default.fileExists(atPath: folder.string))
            #expect(try host.deletions.held(in: domain).isEmpty)
        }
    }

    @Test("CONT-13: a yes to the removal of a document covers the version that it had when that was asked for")
    func yesCoversTheVersion() async throws {
        try await withHost { host, remote in
            try await makeFolder("f", of: ["x.txt", "y.txt"], host, remote)
            let domain = try DomainName("d")
            try await host.setRules(DomainRuleChange(deletionMinimum: 1, deletionPercent: 1), of: domain)
            await #expect(throws: DocumentError.self) {
                try await host.remove(Location("d:/f/x.txt"), recursive: false, discardingUnsent: false, atOnce: false)
            }
            let file = remote.appending("f").appending("x.txt")
            try TemporaryFile.write("changed since", to: file)
            _ = try await host.items(in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: true)

            let error = await #expect(throws: DocumentError.self) {
                try await host.answerDeletions(of: domain, carryOut: true)
            }
            #expect(error?.code == .versionNoLongerAvailable)
            #expect(try String(contentsOfFile: file.string, encoding: .utf8) == "changed since")
            try await host.answerDeletions(of: domain, carryOut: true)
            #expect(!FileManager.default.fileExists(atPath: file.string))
        }
    }

    @Test("VER-15: what is in a folder that is not shown because of its name is removed with no folder around it")
    func hiddenInsideStays() async throws {
        try await withHost { host, remote in
            try await makeFolder("f/G", of: ["shown.txt"], host, remote)
            let hidden = remote.appending("f").appending("g")
            try #require(mkdir(hidden.string, 0o700) == 0)
            try TemporaryFile.write("nobody was shown this", to: hidden.appending("hidden.txt"))
            _ = try await host.items(in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: true)

            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(Location("d:/f"), recursive: true, discardingUnsent: false, atOnce: false)
            }
            #expect(error?.code == .nameClash)
            #expect(FileManager.default.fileExists(atPath: hidden.appending("hidden.txt").string))
            #expect(!FileManager.default.fileExists(atPath: remote.appending("f/G/shown.txt").string))
        }
    }

    /// A host that knows packages of three parts each, and asks from three deletions on.
    private func withPackages(
        _ names: [String], _ body: (DocumentHost, FilePath, DomainName) async throws -> Void
    ) async throws {
        try await withHost { host, remote in
            for name in names {
                let folder = remote.appending(name)
                try #require(mkdir(folder.string, 0o700) == 0)
                for part in ["a", "b", "c"] { try TemporaryFile.write("first", to: folder.appending(part)) }
                _ = try await host.items(in: Location("d:/\(name)"), page: nil, suggestedCount: 10, refreshing: true)
            }
            let domain = try DomainName("d")
            try await host.setRules(DomainRuleChange(deletionMinimum: 3, deletionPercent: 10), of: domain)
            try await body(host, remote, domain)
        }
    }

    private func names(in folder: String, _ host: DocumentHost) async throws -> Set<String> {
        try await host.refresh(Location(folder))
        let page = try await host.items(in: Location(folder), page: nil, suggestedCount: 20, refreshing: false)
        return Set(page.items.compactMap { $0.item.name?.rawValue })
    }

    @Test("CONT-13: a package that is saved elsewhere again and again, with other parts each time, needs no yes here")
    func savedElsewhere() async throws {
        try await withPackages(["n.rtfd"]) { host, remote, domain in
            let folder = remote.appending("n.rtfd")
            for number in 1...4 {
                for part in try FileManager.default.contentsOfDirectory(atPath: folder.string) where part != "c" {
                    try FileManager.default.removeItem(atPath: folder.appending(part).string)
                }
                let parts = Set(["c", "a\(number)", "b\(number)"])
                for part in parts where part != "c" { try TemporaryFile.write("\(number)", to: folder.appending(part)) }
                var known: Set<String> = []
                for _ in 0..<200 where known != parts {
                    known = try await names(in: "d:/n.rtfd", host)
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(known == parts)
                #expect(try host.deletions.held(in: domain).isEmpty)
            }
        }
    }

    @Test("CONT-13: packages that go elsewhere part by part are as many deletions as when they go at once")
    func goneElsewherePartByPart() async throws {
        let packages = (1...4).map { "p\($0).rtfd" }
        try await withPackages(packages) { host, remote, domain in
            for package in packages {
                let folder = remote.appending(package)
                for part in ["a", "b", "c", nil] {
                    let path = part.map { folder.appending($0) } ?? folder
                    try FileManager.default.removeItem(atPath: path.string)
                    try await host.refresh(Location("d:/"))
                    _ = await code { try await host.refresh(Location("d:/\(package)")) }
                }
            }
            for _ in 0..<200 where try host.deletions.held(in: domain).isEmpty {
                try await host.refresh(Location("d:/"))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try host.deletions.held(in: domain).count == 1)
            for package in packages.dropFirst() {
                let places = try ["a", "b", "c"].map { try Location("d:/\(package)/\($0)") }
                #expect(try host.storage.read { index in try places.allSatisfy { try index.item(at: $0) != nil } })
            }
        }
    }

    @Test("INV-1: what somebody makes in a new folder while its removal waits for them is not removed with it")
    func madeWhileRemovalWaits() async throws {
        try await withHost { host, _ in
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            try await host.setPaused(true, at: Location("d:/"))
            let (folder, place) = (try Location("d:/f"), try Location("d:/f/new.txt"))
            _ = try await host.makeFolder(at: folder, atOnce: true)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: place, intent: .writing), for: tool)
            async let removal: DocumentError? = {
                do throws(DocumentError) {
                    try await host.remove(folder, recursive: true, discardingUnsent: false, atOnce: false)
                    return nil
                } catch {
                    return error
                }
            }()
            try await Task.sleep(for: .milliseconds(200))
            try TemporaryFile.write("mine", to: FilePath(access.items[0].path))
            try await host.endAccess(access.number, of: tool)
            #expect(await removal?.code == .unsyncedEdits)
            #expect(try TemporaryFile.read(FilePath(access.items[0].path)) == "mine")
            #expect(try await host.item(at: place).state == .changed)
        }
    }
}
