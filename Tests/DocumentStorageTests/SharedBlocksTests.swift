import DocumentModel
import DocumentTestSupport
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// On a file system that can have files share their blocks: what is kept of a document costs nothing. Needs root, for a disk of its
/// own; elsewhere there is nothing to be shared.
@Suite(.enabled(if: geteuid() == 0, "only root can mount a disk for it"))
struct SharedBlocksTests {
    /// A Btrfs on a file, mounted for as long as a body runs.
    private static func withDisk(_ body: (FilePath) throws -> Void) throws {
        let folder = try TemporaryFolder.make("disk")
        defer { TemporaryFolder.remove(folder) }
        let (image, place) = (folder.appending("image"), folder.appending("disk"))
        try run("truncate", "--size=256M", image.string)
        try run("mkfs.btrfs", "--quiet", image.string)
        try run("mkdir", place.string)
        try run("mount", "--options", "loop", image.string, place.string)
        defer { #expect(throws: Never.self) { try run("umount", place.string) } }
        try body(place)
    }

    @discardableResult
    private static func run(_ command: String...) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command)")
        return text
    }

    /// Whether all of a file's extents are another file's, too.
    private static func isShared(_ path: FilePath) throws -> Bool {
        try run("sync", "--file-system", path.string)
        // One line for each: its number, where it is, and what it is like.
        let extents = try run("filefrag", "-v", path.string).split(separator: "\n")
            .filter { $0.split(separator: ":").first.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } != nil }
        try #require(!extents.isEmpty)
        return extents.allSatisfy { $0.contains("shared") }
    }

    private static let contents = String(repeating: "what an edit begins from\n", count: 40_000)

    @Test(
        "VER-13: the base of an edit and what is sent share their blocks with the document, where the file system can")
    func shared() throws {
        try Self.withDisk { place in
            let storage = try StorageFixture(in: place.string)
            let item = try storage.item("a", "a.txt", contents: Self.contents)
            try storage.tell(item)
            try storage.provide(item, Self.contents)
            let document = storage.tree.path(of: try storage.location("a.txt"))
            #expect(try !Self.isShared(document))

            let change = try storage.store.expectChange(of: item.id, in: storage.domain)
            let kept = try #require(
                try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.first)
            let base = storage.root.versions.path(of: kept.kept)
            #expect(kept.role == .base)
            #expect(try Self.isShared(base) && Self.isShared(document))

            // What is written is the document's alone; the base is as it was.
            let file = try FileDescriptor.open(document, .writeOnly, options: .append)
            try file.closeAfter { _ = try file.writeAll("changed".utf8) }
            _ = try storage.store.recordChange(change)
            #expect(try storage.read(base) == Self.contents)

            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            #expect(try Self.isShared(sending.snapshot.path))
            #expect(try storage.read(sending.snapshot.path) == Self.contents + "changed")
        }
    }
}
