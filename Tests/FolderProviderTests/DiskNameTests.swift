import DocumentModel
import DocumentProvider
import Testing

@testable import FolderProvider

@Suite("Names on the disk")
struct DiskNameTests {
    private func shown(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBufferPointer { EntryName(onDisk: $0)?.rawValue }
    }

    private func bytes(_ name: String) -> [UInt8] {
        DiskName.path(name).dropLast().map { UInt8(bitPattern: $0) }
    }

    @Test(
        "A name that no item may have is shown by one that looks like it; others are themselves",
        arguments: [
            ("two\nlines", "two␊lines"), ("a\tb", "a␉b"), ("plain", "plain"), ("日本", "日本"), ("a∕b", "a∕b"),
            ("\u{201B}41", "\u{201B}41"), ("a␊b", "a\u{201B}␊b"), ("␀", "␀"), ("a∕\n", "a\u{201B}∕␊"),
            ("\u{201B}∕", "\u{201B}∕"),
        ])
    func pictures(name: String, expected: String) {
        #expect(shown(Array(name.utf8)) == expected)
    }

    @Test("What is no text is shown by its bytes, and what is called by a name of ours is not shown")
    func noText() {
        #expect(shown([0x66, 0xFC, 0x72]) == "f\u{201B}FCr")
        #expect(shown(Array(".docent-placeholders".utf8)) == nil)
    }

    @Test("Each name comes back from what it is shown by, and no two are shown by the same")
    func reversible() {
        let pieces: [[UInt8]] = [
            [0x0A], [0x7F], [0xFF], [0x9B], [0xE2], [0xE2, 0x80], Array("\u{201B}".utf8), Array("∕".utf8),
            Array("␊".utf8), Array("␡".utf8), Array("FF".utf8), Array("a".utf8), Array("\u{85}".utf8),
        ]
        var names: Set<[UInt8]> = []
        for first in pieces {
            for second in pieces { for third in pieces { names.insert(first + second + third) } }
        }
        var all: Set<[UInt8]> = []
        for name in names {
            guard let shown = shown(name) else {
                Issue.record("\(name) is not shown")
                continue
            }
            #expect(bytes(shown) == name)
            #expect(EntryName(written: shown)?.rawValue == shown)
            all.insert(Array(shown.utf8))
        }
        #expect(all.count == names.count)
    }

    @Test(
        "What an item is called is the name on the disk of one file, and of no other",
        arguments: ["∕x", "‛∕x", "‛‛∕x"])
    func oneFile(_ name: String) async throws {
        let fixture = try FolderFixture()
        let provider = try await fixture.provider()
        let made = try await provider.create(name, try fixture.contents("x"))
        let listed = try await provider.list()
        #expect(listed == [made] && made.name?.rawValue == name)
        #expect(try fixture.names().count == 1)
    }

    @Test("Names on the way to an item come back each, also where one begins with a mark that joins what is before it")
    func joined() {
        #expect(bytes("two␊lines/\u{301}/␊") == Array("two\nlines/\u{301}/\n".utf8))
    }

    @Test("Documents and folders with such names are read, replaced, renamed, filled and removed as others are")
    func used() async throws {
        let fixture = try FolderFixture()
        let top = fixture.folder.string + "/"
        try fixture.write("one", toPath: top, name: Array("two\nlines".utf8))
        try fixture.write("two", toPath: top, name: [0x66, 0xFC])
        try fixture.makeFolder("tab\tbed")
        try fixture.write("x", to: "tab\tbed/x")
        let provider = try await fixture.provider()
        #expect(
            Set(try await provider.list().compactMap { $0.name?.rawValue }) == ["two␊lines", "f\u{201B}FC", "tab␉bed"])
        let lines = try await provider.item(at: "two␊lines")
        #expect(try await provider.contents(of: lines.id, fixture).1 == "one")
        let replaced = try await provider.replace(lines, try fixture.contents("changed"))
        #expect(try fixture.read("two\nlines") == "changed")
        _ = try await provider.rename(replaced, to: "three␊more␊lines")
        #expect(try fixture.read("three\nmore\nlines") == "changed")
        let bytes = try await provider.item(at: "f\u{201B}FC")
        #expect(try await provider.contents(of: bytes.id, fixture).1 == "two")
        _ = try await provider.rename(bytes, to: "plain")
        #expect(try fixture.read("plain") == "two")
        let inner = try await provider.item(at: "tab␉bed/x")
        #expect(try await provider.contents(of: inner.id, fixture).1 == "x")
        _ = try await provider.create("y", try fixture.contents("y"), in: try #require(inner.parentID))
        #expect(try fixture.read("tab\tbed/y") == "y")
        try await provider.delete(try await provider.item(at: "tab␉bed"), recursive: true)
        try await provider.delete(try await provider.item(at: "three␊more␊lines"))
        #expect(try fixture.names() == ["plain"])
    }
}
