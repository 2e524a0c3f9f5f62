import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What the remote's changes ask for in the tree.
extension EmbeddedHostTests {
    @Test("COORD-39: who finds out that what it is at work on is gone waits for its own end with nothing of that")
    func goneUnderOnesOwnHands() async throws {
        try await withHost { host, remote in
            try TemporaryFile.write("here", to: remote.appending("a.txt"))
            let location = try Location("d:/a.txt")
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            try await host.download(location)
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let path = try await host.item(at: location).path
            try FileManager.default.removeItem(atPath: remote.appending("a.txt").string)
            let outcome = try await host.storage.write { try $0.delete([item.id], in: item.domain) }
            try #require(!outcome.work.isEmpty)
            // Once more when it is done already: the item is not known any more then.
            for isKnown in [true, false] {
                try await host.locks.withLock(item.key) { () async throws(DocumentError) in
                    try await host.treeWork.perform(outcome.work)
                }
                guard isKnown else { break }
                for _ in 0..<500 where try host.storage.read({ try $0.item(item.id, in: item.domain) }) != nil {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(try host.storage.read { try $0.item(item.id, in: item.domain) } == nil)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(
        "COORD-3: the name of what the remote has removed is free at once, also while a program reads what it has opened of it; whoever reads by the path is waited for",
        arguments: [true, false])
    func removedWhileRead(isOpened: Bool) async throws {
        try await withHost { host, remote in
            try TemporaryFile.write("here", to: remote.appending("a.txt"))
            let location = try Location("d:/a.txt")
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            try await host.download(location)
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let tool = host.connect(tool: "reader")
            var request = AccessRequest(location: location, intent: .reading)
            if isOpened { request.readingOptions = .asItComes }
            let access = try await host.beginAccess(request, for: tool)
            let file = try FileDescriptor.open(FilePath(access.items[0].path), .readOnly, options: [.closeOnExec])
            // As its provider says.
            let outcome = try await host.storage.write { try $0.delete([item.id], in: item.domain) }
            try #require(!outcome.work.isEmpty)
            try await host.treeWork.perform(outcome.work)
            let isGone = try host.storage.read { try $0.item(item.id, in: item.domain) } == nil
            #expect(isGone == isOpened)
            var buffer: [UInt8] = [0, 0, 0, 0, 0]
            let count = try file.closeAfter { try buffer.withUnsafeMutableBytes { try file.read(into: $0) } }
            #expect(count == 4 && buffer.starts(with: Array("here".utf8)))
            try await host.endAccess(access.number, of: tool)
            for _ in 0..<500 where try host.storage.read({ try $0.item(item.id, in: item.domain) }) != nil {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try host.storage.read { try $0.item(item.id, in: item.domain) } == nil)
            host.disconnect(tool)
        }
    }

    @Test("INV-3: a file that is nobody's, where nobody watches, is told of as soon as the folder around it is gone")
    func leftBehind() async throws {
        try await withHost { host, remote in
            let folder = remote.appending("F")
            try #require(mkdir(folder.string, 0o700) == 0)
            try TemporaryFile.write("there", to: folder.appending("a.txt"))
            for place in ["d:/", "d:/F"] {
                _ = try await host.items(
                    in: Location(place), page: nil, suggestedCount: 10, refreshing: true)
            }
            let stray = FilePath("\(host.rootPath)/documents/d/F/mine.txt")
            try FileManager.default.createDirectory(
                atPath: stray.removingLastComponent().string, withIntermediateDirectories: true)
            try TemporaryFile.write("mine", to: stray)
            try FileManager.default.removeItem(atPath: folder.string)
            func isTold() -> Bool {
                host.findings.contains { $0.contains("\(stray) belongs to no document") }
            }
            for _ in 0..<500 where !isTold() {
                _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(isTold())
            #expect(try TemporaryFile.read(stray) == "mine")
            // Who takes it away hears no more of it.
            try FileManager.default.removeItem(atPath: stray.string)
            #expect(!isTold())
        }
    }
}
