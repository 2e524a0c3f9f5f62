import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentClient

/// PICK-1: the copy is the tool's own; it is whole or not there, and replaces nothing unasked.
final class LocalCopyTests {
    private let folder: FilePath

    init() throws {
        folder = try TemporaryFolder.make("copy")
    }

    deinit {
        for name in (try? entries()) ?? [] { unlink(folder.appending(name).string) }
        rmdir(folder.string)
    }

    private func entries() throws -> [String] {
        let directory = try #require(opendir(folder.string))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private func write(_ text: String, to name: String) throws {
        let file = try FileDescriptor.open(
            folder.appending(name), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(Array(text.utf8)) }
    }

    private func read(_ name: String) throws -> String {
        let file = try FileDescriptor.open(folder.appending(name), .readOnly)
        return try file.closeAfter {
            try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer in
                let count = try file.read(into: buffer)
                return String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }

    private func copy(
        _ source: String, _ mode: FileDescriptor.AccessMode = .readOnly, replacing: Bool = false
    ) async throws {
        let contents = try FileDescriptor.open(folder.appending(source), mode)
        defer { try? contents.close() }
        try await LocalCopy.make(of: contents, at: folder.appending("copy"), replacing: replacing)
    }

    @Test("PICK-1: the copy holds what the document held, and nothing else is left behind")
    func copies() async throws {
        try write("contents", to: "source")
        try await copy("source")
        #expect(try read("copy") == "contents")
        #expect(try entries() == ["copy", "source"])
    }

    @Test("PICK-1: a file that is there is not replaced unless it was asked for")
    func doesNotReplace() async throws {
        try write("new", to: "source")
        try write("old", to: "copy")
        let destination = folder.appending("copy")
        let early = #expect(throws: DocumentError.self) { try LocalCopy.check(destination, replacing: false) }
        #expect(early?.code == .destinationExists)
        // Also when it appears between the check and the copy.
        let late = await #expect(throws: DocumentError.self) {
            try await self.copy("source")
        }
        #expect(late?.code == .destinationExists)
        #expect(try read("copy") == "old")
        #expect(try entries() == ["copy", "source"])

        try LocalCopy.check(destination, replacing: true)
        try await copy("source", replacing: true)
        #expect(try read("copy") == "new")
    }

    @Test func aFolderIsNoDestinationAndAMissingFolderIsNamed() throws {
        let isFolder = #expect(throws: DocumentError.self) { try LocalCopy.check(self.folder, replacing: true) }
        #expect(isFolder?.message == "\(folder) is a folder: name the file that the copy will be.")
        let missing = #expect(throws: DocumentError.self) {
            try LocalCopy.check(self.folder.appending("no/copy"), replacing: false)
        }
        #expect(missing?.code == .noSuchItem)
    }

    @Test func whatCannotBeReadIsAnErrorAndLeavesNothing() async throws {
        try write("contents", to: "source")
        await #expect(throws: DocumentError.self) { try await self.copy("source", .writeOnly) }
        #expect(try entries() == ["source"])
    }
}
