import DocumentModel
import Glibc
import SystemPackage
import Testing

@testable import DocentCommands

struct CommandLineProgramTests {
    @Test(arguments: [
        (["wc"], ["wc", "/d/a b"]), (["sort", "{}", "-r"], ["sort", "/d/a b", "-r"]),
        (["sh", "-c", "wc < '{}'; cat {}"], ["sh", "-c", "wc < '/d/a b'; cat /d/a b"]),
    ])
    func thePathTakesThePlaceOfBracesOrComesLast(words: [String], expected: [String]) {
        #expect(CommandLineProgram(words: words).arguments(for: "/d/a b") == expected)
    }
}

struct ArgumentsTests {
    @Test func aRelativePathBeginsAtTheCurrentFolder() throws {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let here = String(cString: try #require(getcwd(&buffer, buffer.count)))
        #expect(try Arguments.absolutePath("no/../such folder") == here + "/such folder")
        #expect(try Arguments.absolutePath(".") == here)
        #expect(try Arguments.absolutePath("/no such/./folder/") == "/no such/folder")
    }

    @Test func aSettingMayHoldEqualsSignsAndMayBeEmpty() throws {
        #expect(try Arguments.setting("url=http://x/?a=b").value == "http://x/?a=b")
        #expect(try Arguments.setting("key=").value == "")
        #expect(throws: (any Error).self) { try Arguments.setting("=value") }
    }
}

@Suite("A secret setting on the command line")
struct SecretInputTests {
    private func value(of text: String) throws -> String {
        let path = FilePath("/tmp/docent-secret-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: [.ownerReadWrite])
        defer { unlink(path.string) }
        try file.closeAfter { _ = try file.writeAll(text.utf8) }
        return try SecretInput.value(of: "password", written: "@\(path)")
    }

    private func refusal(_ body: () throws -> String) -> String {
        do {
            return "accepted: " + (try body())
        } catch {
            return "\(error)"
        }
    }

    @Test("DESIGN 9: it comes from a file, without the end of the line")
    func file() throws {
        #expect(try value(of: "hunter2\n") == "hunter2")
        #expect(try value(of: "hunter2\r\n") == "hunter2")
        #expect(try value(of: " @a b ") == " @a b ")
        #expect(refusal { try value(of: "\n") }.contains("is empty"))
        #expect(refusal { try value(of: String(repeating: "x", count: 65_537)) }.contains("more than 65536 bytes"))
    }

    @Test("DESIGN 9: written into the command line it is refused, with the ways that there are, and not repeated")
    func literal() throws {
        for word in ["hunter2", "", "@"] {
            let refusal = refusal { try SecretInput.value(of: "password", written: word) }
            #expect(
                refusal.contains("--set password=@FILE for what is in a file, or --set password=- for standard input"))
            #expect(!refusal.contains("hunter2"))
        }
        #expect(
            refusal { try SecretInput.value(of: "password", written: "@/no/such/file") }.contains(
                "“/no/such/file”, for “password”, cannot be read"))
    }
}

struct ProgressBarTests {
    private func line(_ done: UInt64, of expected: UInt64?, width: Int = 60, after: Duration = .zero) -> String {
        ProgressBar.line("Sending a", TransferProgress(done: done, expected: expected), elapsed: after, width: width)
    }

    @Test func aBarShowsThePartTheBytesAndThePace() {
        #expect(line(0, of: 4_000) == "Sending a  ░░░░░░░░░░░░░░░░░░░░░░░░░░  0 %  0 B of 4.0 KB")
        #expect(line(2_000, of: 4_000) == "Sending a  ███████████░░░░░░░░░░░  50 %  2.0 KB of 4.0 KB")
        #expect(line(2_000, of: nil, after: .seconds(2)) == "Sending a  2.0 KB  1.0 KB/s")
    }

    @Test func aBarNeverGoesBeyondTheTerminal() {
        for width in 10...100 {
            #expect(line(5_000, of: 4_000, width: width, after: .seconds(1)).displayWidth < width)
        }
    }

    @Test("A provider may say that it is as far as numbers go")
    func beyondAllBounds() {
        #expect(line(.max, of: nil, after: .seconds(1)) == "Sending a  18 EB  1.0 EB/s")
        #expect(line(.max, of: .max, width: 80, after: .seconds(2)).contains("100 %  18 EB of 18 EB"))
    }
}

struct QuotingTests {
    @Test(arguments: [
        ("work:/a.txt", "work:/a.txt"), ("work:/a b", "'work:/a b'"), ("it's", #"'it'\''s'"#), ("", "''"),
    ])
    func aLocationIsOneWordForAShell(text: String, quoted: String) {
        #expect(ShellWord.quoted(text) == quoted)
    }
}
